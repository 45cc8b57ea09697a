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


def test_a_flipped_picture_of_a_right_palm_gives_the_region_of_a_left_one():
    """Both hands share one frame, so one comparison serves both; the side is kept."""
    pixels = texture()
    flipped = np.ascontiguousarray(pixels[:, ::-1])
    left = landmarks_at(angle_rad=0.3)
    right_points = left.points.copy()
    right_points[:, 0] = WIDTH - right_points[:, 0]
    right = PalmLandmarks(right_points, Hand.RIGHT, 1.0)

    of_left = cut_roi(PalmSample(pixels), left)
    of_right = cut_roi(PalmSample(flipped), right)

    assert np.abs(of_left.pixels.astype(int) - of_right.pixels).max() <= 1
    assert (of_left.hand, of_right.hand) == (Hand.LEFT, Hand.RIGHT)


@pytest.mark.parametrize("hand", Hand)
@pytest.mark.parametrize("side", range(60, 240, 7))
def test_a_region_that_is_the_whole_picture_lies_inside_it(side, hand):
    """Crops are their own region: edges that coincide must not count as sticking out."""
    scale = side / 1.05
    marks = landmarks_at(centre=(side / 2, -0.02 * scale), scale=scale, hand=hand)
    roi = cut_roi(PalmSample(np.zeros((side, side, 3), np.uint8)), marks)

    assert roi.inside_share == pytest.approx(1, abs=1e-5)


def test_a_hand_wholly_outside_gives_a_black_region():
    """Landmarks are the network's guesses: any of them must lead to an answer."""
    white = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    roi = cut_roi(PalmSample(white), landmarks_at(centre=(-900, -900)))

    assert roi.inside_share == 0
    assert roi.pixels.max() == 0


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
