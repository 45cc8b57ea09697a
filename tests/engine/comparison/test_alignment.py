"""A palm that is tilted or hollow is laid over the claimed one; another palm gains nothing."""

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from engine.comparison.alignment import compare_claimed, likeness
from engine.comparison.compare import compare_many
from engine.decision.decide import decide_identification, decide_verification
from engine.gallery.near import laid_over
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.types import Hand, Match, NonMatch, PalmRoi, PalmTemplate, Reference
from models.synthesis.crop.style import Variation
from models.training.sample_store import draw_samples
from tests.support.palms.reference_extractor import ReferenceExtractor
from tests.support.palms.templates import group_id, reference_id

PALMS = 6


@cache
def template(palm: int, view: int = 0, *, bent: float = 0.0, blur: float = 0.1) -> PalmTemplate:
    """Return the template of a drawn region, bent by a share of its side at the corners.

    ``blur``: a deviation in pixels.
    """
    crop = draw_samples(9, range(PALMS), 2, Variation(covered_share=0.0))[palm, view]
    y, x = np.mgrid[:128, :128].astype(np.float32)
    u, v = x / 63.5 - 1, y / 63.5 - 1
    places = x + 128 * bent * (u * u - v), y + 128 * bent * (u * v + u)
    border = cv2.BORDER_REFLECT_101
    pixels = cv2.remap(crop.astype("f4"), *places, cv2.INTER_LINEAR, borderMode=border)
    pixels = cv2.GaussianBlur(pixels, (0, 0), blur)
    roi = PalmRoi(pixels, Hand.LEFT, np.zeros((4, 2), np.float32), 0.02, 200.0, 1.0)
    return ReferenceExtractor().template_of(roi)


def test_a_palm_laid_over_itself_stays_what_it_is() -> None:
    """Cells that lay half a pixel off cost the first prototype a third of its gain."""
    own = template(0)
    assert own.dense is not None

    alike, seen, _ = likeness(own.dense, own.code)
    assert alike > 0.98
    assert seen > 0.9


def test_a_bent_palm_is_found_again_and_no_other_palm() -> None:
    """No turn, shift or zoom fits it."""
    reference, others = template(0), [template(palm) for palm in range(1, PALMS)]
    probe = template(0, 1, bent=0.05)
    (plain,), (aligned,) = (by(probe, [reference]) for by in (compare_many, compare_claimed))

    claimed = [Reference(reference_id(1), group_id(1), reference)]
    decision = decide_verification([probe], claimed, (plain + aligned) / 2)

    assert probe.dense is not None
    hidden = probe.dense.reshape(-1, 64, 8).copy()
    hidden[:, 16:] = 0
    (covered,) = compare_claimed(replace(probe, dense=hidden.ravel()), [reference])

    assert plain + 0.02 < aligned <= plain + 0.03001, "a gain has a bound"
    assert covered < aligned, "fewer cells must be more alike"
    assert decision == Match(reference_id(1), group_id(1))
    assert compare_claimed(probe, others).max() < compare_many(probe, others).max() + 0.01


def test_blurred_palms_of_different_people_gain_nothing() -> None:
    """Their few broad lines agree by chance: one pair in 200 matched before."""
    for palm in range(PALMS):
        others = [template(other, blur=3.2) for other in range(PALMS) if other != palm]
        blurred = template(palm, blur=3.2)
        assert np.array_equal(compare_claimed(blurred, others), compare_many(blurred, others))


@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_a_search_lays_the_palm_over_who_is_just_below_its_threshold(margin: float) -> None:
    """Before, a search missed a bent palm that a claim of the same account found."""
    gallery = MemoryGallery(template(0).extractor, template(0).vector.size)
    gallery.enrol([Reference(reference_id(n), group_id(n), template(n)) for n in range(PALMS)])
    probes = [template(0, 1, bent=0.05)]
    found = gallery.search(probes)
    score = {each.group_id: each.score for each in found}[group_id(0)]

    near = laid_over(found, probes, gallery, score + 0.02, margin=margin)

    decision = decide_identification(near, score + 0.02, margin=0.0)
    assert decision == (Match(reference_id(0), group_id(0)) if margin else NonMatch())
    if margin:
        leading = laid_over(found, probes, gallery, score - 0.02, margin=margin)
        assert leading == near, "who is above the threshold is laid over, too, beside rivals"
    gallery.erase([reference_id(0)])
    assert laid_over(found, probes, gallery, score + 0.02, margin=margin) != near or not margin


@pytest.mark.parametrize("is_dense", [False, True])
def test_a_score_that_is_high_enough_is_not_aligned(*, is_dense: bool) -> None:
    """Alignment takes a hundred times as long; nor is anything aligned without a dense code."""
    probe, reference = template(0, 1, bent=0.05), template(0)
    (plain,) = compare_many(probe, [reference])
    enough = float(plain) if is_dense else np.inf
    shown = probe if is_dense else replace(probe, dense=None)

    assert compare_claimed(shown, [reference], enough=enough) == [plain]
