"""pipeline: the steps, in their order, and how each of them may end the path."""

import cv2
import numpy as np
import pytest

from engine.errors import (
    ModelFault,
    PalmNotFound,
    PresentationAttack,
    QualityTooLow,
    SampleUnreadable,
)
from engine.pipeline import load_pipeline
from engine.presentation_attack.traces import require_no_traces
from engine.settings import PALM_GRAPH, EngineSettings
from engine.types import Hand
from tests.support.palms.drawn_palms import photo
from tests.support.palms.picture_files import encoded
from tests.support.palms.pipeline import fake_pipeline, palm_pixels, suspect

PALM = encoded(palm_pixels(1), ".png")


def test_a_picture_becomes_a_template():
    """The whole path: bytes in, template, region and quality out."""
    extraction = fake_pipeline().extract(PALM)

    assert extraction.template.hand is Hand.LEFT
    assert extraction.roi.pixels.shape == (128, 128)
    assert extraction.quality.reason is None


@pytest.mark.parametrize(
    ("pipeline", "image", "fault"),
    [
        (fake_pipeline(), PALM[:-20], SampleUnreadable),
        (fake_pipeline(suspect), PALM, PresentationAttack),
        (fake_pipeline(presence=0.0), PALM, PalmNotFound),
        (fake_pipeline(), encoded(palm_pixels(1, brightness=0.1), ".png"), QualityTooLow),
    ],
)
def test_each_step_may_end_the_path(pipeline, image, fault):
    """An attack is looked for on the palm that was found; then quality is judged."""
    with pytest.raises(fault):
        pipeline.extract(image)


def test_a_picture_becomes_a_template_of_each_of_two_extractors():
    """While people move, both must say what they see in one and the same region."""
    pipeline = load_pipeline(EngineSettings(previous_palm_graph="palm_print_net_2"))
    current, previous = pipeline.extract_each(photo(1))

    assert current.template.extractor != previous.template.extractor == "palmnet-2"
    assert current.template.hand is previous.template.hand
    np.testing.assert_array_equal(current.roi.corners, previous.roi.corners)


def test_former_and_new_extractor_differ():
    """It would be two galleries of one name."""
    with pytest.raises(ModelFault, match="already the current extractor"):
        load_pipeline(EngineSettings(previous_palm_graph=PALM_GRAPH))


def jpeg(side_px):
    """Encode a palm's picture at another size."""
    pixels = cv2.resize(palm_pixels(1), (side_px, side_px), interpolation=cv2.INTER_CUBIC)
    return encoded(pixels, ".jpg")


def test_a_large_jpeg_is_decoded_only_as_large_as_its_palm_needs():
    """Half of the pixels of a phone's picture show nothing that a template keeps."""
    sample, _ = fake_pipeline().locate(jpeg(1600))

    assert sample.pixels.shape == (800, 800, 3)


def test_a_palm_that_is_small_in_its_picture_is_cut_from_the_larger_copy():
    """Reduced, it would lose its lines; where it lies is known already."""
    pipeline = fake_pipeline(box_px=12)
    small = pipeline.locator.locate(pipeline.decode(jpeg(1600)))

    sample, landmarks = pipeline.locate(jpeg(1600))

    assert sample.pixels.shape == (1600, 1600, 3)
    assert landmarks.points == pytest.approx(2 * small.points)


def test_a_check_for_artefacts_sees_every_pixel():
    """Screens and halftone prints show in the finest detail."""
    pipeline = fake_pipeline(require_no_traces)

    assert pipeline.decode(jpeg(1600)).pixels.shape == (1600, 1600, 3)


@pytest.mark.parametrize(
    ("name", "check"), [("passive", require_no_traces), ("none", None), ("challenge", None)]
)
def test_only_passive_checks_every_single_picture(name, check):
    """The library still makes a template of one still picture by default."""
    assert load_pipeline(EngineSettings(attack_detection=name)).attack_check is check
