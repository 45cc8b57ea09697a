"""Draws the results of files as one picture (``--draw``), a row for each file.

A canvas has shape (height, width, 3), uint8, RGB, and is changed in place. Positions are
pixels, x right, y down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import QualityTooLow
from engine.features.code_bytes import directions_of, seen_of
from engine.types import Hand, PalmTemplate, Quality, QualityReason
from engine.workbench.inspection import Inspection

Canvas = NDArray[np.uint8]
Colour = tuple[int, int, int]
Points = NDArray[np.floating[Any]]

MAX_ROWS: Final = 12

MARGIN: Final = 28
TITLE_HEIGHT: Final = 52
PHOTO_SIZE: Final = (640, 480)
SQUARE_SIDE: Final = 300
ROW_HEIGHT: Final = TITLE_HEIGHT + PHOTO_SIZE[1] + MARGIN
ROI_LEFT: Final = MARGIN + PHOTO_SIZE[0] + MARGIN
CODE_LEFT: Final = ROI_LEFT + SQUARE_SIDE + MARGIN
WIDTH: Final = CODE_LEFT + SQUARE_SIDE + MARGIN

PAPER: Final = (250, 249, 246)
PANEL: Final = (236, 234, 228)
INK: Final = (34, 37, 44)
FAINT: Final = (122, 126, 136)
GOOD: Final = (22, 128, 108)
BAD: Final = (192, 72, 48)
WHITE: Final = (255, 255, 255)

HAND: Final = (
    ((0, 5, 9, 13, 17, 0), PANEL),
    ((0, 1, 2, 3, 4), (240, 130, 90)),
    ((5, 6, 7, 8), (242, 186, 73)),
    ((9, 10, 11, 12), (120, 190, 100)),
    ((13, 14, 15, 16), (84, 164, 214)),
    ((17, 18, 19, 20), (166, 128, 214)),
)
"""Landmarks of the palm and of each finger, and a colour."""

DIRECTIONS: Final[tuple[Colour, ...]] = (
    (214, 84, 84), (224, 166, 62), (134, 178, 70),
    (52, 164, 150), (70, 120, 200), (158, 92, 178),
)  # fmt: skip
"""Colour of each direction; neighbours look alike."""

GATE_MEASURES: Final = {
    QualityReason.TOO_BLURRED: "focus",
    QualityReason.TOO_DARK: "mean grey",
    QualityReason.TOO_BRIGHT: "mean grey",
    QualityReason.OUT_OF_FRAME: "inside the picture",
    QualityReason.TOO_SMALL: "side in the picture",
    QualityReason.BAD_POSE: "misfit of the pose",
}
"""The measure of each quality gate."""

_SUBPIXEL_BITS: Final = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the picture. Without a verdict it says whether a template was made."""

    title: str
    seen: Inspection
    verdict: str = ""
    is_good: bool = True


def draw_rows(rows: Sequence[Row]) -> Canvas:
    """Return one picture of all rows, uint8, RGB."""
    canvas = np.full((MARGIN // 2 + ROW_HEIGHT * len(rows), WIDTH, 3), PAPER, np.uint8)
    for number, row in enumerate(rows):
        top = MARGIN // 2 + number * ROW_HEIGHT
        _draw_row(canvas[top : top + ROW_HEIGHT], row)
    return canvas


def png_of(picture: Canvas) -> bytes:
    """Return an RGB picture as a PNG file."""
    _, data = cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    return data.tobytes()


def _draw_row(canvas: Canvas, row: Row) -> None:
    seen, template = row.seen, row.seen.template
    _draw_title(canvas, row)
    _draw_photo(canvas[TITLE_HEIGHT:, MARGIN:], seen)
    is_mirrored = seen.roi is not None and seen.roi.hand is Hand.RIGHT
    title = f"Region of interest{', mirrored' * is_mirrored}"
    roi = np.dstack([seen.roi.pixels.round().astype(np.uint8)] * 3) if seen.roi else None
    _draw_square(canvas, ROI_LEFT, title, roi)
    code = None if template is None else _code_picture(template)
    _draw_square(canvas, CODE_LEFT, "Code: direction of lines", code)
    if seen.quality is not None:
        _draw_quality(canvas, seen.quality)


def _draw_title(canvas: Canvas, row: Row) -> None:
    seen, fault, known = row.seen, row.seen.fault, ""
    if seen.landmarks is not None:
        known = f"{seen.landmarks.hand} hand · presence {seen.landmarks.presence:.2f}"
    elif seen.template is not None:
        known = f"{seen.template.hand} hand · a template file"
    reason = fault.reason.value if isinstance(fault, QualityTooLow) else fault and fault.code
    verdict = row.verdict or (reason or "template made").replace("_", " ")
    is_good = row.is_good and fault is None
    end = _write(canvas, row.title, (MARGIN, 34), size=20)
    _write(canvas, known, (end + 16, 34), size=16, colour=FAINT)
    left = WIDTH - MARGIN - _text_width(verdict, 20)
    _write(canvas, verdict, (left, 34), size=20, colour=GOOD if is_good else BAD)


def _draw_photo(canvas: Canvas, seen: Inspection) -> None:
    canvas[: PHOTO_SIZE[1], : PHOTO_SIZE[0]] = PANEL
    if seen.sample is None:
        _write(canvas, "no picture", (280, 245), colour=FAINT)
        return
    height, width = seen.sample.pixels.shape[:2]
    scale = min(PHOTO_SIZE[0] / width, PHOTO_SIZE[1] / height)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    photo = np.asarray(cv2.resize(seen.sample.pixels, size, interpolation=method), np.uint8)
    if seen.roi is not None:
        corners = seen.roi.corners * scale
        _path(photo, corners[[0, 1, 2, 3, 0]], WHITE, 2)
        # The edge towards the fingers.
        _path(photo, corners[:2], GOOD, 4)
    if seen.landmarks is not None:
        _draw_hand(photo, seen.landmarks.points * scale)
    left, top = (PHOTO_SIZE[0] - size[0]) // 2, (PHOTO_SIZE[1] - size[1]) // 2
    canvas[top : top + size[1], left : left + size[0]] = photo


def _draw_hand(photo: Canvas, points: Points) -> None:
    for joints, colour in HAND:
        _path(photo, points[list(joints)], colour, 3)
        for x, y in _fixed(points[list(joints)]).tolist():
            cv2.circle(photo, (x, y), 64, INK, -1, cv2.LINE_AA, _SUBPIXEL_BITS)


def _draw_square(canvas: Canvas, left: int, title: str, picture: Canvas | None) -> None:
    rows = slice(TITLE_HEIGHT, TITLE_HEIGHT + SQUARE_SIDE)
    canvas[rows, left : left + SQUARE_SIDE] = (
        PANEL if picture is None else cv2.resize(picture, (SQUARE_SIDE, SQUARE_SIDE))
    )
    _write(canvas, title, (left, rows.stop + 22), colour=FAINT)


def _code_picture(template: PalmTemplate) -> Canvas:
    """Draw a code; masked cells are grey."""
    picture = direction_map(directions_of(template.code), SQUARE_SIDE)
    blind = (~seen_of(template.code)).astype(np.uint8)
    picture[cv2.resize(blind, picture.shape[:2], interpolation=cv2.INTER_NEAREST) > 0] = FAINT
    return picture


def direction_map(directions: NDArray[np.integer], size: int) -> Canvas:
    """Draw directions, shape (rows, columns), 0 to 5, as coloured cells with strokes."""
    colours = np.array(DIRECTIONS, np.uint8)[directions]
    canvas = cv2.resize(colours, (size, size), interpolation=cv2.INTER_NEAREST)
    rows, columns = directions.shape
    cell = np.array([size / columns, size / rows])
    angles = directions * (np.pi / 6)
    along = np.stack([-np.sin(angles), np.cos(angles)], axis=-1) * (0.36 * cell)
    middles = (np.dstack(np.meshgrid(np.arange(columns), np.arange(rows))) + 0.5) * cell
    strokes = np.stack([middles - along, middles + along], axis=-2).reshape(-1, 2, 2)
    mask, lines = np.zeros(canvas.shape[:2], np.uint8), list(_fixed(strokes))
    cv2.polylines(mask, lines, False, (170,), 1, cv2.LINE_AA, _SUBPIXEL_BITS)  # noqa: FBT003
    share = mask[..., None].astype(np.float32) / 255
    return np.asarray(canvas * (1 - share) + 255 * share, np.uint8)


def _draw_quality(canvas: Canvas, quality: Quality) -> None:
    top = TITLE_HEIGHT + SQUARE_SIDE + 44
    failed = GATE_MEASURES.get(quality.reason) if quality.reason else None
    _write(canvas, f"{quality.score}", (ROI_LEFT, top + 46), size=46)
    _write(canvas, "quality of 100", (ROI_LEFT, top + 72), colour=FAINT)
    numbers = {
        "focus": f"{quality.focus:.2f}",
        "mean grey": f"{quality.exposure:.0f} of 255",
        "black or white": f"{100 * quality.clipped_share:.1f} %",
        "misfit of the pose": f"{quality.residual:.3f}",
        "inside the picture": f"{100 * quality.inside_share:.0f} %",
        "side in the picture": f"{quality.scale_px:.0f} px",
    }
    for number, (name, value) in enumerate(numbers.items()):
        x, y = ROI_LEFT + 160 + 240 * (number % 2), top + 14 + 44 * (number // 2)
        _write(canvas, name, (x, y), colour=FAINT)
        _write(canvas, value, (x, y + 19), size=16, colour=BAD if name == failed else INK)


def _write(
    canvas: Canvas, text: str, at: tuple[int, int], *, size: int = 14, colour: Colour = INK
) -> int:
    """Write a line of text at its base line, and return its end (x)."""
    cv2.putText(canvas, text, at, colour, cv2.FontFace("sans"), size, 600)
    return at[0] + _text_width(text, size)


def _text_width(text: str, size: int) -> int:
    box = cv2.getTextSize((0, 0), text, (0, 0), cv2.FontFace("sans"), size, 600)
    return int(box[2])


def _path(canvas: Canvas, points: Points, colour: Colour, width: int) -> None:
    """Draw a line through points, shape (n, 2), on a dark one."""
    for ink, wide in ((INK, width + 2), (colour, width)):
        line = [_fixed(points)]
        cv2.polylines(canvas, line, False, ink, wide, cv2.LINE_AA, _SUBPIXEL_BITS)  # noqa: FBT003


def _fixed(points: Points) -> NDArray[np.int32]:
    """Return points in OpenCV's fixed-point format."""
    scaled = np.asarray(points, np.float64) * (1 << _SUBPIXEL_BITS)
    return np.clip(np.round(scaled), -(2**24), 2**24).astype(np.int32)
