"""The comparison score of two templates: exact and symmetric.

The codes' mean score minus the vector penalty; the fine code may lead by little, and by less
the more cells are hidden. Each code is aligned at every shift of up to seven cells in every
pose; each 8 × 8 tile may move one more cell, because palms bend. The distance is the mean
difference of unmasked directions at the best place, averaged over tiling either code, plus a
cost for smooth codes (``kernels.shifts``).

A pose is a rotation and a scale factor at which two regions are compared. It moves each tile of
a code as a whole; directions stay.

The vector penalty: a cosine is compared with that of mated templates at the same shift of the
codes, and only a deficit is subtracted: codes that agree by chance do so at large shifts, with
unlike vectors. Fitted to drawn palms by ``thenar bench calibrate --drawn``.

Of several probes the best comparison counts. A decision by it counts every comparison in the
threshold; E12.
"""

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.errors import CalibrationFault, ExtractorMismatch, TemplateRefused
from engine.features.code_bytes import codes_of, rows_of, seen_shares
from engine.parameters import CODE_FAR_CELLS
from engine.types import ExtractorId, PalmTemplate


@cache
def tile_displacements() -> NDArray[np.int64]:
    """Return each tile's shift in each pose, shape (poses, 16, 2), cells, x and y.

    Tiles column by column; the identity is first, to win ties.
    """
    side, cells = tuned.CODE_TILE_CELLS, tuned.CODE_CELLS
    middles = np.arange(side / 2, cells, side) - cells / 2
    tiles = np.stack(np.meshgrid(middles, middles, indexing="ij"), axis=-1).reshape(-1, 2)
    rotated = [(turn_deg, 1.0) for turn_deg in tuned.CODE_TURNS_DEG]
    zoomed = product(tuned.CODE_ZOOMED_TURNS_DEG, tuned.CODE_ZOOMS)
    moved = [tiles @ _pose_matrix(*pose).T - tiles for pose in (*rotated, *zoomed)]
    return np.rint(moved).astype(np.int64)


def _pose_matrix(turn_deg: float, zoom: float) -> NDArray[np.float64]:
    turn = np.deg2rad(turn_deg)
    upright = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(zoom * upright, np.float64)


CALIBRATIONS: Final = Path(__file__).resolve().parents[1] / "decision" / "calibrations"
"""Folder of ``<extractor>.toml``, written by ``thenar bench calibrate``."""


@dataclass(frozen=True, slots=True)
class VectorPenalty:
    """An extractor's penalty.

    Attributes:
        weight: of the deficit, 0 (codes alone) to 1.
        expected_cosines: exceeded by nine tenths of mated templates at a shift of 0 to 4 cells;
            −1 to 1 each.
    """

    weight: float
    expected_cosines: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse numbers that could raise a score."""
        sound = (
            len(self.expected_cosines) == CODE_FAR_CELLS + 1
            and all(-1 <= cosine <= 1 for cosine in self.expected_cosines)
            and 0 <= self.weight <= 1
            and math.isfinite(self.weight)
        )
        if not sound:
            raise CalibrationFault("the calibration's vector penalty is out of range")

    def penalties(
        self, cosines: NDArray[np.float32], shifts: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the amounts to subtract, shape (count,), float32, at least 0; NaN for NaN."""
        expected = np.array(self.expected_cosines, np.float32)[shifts]
        lacking = np.maximum(expected - cosines, np.float32(0))
        return np.asarray(np.float32(self.weight) * lacking, np.float32)


NO_PENALTY: Final = VectorPenalty(0.0, (-1.0,) * (CODE_FAR_CELLS + 1))
"""Codes alone."""


@lru_cache(maxsize=16)
def load_vector_penalty(extractor_id: ExtractorId) -> VectorPenalty:
    """Return an extractor's penalty; ``NO_PENALTY`` without a calibration."""
    path = CALIBRATIONS / f"{extractor_id}.toml"
    if not path.is_file():
        return NO_PENALTY
    try:
        return parse_vector_penalty(tomllib.loads(path.read_text("utf-8")))
    except tomllib.TOMLDecodeError as fault:
        raise CalibrationFault("the calibration is damaged") from fault


def parse_vector_penalty(document: Mapping[str, Any]) -> VectorPenalty:
    """Read the table ``doubt`` of a calibration. Raises ``CalibrationFault``."""
    try:
        table = document["doubt"]
        cosines = tuple(float(cosine) for cosine in table["expected_cosines"])
        return VectorPenalty(float(table["weight"]), cosines)
    except (KeyError, TypeError, ValueError, OverflowError) as fault:
        raise CalibrationFault("the calibration has no valid vector penalty") from fault


def compare(probe: PalmTemplate, reference: PalmTemplate) -> float:
    """Return the comparison score of two templates.

    Returns:
        0 to 1, higher is more similar; 1 for equal, sharp, unmasked templates, about 0.6 for
        different palms.

    Raises:
        ExtractorMismatch: two extractors, or a left and a right hand.
        TemplateRefused: a code or vector has the wrong size.
    """
    return float(compare_many(probe, [reference])[0])


def compare_many(
    probe: PalmTemplate, references: Sequence[PalmTemplate]
) -> NDArray[np.float32]:
    """Return a probe's scores with each reference, float32, bit-identical to ``compare``."""
    for reference in references:
        if reference.extractor != probe.extractor:
            raise ExtractorMismatch(
                f"templates of {probe.extractor} and {reference.extractor} do not compare"
            )
        if reference.hand != probe.hand:
            raise ExtractorMismatch("a left and a right hand do not compare")
    for one in references:
        if (one.code.shape, one.vector.shape) != (probe.code.shape, probe.vector.shape):
            raise TemplateRefused("a code or vector has the wrong size")
    if not references:
        return np.zeros(0, np.float32)
    # Not a matrix product: its last bits depend on the number of vectors.
    products = np.stack([reference.vector for reference in references]) * probe.vector
    codes = np.stack([reference.code for reference in references])
    return fused_scores(
        probe.code, codes, products.sum(axis=1), load_vector_penalty(probe.extractor)
    )


def fused_scores(
    probe: NDArray[np.uint8],
    references: NDArray[np.uint8],
    cosines: NDArray[np.float32],
    penalty: VectorPenalty,
) -> NDArray[np.float32]:
    """Return comparison scores from codes and the cosines of their vectors.

    Codes have shapes (n × 512,) and (count, n × 512), cosines (count,).

    Returns:
        Shape (count,), float32, 0 to 1; NaN for NaN, which never matches.
    """
    return penalised_scores(*compare_shifted(probe, references), cosines, penalty)


def penalised_scores(
    distances: NDArray[np.float32],
    shifts: NDArray[np.int64],
    cosines: NDArray[np.float32],
    penalty: VectorPenalty,
) -> NDArray[np.float32]:
    """Return ``fused_scores`` from the results of ``compare_shifted``."""
    penalised = np.float32(1) - distances - penalty.penalties(cosines, shifts)
    return np.asarray(np.maximum(penalised, np.float32(0)), np.float32)


def compare_codes(
    probe: NDArray[np.uint8], references: NDArray[np.uint8]
) -> NDArray[np.float32]:
    """Return the mean distances, 0 to 1, of codes, (n × 512,), and others, (count, n × 512)."""
    return compare_shifted(probe, references)[0]


def compare_shifted(
    probe: NDArray[np.uint8], references: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return ``compare_codes`` and the largest shift of a tile of the first, 0 to 4 cells."""
    own, theirs = codes_of(probe), codes_of(references).swapaxes(0, 1)
    distances, places = _align(own[0], theirs[0])
    if len(own) > 1:
        lead, lost, shown = (np.float32(each) for each in tuned.CODE_FINE_LEAD)
        seen = np.minimum(seen_shares(own[0]), seen_shares(theirs[0]))
        least = distances - lead + lost * np.maximum(shown - seen, np.float32(0))
        fine = np.maximum(_align(own[1], theirs[1])[0], least)
        distances = np.asarray((distances + fine) / 2, np.float32)
    return distances, _largest_moves()[places].max(axis=0)


@cache
def prepare() -> None:
    """Load or compile the kernels, which takes up to half a minute."""
    import_module("engine.comparison.kernels.prepare").prepare()


@cache
def _kernel() -> Callable[..., tuple[NDArray[Any], ...]]:
    """Import numba late: it is slow to load."""
    kernel: Callable[..., tuple[NDArray[Any], ...]]
    kernel = import_module("engine.comparison.kernels.tiles").align_codes
    return kernel


def _align(
    probe: NDArray[np.uint8], references: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return distances, shape (count,), and best places of both tilings, (2, count)."""
    ways, places, smooth = _kernel()(rows_of(probe), rows_of(references))
    distances = (ways[0] + ways[1]) / 2 + tuned.CODE_ROUGHNESS_COST * smooth
    return np.minimum(distances, 1.0).astype(np.float32), places


@cache
def _largest_moves() -> NDArray[np.int64]:
    shifts = np.arange(-tuned.CODE_MAX_SHIFT, tuned.CODE_MAX_SHIFT + 1)
    both = np.stack(np.meshgrid(shifts, shifts, indexing="ij"), axis=-1).reshape(-1, 1, 2)
    moved = np.abs(tile_displacements()[:, None] + both)
    cells = np.minimum(moved.max(axis=(2, 3)), tuned.CODE_FAR_CELLS)
    return np.asarray(cells.ravel(), np.int64)


def fuse(scores: NDArray[np.float32]) -> tuple[float, int]:
    """Fuse one group's scores, shape (probes, references): the best one.

    Returns:
        That score and its reference. NaN counts as −∞.
    """
    (score,), (best,) = fuse_groups(scores, np.array([0, scores.shape[1]]))
    return float(score), int(best)


def fuse_groups(
    scores: NDArray[np.float32], firsts: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Fuse the scores of several groups as ``fuse`` does.

    Groups lie side by side in ``scores``; ``firsts`` has each start and the end.
    """
    safe = np.where(np.isnan(scores), -np.inf, scores.astype(np.float64))
    best = safe.max(axis=0)
    starts, sizes = firsts[:-1], firsts[1:] - firsts[:-1]
    fused = np.maximum.reduceat(best, starts)
    (places,) = (best == fused.repeat(sizes)).nonzero()
    return fused, places[places.searchsorted(starts)]
