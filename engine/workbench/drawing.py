"""Shapes and text on an RGB canvas, shape (height, width, 3), uint8, modified in place.

Positions are pixels, x right, y down.
"""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Canvas = NDArray[np.uint8]
Colour = tuple[int, int, int]


PAPER: Final = (250, 249, 246)
PANEL: Final = (236, 234, 228)
INK: Final = (34, 37, 44)
FAINT: Final = (122, 126, 136)
GOOD: Final = (22, 128, 108)
BAD: Final = (192, 72, 48)
WHITE: Final = (255, 255, 255)

FINGERS: Final = (
    ((0, 1, 2, 3, 4), (240, 130, 90)),
    ((5, 6, 7, 8), (242, 186, 73)),
    ((9, 10, 11, 12), (120, 190, 100)),
    ((13, 14, 15, 16), (84, 164, 214)),
    ((17, 18, 19, 20), (166, 128, 214)),
)
"""Landmarks from the root, and a colour."""

KNUCKLES: Final = (0, 5, 9, 13, 17, 0)

DIRECTIONS: Final[tuple[Colour, ...]] = (
    (214, 84, 84),
    (224, 166, 62),
    (134, 178, 70),
    (52, 164, 150),
    (70, 120, 200),
    (158, 92, 178),
)
"""Colour of each direction; neighbours look alike."""

SUBPIXEL_BITS: Final = 4


def write(
    canvas: Canvas,
    text: str,
    at: tuple[int, int],
    *,
    size: int = 15,
    colour: Colour = INK,
    weight: int = 400,
) -> int:
    """Write a line of text at its base line, and return its end (x)."""
    cv2.putText(canvas, text, at, colour, cv2.FontFace("sans"), size, weight)
    return at[0] + text_width(text, size=size, weight=weight)


def text_width(text: str, *, size: int = 15, weight: int = 400) -> int:
    """Return the width of a line of text."""
    box = cv2.getTextSize((0, 0), text, (0, 0), cv2.FontFace("sans"), size, weight)
    return int(box[2])


def fill(canvas: Canvas, at: tuple[int, int], size: tuple[int, int], colour: Colour) -> None:
    """Fill a box, given its top-left corner and its size."""
    (x, y), (width, height) = at, size
    canvas[max(0, y) : y + height, max(0, x) : x + width] = colour


def pill(canvas: Canvas, text: str, right: int, middle: int, colour: Colour) -> None:
    """Write a short white text on a rounded box that ends at ``right``."""
    width = text_width(text, size=14, weight=600) + 24
    left, radius = right - width, 13
    ends = (left + radius, middle), (right - radius, middle)
    cv2.line(canvas, *ends, colour, 2 * radius, cv2.LINE_AA)
    write(canvas, text, (left + 12, middle + 5), size=14, colour=WHITE, weight=600)


def bar(canvas: Canvas, at: tuple[int, int], width: int, share: float, colour: Colour) -> None:
    """Draw a horizontal bar, filled to a share of its width."""
    fill(canvas, at, (width, 6), PANEL)
    fill(canvas, at, (round(width * min(max(share, 0.0), 1.0)), 6), colour)


def paste(canvas: Canvas, picture: Canvas, at: tuple[int, int]) -> None:
    """Copy a picture onto the canvas, which must be large enough."""
    (x, y), (height, width) = at, picture.shape[:2]
    canvas[y : y + height, x : x + width] = picture


def path(
    canvas: Canvas,
    points: NDArray[np.floating],
    colour: Colour,
    width: int,
    *,
    closed: bool = False,
) -> None:
    """Draw a line through points, shape (n, 2)."""
    fixed = _fixed(points)
    cv2.polylines(canvas, [fixed], closed, colour, width, cv2.LINE_AA, SUBPIXEL_BITS)


def dot(canvas: Canvas, point: NDArray[np.floating], radius: float, colour: Colour) -> None:
    """Draw a filled circle."""
    x, y = (int(v) for v in _fixed(point))
    size = round(radius * (1 << SUBPIXEL_BITS))
    cv2.circle(canvas, (x, y), size, colour, -1, cv2.LINE_AA, SUBPIXEL_BITS)


def hand(canvas: Canvas, points: NDArray[np.floating]) -> None:
    """Draw 21 landmarks, shape (21, 2), each finger in its colour."""
    path(canvas, points[list(KNUCKLES)], INK, 3)
    path(canvas, points[list(KNUCKLES)], PANEL, 1)
    for joints, colour in FINGERS:
        path(canvas, points[list(joints)], INK, 5)
        path(canvas, points[list(joints)], colour, 3)
    for joints, colour in FINGERS:
        for joint in joints:
            dot(canvas, points[joint], 5.5, INK)
            dot(canvas, points[joint], 4.0, WHITE if joint == 0 else colour)


def direction_map(directions: NDArray[np.integer], size: int) -> Canvas:
    """Draw directions, shape (rows, columns), 0 to 5, as coloured cells with strokes."""
    colours = np.array(DIRECTIONS, np.uint8)[directions]
    canvas = np.asarray(
        cv2.resize(colours, (size, size), interpolation=cv2.INTER_NEAREST), np.uint8
    )
    rows, columns = directions.shape
    cell = np.array([size / columns, size / rows])
    angles = directions * (np.pi / 6)
    along = np.stack([-np.sin(angles), np.cos(angles)], axis=-1) * (0.36 * cell)
    middles = (np.dstack(np.meshgrid(np.arange(columns), np.arange(rows))) + 0.5) * cell
    strokes = np.stack([middles - along, middles + along], axis=-2).reshape(-1, 2, 2)
    fixed = list(_fixed(strokes))
    light = np.full_like(canvas, 255)
    mask = np.zeros(canvas.shape[:2], np.uint8)
    cv2.polylines(
        mask, fixed, isClosed=False, color=(170,), lineType=cv2.LINE_AA, shift=SUBPIXEL_BITS
    )
    share = mask[..., None].astype(np.float32) / 255
    return np.asarray(canvas * (1 - share) + light * share, np.uint8)


def direction_legend(cell: int) -> Canvas:
    """Draw one cell of each direction."""
    cells = [
        direction_map(np.array([[direction]]), cell) for direction in range(len(DIRECTIONS))
    ]
    return np.hstack(cells)


def _fixed(points: NDArray[np.floating]) -> NDArray[np.int32]:
    """Return points in OpenCV's fixed-point format."""
    scaled = np.asarray(points, np.float64) * (1 << SUBPIXEL_BITS)
    return np.clip(np.round(scaled), -(2**24), 2**24).astype(np.int32)
