"""picture: an engineer's eye finds what went wrong faster than a table does."""

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.workbench.inputs import InputFile
from engine.workbench.inspection import Inspection, inspect
from engine.workbench.picture import (
    BAD,
    CODE_LEFT,
    DIRECTIONS,
    GOOD,
    MARGIN,
    PANEL,
    PHOTO_SIZE,
    ROI_LEFT,
    ROW_HEIGHT,
    SQUARE_SIDE,
    TITLE_HEIGHT,
    WIDTH,
    Row,
    direction_map,
    draw_rows,
)
from tests.support.palms.picture_files import encoded
from tests.support.palms.pipeline import fake_pipeline, palm_pixels

TOP = MARGIN // 2 + TITLE_HEIGHT
PHOTO = slice(TOP, TOP + PHOTO_SIZE[1]), slice(MARGIN, MARGIN + PHOTO_SIZE[0])
ROI = slice(TOP, TOP + SQUARE_SIDE), slice(ROI_LEFT, ROI_LEFT + SQUARE_SIDE)
CODE = slice(TOP, TOP + SQUARE_SIDE), slice(CODE_LEFT, CODE_LEFT + SQUARE_SIDE)
TITLE = slice(0, TOP), slice(0, WIDTH)


@pytest.fixture
def seen(tmp_path: Path) -> Callable[..., Inspection]:
    """Return the inspection of a file by the fake pipeline."""

    def of(data: bytes, *, presence: float = 1.0) -> Inspection:
        file = InputFile(tmp_path / "palm", "ann")
        file.path.write_bytes(data)
        return inspect(fake_pipeline(presence=presence), file)

    return of


def has(picture: np.ndarray, part: tuple[slice, slice], colour: tuple[int, int, int]) -> bool:
    """Whether a colour occurs in a part of a picture."""
    return bool(np.any(np.all(picture[part] == colour, axis=-1)))


def is_empty(picture: np.ndarray, part: tuple[slice, slice]) -> bool:
    """Whether a place was left empty."""
    return bool(np.all(picture[part] == PANEL))


def test_a_good_palm_fills_the_row(seen):
    """Landmarks, region, code and numbers, all in their places, and a green word."""
    picture = draw_rows([Row("palm.png", seen(encoded(palm_pixels(1), ".png")))])

    assert picture.shape == (MARGIN // 2 + ROW_HEIGHT, WIDTH, 3)
    assert has(picture, PHOTO, GOOD)
    assert not is_empty(picture, ROI)
    assert all(has(picture, CODE, colour) for colour in DIRECTIONS)
    assert has(picture, TITLE, GOOD)
    assert not has(picture, TITLE, BAD)


@pytest.mark.parametrize("direction", range(6))
def test_a_stroke_lies_along_the_line_that_the_code_found(direction):
    """Drawn the other way round, the picture would tell the opposite of the truth."""
    y, x = np.mgrid[-64:64, -64:64]
    angle = direction * np.pi / 6
    line = np.abs(x * np.cos(angle) + y * np.sin(angle)) < 2
    cell = cv2.cvtColor(direction_map(np.array([[direction]]), 128), cv2.COLOR_RGB2GRAY)
    stroke = cell > np.median(cell) + 20

    assert stroke.any()
    assert np.mean(line[stroke]) > 0.95
