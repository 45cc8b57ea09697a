"""Comparison: scores that were calibrated, symmetric, of what a palm shows."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.comparison.compare import compare, compare_codes, compare_many, compare_shifted
from engine.errors import ExtractorMismatch, TemplateRefused
from engine.features.code_bytes import directions_of, pack_code, seen_of
from engine.parameters import CODE_NON_MATED_DISTANCE
from engine.types import ExtractorId, Hand, PalmTemplate

SEEDS = st.integers(0, 2**32 - 1)


def code_of(seed: int, *, seen_share: float = 1.0, grain: int = 1) -> np.ndarray:
    """A random code: patches of one direction, as rough as can be, some without skin."""
    rng = np.random.default_rng(seed)
    patches = rng.integers(0, 6, (32 // grain, 32 // grain))
    directions = np.kron(patches, np.ones((grain, grain), np.int64))
    noise = rng.random((32, 32)) < 0.2
    directions = np.where(noise, rng.integers(0, 6, (32, 32)), directions)
    return pack_code(directions, rng.random((32, 32)) < seen_share)


def moved(code: np.ndarray, x: int, y: int) -> np.ndarray:
    """The code of a palm that lies x cells further left and y further up; new cells unseen."""
    directions, seen = np.zeros((32, 32), np.int64), np.zeros((32, 32), np.bool_)
    for row in range(32):
        for column in range(32):
            if 0 <= row + y < 32 and 0 <= column + x < 32:
                directions[row, column] = directions_of(code)[row + y, column + x]
                seen[row, column] = seen_of(code)[row + y, column + x]
    return pack_code(directions, seen)


def turned(code: np.ndarray, turn_deg: float, zoom: float = 1.0) -> np.ndarray:
    """The code of a region that was cut turned and larger; directions stay as they are."""
    middles = np.stack(np.meshgrid(np.arange(32), np.arange(32)), axis=-1) - 15.5
    turn = np.deg2rad(turn_deg)
    pose = zoom * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    column, row = np.moveaxis(np.rint(middles @ pose.T + 15.5).astype(int), -1, 0)
    inside = (np.minimum(row, column) >= 0) & (np.maximum(row, column) < 32)
    r, c = np.clip(row, 0, 31), np.clip(column, 0, 31)
    return pack_code(
        np.where(inside, directions_of(code)[r, c], 0), inside & seen_of(code)[r, c]
    )


def template(code: np.ndarray, hand: Hand = Hand.LEFT, name: str = "a-1") -> PalmTemplate:
    """A template that has this code."""
    return PalmTemplate(ExtractorId(name), hand, np.ones(1, np.float32), code)


@settings(max_examples=30, deadline=None)
@given(first=SEEDS, second=SEEDS, share=st.floats(0, 1))
def test_a_comparison_is_symmetric(first, second, share):
    """Exchanging reference and probe must not change the score, to the last bit."""
    a, b = template(code_of(first, seen_share=share)), template(code_of(second))

    assert compare(a, b) == compare(b, a)


@settings(max_examples=20, deadline=None)
@given(probe=SEEDS, seeds=st.lists(SEEDS, min_size=1, max_size=70))
def test_many_comparisons_are_single_ones(probe, seeds):
    """The short list's length must not change a score: batches are an implementation."""
    references = [template(code_of(seed)) for seed in seeds]
    together = compare_many(template(code_of(probe)), references)

    assert together.dtype == np.float32
    assert together.tolist() == [
        compare(template(code_of(probe)), reference) for reference in references
    ]


def test_no_score_has_changed_by_a_bit():
    """Thresholds were calibrated on these scores: a faster comparison must compute the same.

    The digest is of the first comparison in poses that was calibrated; it was held against a
    slow one, cell by cell.
    """
    probes = [code_of(n, seen_share=s) for n, s in enumerate((1.0, 0.9, 0.5, 0.1, 0.0))]
    shares = (1.0, 0.8, 0.3, 0.02)
    references = np.stack([code_of(n, seen_share=s) for n in range(20) for s in shares])
    distances = [compare_codes(probe, references) for probe in probes]
    octets = np.concatenate(distances).astype("<f4").tobytes()

    assert hashlib.sha256(octets).hexdigest() == (
        "2d616b79a0ec8462dfc3fa58b808bf4512748fa0fbfbfac4db0f2f7de57fc12a"
    )


def test_equal_codes_score_1():
    """The best score there is, so that nothing matches at a threshold above 1."""
    assert compare(template(code_of(5)), template(code_of(5))) == 1


@pytest.mark.parametrize("turn_deg", [-15, -8, 10])
@pytest.mark.parametrize("zoom", [0.9, 1.0, 1.1])
def test_a_turned_or_larger_region_still_matches(turn_deg, zoom):
    """A cropper errs in angle and size: tiles that move by one cell do not reach so far."""
    whole = code_of(9, grain=4)
    own = compare(template(whole), template(turned(whole, turn_deg, zoom)))
    strange = max(
        compare(template(whole), template(code_of(n, grain=4))) for n in range(20, 60)
    )

    assert own > strange + 0.1


def test_cells_without_skin_do_not_count():
    """A sleeve over a third of both palms must not make two people alike."""
    sleeve = np.arange(32)[:, None] + np.arange(32) // 2 < 26
    directions = [directions_of(code_of(seed)).astype(int) for seed in (21, 22)]
    bare = [
        template(pack_code(np.where(sleeve, d, 3), np.ones((32, 32), np.bool_)))
        for d in directions
    ]
    masked = [
        template(pack_code(np.where(sleeve, d, 3), np.broadcast_to(sleeve, (32, 32))))
        for d in directions
    ]
    without = [template(pack_code(d, np.ones((32, 32), np.bool_))) for d in directions]

    assert compare(*bare) < compare(*without) + 0.02
    assert compare(*masked) < compare(*without) + 0.02


def test_codes_without_any_skin_score_as_different_palms():
    """An empty code must not match everybody."""
    empty = template(code_of(1, seen_share=0.0))

    assert compare(empty, empty) == pytest.approx(1 - CODE_NON_MATED_DISTANCE)


@pytest.mark.parametrize("change", [{"hand": Hand.RIGHT}, {"extractor": ExtractorId("b-1")}])
def test_what_does_not_compare_is_refused(change):
    """A score of two sides or two extractors means nothing, however high."""
    own = template(code_of(1))

    with pytest.raises(ExtractorMismatch):
        compare_many(own, [own, replace(own, **change)])


@pytest.mark.parametrize("size", [0, 384, 513])
def test_a_code_of_another_size_is_refused(size):
    """It would be read beyond its end, or cut short."""
    own = template(code_of(1))

    with pytest.raises(TemplateRefused):
        compare(own, template(np.zeros(size, np.uint8)))


@pytest.mark.parametrize(("x", "y", "shift"), [(0, 0, 0), (2, 0, 2), (-1, 3, 3), (-7, 1, 4)])
def test_a_comparison_tells_how_far_apart_palms_lay(x: int, y: int, shift: int) -> None:
    """In cells, the larger of both directions, 4 for more; the same for either as the probe.

    A zoom may bring a tile a cell further, where more of it is seen.
    """
    code = code_of(11)
    other = moved(code, x, y)
    distances, shifts = compare_shifted(code, other[None])
    back, shifts_back = compare_shifted(other, code[None])

    assert shift <= shifts == shifts_back <= min(shift + bool(shift), 4)
    assert distances == back == compare_codes(code, other[None])
    nothing, nowhere = compare_shifted(code, np.zeros((0, 512), np.uint8))
    assert (
        nothing.size
        == nowhere.size
        == compare_codes(code, np.zeros((0, 512), np.uint8)).size
        == 0
    )
