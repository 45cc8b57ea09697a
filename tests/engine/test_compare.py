"""The fast comparison is held against a slow one that says what is meant, cell by cell."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.codes import directions_of, pack_code, seen_of
from engine.compare import compare, compare_codes, compare_many, compare_shifted
from engine.errors import ExtractorMismatch, TemplateRefused
from engine.parameters import CODE_STRANGE_DISTANCE, CODE_TILE_MIN_CELLS
from engine.types import ExtractorId, Hand, PalmTemplate

SEEDS = st.integers(0, 2**32 - 1)


Tiles = dict[tuple[int, int, int], tuple[float, int]]


def code_of(seed: int, *, seen_share: float = 1.0, grain: int = 4) -> np.ndarray:
    """A code of nobody: patches of one direction, some cells without skin."""
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


def slow_distance(first: np.ndarray, second: np.ndarray) -> float:
    """The distance as its definition has it, without a bit trick."""
    return (slow_one_way(first, second) + slow_one_way(second, first)) / 2


def slow_one_way(moving: np.ndarray, fixed: np.ndarray) -> float:
    """The least distance over all shifts, the fixed code cut into tiles."""
    reach = range(-4, 5)
    tiles = {
        (x, y, tile): slow_tile(moving, fixed, (x, y), tile)
        for x in reach
        for y in reach
        for tile in range(16)
    }
    return min(slow_shift(tiles, x, y) for x in reach for y in reach)


def slow_shift(tiles: Tiles, x: int, y: int) -> float:
    """The distance at one shift, each tile free to take the best of the next ones."""
    total, cells = 0.0, 0
    for tile in range(16):
        around = [(x + dx, y + dy, tile) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        nearest = min(tiles[place][0] for place in around if place in tiles)
        count = tiles[x, y, tile][1]
        total, cells = total + nearest * count, cells + count
    gain = CODE_STRANGE_DISTANCE - total / max(cells, 1)
    return CODE_STRANGE_DISTANCE - gain * math.sqrt(cells / 1024)


def slow_tile(
    moving: np.ndarray, fixed: np.ndarray, shift: tuple[int, int], tile: int
) -> tuple[float, int]:
    """The mean distance of the directions of one tile, and how many cells it is the mean of."""
    a, b = directions_of(moving).astype(int), directions_of(fixed).astype(int)
    seen_a, seen_b = seen_of(moving), seen_of(fixed)
    steps = []
    for place in range(64):
        row, column = 8 * (tile // 4) + place // 8, 8 * (tile % 4) + place % 8
        r, c = row + shift[1], column + shift[0]
        if min(r, c) >= 0 and max(r, c) < 32 and seen_a[r, c] and seen_b[row, column]:
            away = abs(a[r, c] - b[row, column])
            steps.append(min(away, 6 - away) / 3)
    if len(steps) < CODE_TILE_MIN_CELLS:
        return CODE_STRANGE_DISTANCE, len(steps)
    return float(np.mean(steps)), len(steps)


def template(code: np.ndarray, hand: Hand = Hand.LEFT, name: str = "a-1") -> PalmTemplate:
    """A template that has this code."""
    return PalmTemplate(ExtractorId(name), hand, np.ones(1, np.float32), code)


@pytest.mark.parametrize("seen_share", [1.0, 0.6, 0.05])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_bit_planes_compute_what_is_meant(seed, seen_share):
    """81 shifts, free tiles, cells that do not count: all of it against plain loops."""
    first = code_of(seed, seen_share=seen_share)
    others = [code_of(seed + 100), moved(code_of(seed), 2, -3), moved(first, -4, 4)]
    fast = compare_codes(first, np.stack(others))

    assert fast == pytest.approx([slow_distance(first, o) for o in others], abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(first=SEEDS, second=SEEDS, share=st.floats(0, 1))
def test_a_comparison_is_symmetric(first, second, share):
    """Who was enrolled and who comes must not matter, to the last bit."""
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


@settings(max_examples=20, deadline=None)
@given(first=SEEDS, second=SEEDS, share=st.floats(0, 1))
def test_scores_lie_between_0_and_1(first, second, share):
    """Thresholds and calibrations rely on the range, for any code at all."""
    score = compare(template(code_of(first, seen_share=share)), template(code_of(second)))

    assert 0 <= score <= 1


def test_no_score_has_changed_by_a_bit():
    """Thresholds were calibrated on these scores: a faster comparison must compute the same.

    The digest is of the distances of the first comparison that was calibrated, in plain numpy.
    """
    probes = [code_of(n, seen_share=s) for n, s in enumerate((1.0, 0.9, 0.5, 0.1, 0.0))]
    shares = (1.0, 0.8, 0.3, 0.02)
    references = np.stack([code_of(n, seen_share=s) for n in range(20) for s in shares])
    distances = [compare_codes(probe, references) for probe in probes]
    octets = np.concatenate(distances).astype("<f4").tobytes()

    assert hashlib.sha256(octets).hexdigest() == (
        "a43c9832351c27dc2b9a4a3edb1135d51123f28969780ec536038b9a1e267fc1"
    )


def test_equal_codes_score_1():
    """The best score there is, so that a threshold above 1 matches nobody."""
    assert compare(template(code_of(5)), template(code_of(5))) == 1


@pytest.mark.parametrize(("x", "y"), [(4, 0), (0, -4), (3, 2), (-4, 4)])
def test_a_misplaced_region_still_matches(x, y):
    """Regions of one palm differ by a few cells: without the search a third is lost."""
    whole = code_of(9)
    shifted = compare(template(whole), template(moved(whole, x, y)))
    strange = compare(template(whole), template(code_of(10)))

    assert shifted > 0.93 > 0.7 > strange


def test_tiles_may_move_on_their_own():
    """A bent palm moves one part against the other; each tile finds its own place."""
    whole = code_of(9)
    left, right = moved(whole, 1, 0), moved(whole, -1, 0)
    columns = np.arange(32) < 16
    halves = pack_code(
        np.where(columns, directions_of(left), directions_of(right)),
        np.where(columns, seen_of(left), seen_of(right)),
    )

    assert compare(template(whole), template(halves)) > 0.97


def test_cells_without_skin_do_not_count():
    """A sleeve over a third of both palms must not make strangers alike."""
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

    assert compare(*bare) > compare(*without) + 0.05
    assert compare(*masked) < compare(*without) + 0.02


def test_codes_without_any_skin_score_as_strangers():
    """An empty code must not match everybody."""
    empty = template(code_of(1, seen_share=0.0))

    assert compare(empty, empty) == pytest.approx(1 - CODE_STRANGE_DISTANCE)


def test_an_empty_list_gives_no_scores():
    """An empty gallery is an ordinary one."""
    assert compare_many(template(code_of(1)), []).shape == (0,)


@pytest.mark.parametrize(
    "change",
    [{"hand": Hand.RIGHT}, {"extractor": ExtractorId("b-1")}],
)
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


@pytest.mark.parametrize(("x", "y", "shift"), [(0, 0, 0), (2, 0, 2), (-1, 3, 3), (-4, 1, 4)])
def test_a_comparison_tells_how_far_apart_palms_lay(x: int, y: int, shift: int) -> None:
    """In cells, the larger of both directions; the same whoever is probe."""
    code = code_of(11)
    other = moved(code, x, y)
    distances, shifts = compare_shifted(code, other[None])
    back, shifts_back = compare_shifted(other, code[None])

    assert shifts == shifts_back == shift
    assert distances == back == compare_codes(code, other[None])
    nothing, nowhere = compare_shifted(code, np.zeros((0, 512), np.uint8))
    assert (
        nothing.size
        == nowhere.size
        == compare_codes(code, np.zeros((0, 512), np.uint8)).size
        == 0
    )
