"""The shipped graph's first half against its readable references, in ONNX Runtime."""

from hashlib import sha256

import cv2
import numpy as np
import pytest

from engine.onnx_model import OnnxModel
from engine.parameters import ROI_FIT_LANDMARKS, ROI_MEAN_PALM
from engine.quality import assess
from engine.roi import cut_roi
from engine.types import Hand, PalmLandmarks, PalmSample
from models.palm_graph import QUALITY_MEASURES, picture_model
from models.synthesis.crop.normalise import normalise
from models.synthesis.crop.sample import CROP_PX

PLACES = [(90, 480, 640), (300, 900, 700), (700, 1200, 1600)]
"""Distance from landmark 5 to 17, height and width of the picture, pixels."""


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """The graph, loaded as the engine loads it."""
    path = tmp_path_factory.mktemp("graph") / "picture.onnx"
    data = picture_model().SerializeToString()
    path.write_bytes(data)
    return OnnxModel(path, sha256=sha256(data).hexdigest())


@pytest.mark.parametrize("hand", Hand)
@pytest.mark.parametrize("place", PLACES)
def test_the_graph_cuts_the_region_that_the_engine_cuts(graph, hand, place):
    """A browser that runs the graph must see the skin that the server sees."""
    sample, landmarks = _scene(place, hand)

    crop, _, _ = _run(graph, sample, landmarks)
    expected = cut_roi(sample, landmarks, size_px=CROP_PX).pixels.astype(float)
    assert np.abs(crop - expected).mean() < 1.0
    assert np.corrcoef(crop.ravel(), expected.ravel())[0, 1] > 0.995


@pytest.mark.parametrize("place", PLACES)
def test_the_graph_normalises_as_training_does(graph, place):
    """The network must be served what it was taught on."""
    crop, normalised, _ = _run(graph, *_scene(place, Hand.LEFT))

    np.testing.assert_allclose(normalised, normalise(crop), atol=1e-4)


@pytest.mark.parametrize("hand", Hand)
def test_the_graph_measures_quality_as_the_engine_does(graph, hand):
    """The phone refuses what the server would refuse."""
    sample, landmarks = _scene(PLACES[1], hand)
    measured = dict(zip(QUALITY_MEASURES, _run(graph, sample, landmarks)[2], strict=True))

    expected = assess(cut_roi(sample, landmarks))
    for name, tolerance in (
        ("exposure", 0.5), ("clipped_share", 0.01), ("residual", 1e-3), ("inside_share", 0.01),
        ("scale_px", 0.1), ("focus", 0.04),
    ):  # fmt: skip
        assert measured[name] == pytest.approx(getattr(expected, name), abs=tolerance), name


def test_what_lies_outside_the_picture_is_black_and_counted(graph):
    """A palm that leaves the frame must not be made up from the frame's edge."""
    sample, landmarks = _scene(PLACES[0], Hand.LEFT)
    moved = PalmLandmarks(
        landmarks.points - (sample.pixels.shape[1] / 2, 0), Hand.LEFT, landmarks.presence
    )
    crop, _, quality = _run(graph, sample, moved)

    expected = cut_roi(sample, moved, size_px=CROP_PX)
    assert quality[QUALITY_MEASURES.index("inside_share")] == pytest.approx(
        expected.inside_share, abs=0.01
    )
    assert (crop[expected.pixels == 0] < 60).all()
    assert (expected.pixels == 0).any()


def _scene(place, hand):
    """Return a picture of smooth noise, and landmarks on a turned, uneven mean palm."""
    scale, height, width = place
    rng = np.random.default_rng(scale)
    noise = cv2.GaussianBlur(rng.normal(0, 1, (height, width, 3)), (0, 0), scale / 30)
    pixels = (128 + 60 * noise / np.abs(noise).max()).astype(np.uint8)
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    palm = (np.array(ROI_MEAN_PALM) + rng.normal(0, 0.02, (6, 2))) @ turn.T * scale
    palm *= (-1 if hand is Hand.RIGHT else 1, 1)
    points = np.zeros((21, 2), np.float32)
    points[list(ROI_FIT_LANDMARKS)] = palm - palm.mean(axis=0) + (width / 2, height / 2)
    return PalmSample(pixels), PalmLandmarks(points, hand, 1.0)


def _run(graph, sample, landmarks):
    """Return the crop, the normalised crop and the quality."""
    given = graph.run(
        {
            "picture": sample.pixels,
            "landmarks": landmarks.points.astype(np.float32),
            "right": np.array(landmarks.hand is Hand.RIGHT),
        }
    )
    return given["crop"][0, 0], given["normalised"][0, 0], given["quality"]
