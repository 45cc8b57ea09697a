"""Draws the results of files as one picture (``--draw``), a row for each file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import QualityTooLow
from engine.features.code_bytes import directions_of, seen_of
from engine.types import Hand, PalmTemplate, Quality, QualityReason
from engine.workbench import drawing
from engine.workbench.drawing import BAD, FAINT, GOOD, INK, PANEL, PAPER, WHITE, Canvas
from engine.workbench.inspection import Inspection

MAX_ROWS: Final = 12

MARGIN: Final = 28
TITLE_HEIGHT: Final = 52
PHOTO_SIZE: Final = (640, 480)
SQUARE_SIDE: Final = 300
LEGEND_CELL: Final = 16
ROW_HEIGHT: Final = TITLE_HEIGHT + PHOTO_SIZE[1] + MARGIN
ROI_LEFT: Final = MARGIN + PHOTO_SIZE[0] + MARGIN
CODE_LEFT: Final = ROI_LEFT + SQUARE_SIDE + MARGIN
WIDTH: Final = CODE_LEFT + SQUARE_SIDE + MARGIN

GATE_MEASURES: Final = {
    QualityReason.TOO_BLURRED: "focus",
    QualityReason.TOO_DARK: "mean grey",
    QualityReason.TOO_BRIGHT: "mean grey",
    QualityReason.OUT_OF_FRAME: "inside the picture",
    QualityReason.TOO_SMALL: "side in the picture",
    QualityReason.BAD_POSE: "misfit of the pose",
}
"""The measure of each quality gate."""


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
    seen = row.seen
    _draw_title(canvas, row)
    _draw_photo(canvas[TITLE_HEIGHT:, MARGIN:], seen)
    roi = (
        None if seen.roi is None else np.dstack([seen.roi.pixels.round().astype(np.uint8)] * 3)
    )
    code = None if seen.template is None else _code_picture(seen.template)
    title = "Region of interest" + (
        ", mirrored" if seen.roi and seen.roi.hand is Hand.RIGHT else ""
    )
    _draw_square(canvas, ROI_LEFT, title, None if roi is None else _scaled(roi))
    _draw_square(canvas, CODE_LEFT, "Code: direction of lines", code)
    legend = drawing.direction_legend(LEGEND_CELL)
    right = CODE_LEFT + SQUARE_SIDE - legend.shape[1]
    drawing.paste(canvas, legend, (right, TITLE_HEIGHT + SQUARE_SIDE + 9))
    if seen.quality is not None:
        _draw_quality(canvas, seen.quality)


def _draw_title(canvas: Canvas, row: Row) -> None:
    end = drawing.write(canvas, row.title, (MARGIN, 34), size=20, weight=650)
    drawing.write(canvas, _hand_text(row.seen), (end + 16, 34), size=16, colour=FAINT)
    fault = row.seen.fault
    made = "template made" if fault is None else _fault_text(fault.code, fault)
    is_good = row.is_good and fault is None
    colour = GOOD if is_good else BAD
    drawing.pill(canvas, row.verdict or made, WIDTH - MARGIN, 28, colour)


def _hand_text(seen: Inspection) -> str:
    if seen.landmarks is not None:
        return f"{seen.landmarks.hand} hand · presence {seen.landmarks.presence:.2f}"
    return f"{seen.template.hand} hand · a template file" if seen.template else ""


def _fault_text(code: str, fault: Exception) -> str:
    name = fault.reason.value if isinstance(fault, QualityTooLow) else code
    return name.replace("_", " ")


def _draw_photo(canvas: Canvas, seen: Inspection) -> None:
    drawing.fill(canvas, (0, 0), PHOTO_SIZE, PANEL)
    if seen.sample is None:
        drawing.write(canvas, "no picture", (280, 245), colour=FAINT)
        return
    height, width = seen.sample.pixels.shape[:2]
    scale = min(PHOTO_SIZE[0] / width, PHOTO_SIZE[1] / height)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    photo = np.asarray(cv2.resize(seen.sample.pixels, size, interpolation=method), np.uint8)
    if seen.roi is not None:
        _draw_outline(photo, seen.roi.corners * scale)
    if seen.landmarks is not None:
        drawing.hand(photo, seen.landmarks.points * scale)
    left, top = (PHOTO_SIZE[0] - size[0]) // 2, (PHOTO_SIZE[1] - size[1]) // 2
    drawing.paste(canvas, photo, (left, top))


def _draw_outline(photo: Canvas, corners: NDArray[np.float32]) -> None:
    """Outline the region; the edge towards the fingers is thick."""
    drawing.path(photo, corners, INK, 4, closed=True)
    drawing.path(photo, corners, WHITE, 2, closed=True)
    drawing.path(photo, corners[:2], INK, 7)
    drawing.path(photo, corners[:2], GOOD, 4)


def _draw_square(canvas: Canvas, left: int, title: str, picture: Canvas | None) -> None:
    drawing.fill(canvas, (left, TITLE_HEIGHT), (SQUARE_SIDE, SQUARE_SIDE), PANEL)
    if picture is not None:
        drawing.paste(canvas, picture, (left, TITLE_HEIGHT))
    base = TITLE_HEIGHT + SQUARE_SIDE + 22
    drawing.write(canvas, title, (left, base), size=14, colour=FAINT)


def _scaled(picture: Canvas) -> Canvas:
    size = SQUARE_SIDE, SQUARE_SIDE
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_CUBIC), np.uint8)


def _code_picture(template: PalmTemplate) -> Canvas:
    """Draw a code; masked cells are grey."""
    directions, seen = directions_of(template.code), seen_of(template.code)
    picture = drawing.direction_map(directions, SQUARE_SIDE)
    blind = cv2.resize(
        (~seen).astype(np.uint8), (SQUARE_SIDE, SQUARE_SIDE), interpolation=cv2.INTER_NEAREST
    )
    picture[blind > 0] = FAINT
    return picture


def _draw_quality(canvas: Canvas, quality: Quality) -> None:
    top = TITLE_HEIGHT + SQUARE_SIDE + 44
    failed = GATE_MEASURES.get(quality.reason) if quality.reason else None
    colour = BAD if failed else GOOD
    drawing.write(canvas, f"{quality.score}", (ROI_LEFT, top + 46), size=46, weight=650)
    drawing.write(canvas, "quality of 100", (ROI_LEFT, top + 72), size=14, colour=FAINT)
    drawing.bar(canvas, (ROI_LEFT, top + 84), 120, quality.score / 100, colour)
    for number, (name, value) in enumerate(_numbers(quality)):
        x, y = ROI_LEFT + 160 + 240 * (number % 2), top + 14 + 44 * (number // 2)
        ink = BAD if name == failed else INK
        drawing.write(canvas, name, (x, y), size=13, colour=FAINT)
        drawing.write(canvas, value, (x, y + 19), size=16, colour=ink, weight=600)


def _numbers(quality: Quality) -> list[tuple[str, str]]:
    return [
        ("focus", f"{quality.focus:.2f}"),
        ("mean grey", f"{quality.exposure:.0f} of 255"),
        ("black or white", f"{100 * quality.clipped_share:.1f} %"),
        ("misfit of the pose", f"{quality.residual:.3f}"),
        ("inside the picture", f"{100 * quality.inside_share:.0f} %"),
        ("side in the picture", f"{quality.scale_px:.0f} px"),
    ]
