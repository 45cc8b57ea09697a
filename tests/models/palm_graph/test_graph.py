"""The shipped graph against its readable references, and against what it once gave."""

import cv2
import numpy as np
import pytest

from engine.errors import QualityTooLow
from engine.extract import PalmGraphExtractor
from engine.features.code_bytes import HIDDEN, fields_of
from engine.features.competitive_code import ENERGY_DIMENSION
from engine.networks.onnx_model import load_model
from engine.parameters import CODE_CELLS, DENSE_CELLS, ROI_FIT_LANDMARKS, ROI_MEAN_PALM
from engine.quality import GATES
from engine.settings import PALM_GRAPH, EngineSettings
from engine.types import Hand, PalmLandmarks, PalmSample
from models.palm_graph.region import MEASURES
from tests.onnx_web.golden import golden_hands
from tests.support.palms.reference_extractor import (
    SHIPPED_EXTRACTOR,
    ReferenceExtractor,
    assess,
    cut_roi,
)

PLACES = [(90, 480, 640), (300, 900, 700), (700, 1200, 1600)]
"""Distance from landmark 5 to 17, height and width of the picture, pixels."""

GOLDEN = golden_hands()

GRAPH = load_model(PALM_GRAPH, EngineSettings())

EXTRACTOR = PalmGraphExtractor(GRAPH, SHIPPED_EXTRACTOR, ENERGY_DIMENSION)

REFERENCE = ReferenceExtractor()


@pytest.mark.parametrize("hand", Hand)
@pytest.mark.parametrize("place", PLACES)
def test_the_graph_says_what_the_reference_says(hand, place):
    """Small and large, left and right: region, measures and codes."""
    sample, landmarks = scene(place, hand)

    require_equal(sample, landmarks)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_drawn_hands_get_what_the_reference_gives(golden):
    """Skin, a hand that leaves the picture and a black sleeve."""
    require_equal(golden.sample, golden.landmarks)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_drawn_hands_get_what_they_got_at_the_release(golden):
    """References enrolled years ago must still be found; the first code is `palmnet-2`'s."""
    given = GRAPH.run(golden.inputs)

    for each in ("code", "dense"):
        assert np.array_equal(given[each], golden.expected[each])
    for each in ("vector", "merits"):
        np.testing.assert_allclose(given[each], golden.expected[each], atol=1e-4)
    for each in ("corners", "quality"):
        np.testing.assert_allclose(given[each], golden.expected[each], rtol=1e-5, atol=1e-4)


def test_merits_are_those_of_the_gates():
    """The phone refuses what the server would refuse, and for the same reason."""
    for golden in GOLDEN:
        quality = assess(cut_roi(golden.sample, golden.landmarks))
        *merits, clipped = GRAPH.run(golden.inputs)["merits"]

        for gate, merit in zip(GATES, merits, strict=True):
            assert merit == pytest.approx(gate.merit(quality), abs=1e-3)
        assert (quality.reason is None) == all(merit >= 0 for merit in (*merits, clipped))
        if quality.reason is None:
            assert quality.score == max(1, round(100 * min(*merits, clipped)))


@pytest.mark.parametrize("offset", [(-5000, 0), (5000, 300), (0, -5000), (300, 9000)])
def test_a_hand_outside_the_picture_is_black(offset):
    """Landmarks are guesses: any of them must lead to an answer, and none to a crash."""
    sample, landmarks = scene(PLACES[0], Hand.LEFT)
    away = PalmLandmarks(landmarks.points + np.array(offset, np.float32), Hand.LEFT, 1.0)
    given = GRAPH.run(inputs(sample, away))

    assert given["region"].max() == 0
    assert given["quality"][MEASURES.index("inside_share")] == 0
    assert np.linalg.norm(given["vector"]) == pytest.approx(1, abs=1e-5)
    with pytest.raises(QualityTooLow):
        EXTRACTOR.extract(sample, away)


def require_equal(sample, landmarks):
    """Compare the graph with the references."""
    given = GRAPH.run(inputs(sample, landmarks))
    roi = cut_roi(sample, landmarks)
    template, quality = REFERENCE.template_of(roi), assess(roi)

    np.testing.assert_allclose(given["corners"], roi.corners, atol=1e-3)
    np.testing.assert_allclose(given["region"], roi.pixels, atol=0.02)
    for name, measured in zip(MEASURES, given["quality"], strict=True):
        assert measured == pytest.approx(getattr(quality, name), rel=1e-4, abs=1e-3), name
    for name, cells in (("code", CODE_CELLS), ("dense", DENSE_CELLS)):
        ours, theirs = (
            fields_of(codes, cells) for codes in (given[name], getattr(template, name))
        )
        # The graph alone hides what looks like a cover.
        is_seen = ours != HIDDEN
        assert np.mean(ours[is_seen] != theirs[is_seen]) < 2e-3, "more than ties explain"


def scene(place, hand):
    """Return a picture of smooth noise, and landmarks on a turned, uneven mean palm."""
    scale, height, width = place
    rng = np.random.default_rng(scale)
    noise = cv2.GaussianBlur(rng.normal(0, 1, (height, width, 3)), (0, 0), scale / 40)
    pixels = (128 + 60 * noise / np.abs(noise).max()).astype(np.uint8)
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    palm = (np.array(ROI_MEAN_PALM) + rng.normal(0, 0.02, (6, 2))) @ turn.T * scale
    palm *= (-1 if hand is Hand.RIGHT else 1, 1)
    points = np.zeros((21, 2), np.float32)
    points[list(ROI_FIT_LANDMARKS)] = palm - palm.mean(axis=0) + (width / 2, height / 2)
    return PalmSample(pixels), PalmLandmarks(points, hand, 1.0)


def inputs(sample, landmarks):
    """Return what the graph is given."""
    return {
        "picture": sample.pixels,
        "landmarks": landmarks.points,
        "right": np.array(landmarks.hand is Hand.RIGHT),
    }
