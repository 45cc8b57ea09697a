"""The region of interest is geometry: it follows the hand wherever it is in the picture."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import PalmNotFound
from engine.parameters import ROI_FIT_LANDMARKS, ROI_MEAN_PALM
from engine.types import Hand, PalmLandmarks, PalmSample
from tests.support.palms.reference_extractor import cut_roi

WIDTH, HEIGHT = 640, 480


def texture(seed: int = 1, *, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    """A smooth RGB pattern without any symmetry."""
    noise = np.random.default_rng(seed).uniform(0, 255, (height, width, 3)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 6)
    return np.asarray(np.clip((smooth - smooth.mean()) * 12 + 128, 0, 255), np.uint8)


def landmarks_at(
    *,
    centre: tuple[float, float] = (300.0, 180.0),
    scale: float = 120.0,
    angle_rad: float = 0.0,
    hand: Hand = Hand.LEFT,
) -> PalmLandmarks:
    """A hand that is the mean palm, turned, scaled and moved."""
    turn = np.array(
        [[np.cos(angle_rad), -np.sin(angle_rad)], [np.sin(angle_rad), np.cos(angle_rad)]]
    )
    palm = np.array(ROI_MEAN_PALM)
    if hand is Hand.RIGHT:
        palm = palm * (-1.0, 1.0)
    points = np.zeros((21, 2), np.float32)
    points[list(ROI_FIT_LANDMARKS)] = palm @ (scale * turn).T + centre
    return PalmLandmarks(points, hand, 1.0)


@settings(max_examples=25, deadline=None)
@given(
    angle_rad=st.floats(-np.pi, np.pi),
    scale=st.floats(0.7, 2.5),
    x=st.floats(-40, 40),
    y=st.floats(-40, 40),
)
def test_the_region_does_not_depend_on_where_the_hand_is(angle_rad, scale, x, y):
    """Turned, moved, nearer or farther: the same skin is cut out."""
    pixels, at_rest = texture(), landmarks_at(scale=110)
    side = 1200
    cos, sin = scale * np.cos(angle_rad), scale * np.sin(angle_rad)
    move = np.array([[cos, -sin, 0.0], [sin, cos, 0.0]])
    move[:, 2] = (side / 2 + x, side / 2 + y) - move[:, :2] @ (300.0, 240.0)
    shift_of_centres = np.array([0.5, 0.5])
    warp = move.copy()
    warp[:, 2] += move[:, :2] @ shift_of_centres - shift_of_centres
    moved_pixels = cv2.warpAffine(pixels, warp, (side, side), flags=cv2.INTER_CUBIC)
    moved = PalmLandmarks(
        (at_rest.points @ move[:, :2].T + move[:, 2]).astype(np.float32), Hand.LEFT, 1.0
    )

    first = cut_roi(PalmSample(pixels), at_rest)
    second = cut_roi(PalmSample(np.asarray(moved_pixels, np.uint8)), moved)

    difference = np.abs(first.pixels.astype(int) - second.pixels)
    assert np.mean(difference) < 3
    assert second.scale_px == pytest.approx(scale * first.scale_px, rel=1e-3)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((21, 2)), np.full((21, 2), np.nan), np.full((21, 2), np.inf),
        np.full((21, 2), 7.0),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_landmarks_that_span_no_palm_are_refused(points):
    """A network that is wrong must not become a template, or a traceback."""
    marks = PalmLandmarks(points.astype(np.float32), Hand.LEFT, 1.0)

    with pytest.raises(PalmNotFound):
        cut_roi(PalmSample(texture()), marks)
