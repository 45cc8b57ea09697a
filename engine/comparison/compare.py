"""The comparison score of two templates: exact and symmetric.

The codes' score minus the vector penalty. Codes are aligned at every shift of up to seven cells
in every pose; each 8 × 8 tile may move one more cell, because palms bend. The distance is the
mean difference of unmasked directions at the best place, averaged over tiling either code, plus
a cost for smooth codes (``kernels.roughness``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.comparison.alignment_poses import tile_displacements
from engine.comparison.vector_penalty import VectorPenalty, load_vector_penalty
from engine.errors import ExtractorMismatch, TemplateRefused
from engine.features.code_bytes import rows_of
from engine.types import PalmTemplate


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
    if any(template.code.shape != (tuned.CODE_BYTES,) for template in (probe, *references)):
        raise TemplateRefused("a code has the wrong size")
    if any(reference.vector.shape != probe.vector.shape for reference in references):
        raise TemplateRefused("a vector has the wrong size")
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

    Codes have shapes (512,) and (count, 512), cosines (count,).

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
    """Return the distances, 0 to 1, of a code, shape (512,), and codes, shape (count, 512)."""
    return _align(probe, references)[0]


def compare_shifted(
    probe: NDArray[np.uint8], references: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return ``compare_codes`` and the largest shift of a tile there, 0 to 4 cells."""
    distances, places = _align(probe, references)
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
