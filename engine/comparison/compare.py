"""Two templates become a comparison score: exact and symmetric.

It is the score of their codes, lowered where their vectors are less alike than those of mates
are (``vector_penalty``). Whatever decides, decides by it: searches, verifications, duplicates.

The codes are laid over each other at every shift of up to seven cells in x and y, turned and
zoomed a little in every pose of ``engine/poses``: no two croppers, and no two pictures, place a
palm alike. A palm is no plate: everywhere, each tile of 8 × 8 cells may move one cell further
on its own. The distance is the mean difference of the directions where both codes have cells,
at the best place, averaged over cutting the one code into tiles or the other, and the more the
smoother the codes are (``engine/roughness_deficit``).

A tile is a few machine words, so a comparison is XOR and population count, in the compiled
loop of ``engine.comparison.kernels.tiles``.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from engine.comparison.alignment_poses import tile_displacements
from engine.comparison.vector_penalty import load_vector_penalty
from engine.errors import ExtractorMismatch, TemplateRefused
from engine.features.code_bytes import rows_of
from engine.features.roughness import roughness_deficit
from engine.parameters import (
    CODE_BYTES,
    CODE_FAR_CELLS,
    CODE_MAX_SHIFT,
    CODE_ROUGHNESS_COST,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from engine.comparison.vector_penalty import VectorPenalty
    from engine.types import PalmTemplate


def compare(probe: PalmTemplate, reference: PalmTemplate) -> float:
    """Return the comparison score of two templates.

    Returns:
        0 to 1, higher is more similar, symmetric; 1 for equal templates of a sharp palm, all
        of whose cells show skin. Different palms score about 0.6, because the best of many
        places counts.

    Raises:
        ExtractorMismatch: the templates are of two extractors or of two sides of the body.
        TemplateRefused: a code or a vector has the wrong size.
    """
    return float(compare_many(probe, [reference])[0])


def compare_many(
    probe: PalmTemplate, references: Sequence[PalmTemplate]
) -> NDArray[np.float32]:
    """Return the comparison scores of a probe and each reference, shape (count,), float32.

    Each is the same alone and among others, to the last bit.

    Raises:
        ExtractorMismatch: a reference is of another extractor or side of the body.
        TemplateRefused: a code or a vector has the wrong size.
    """
    for reference in references:
        if (reference.extractor, reference.hand) != (probe.extractor, probe.hand):
            raise ExtractorMismatch("templates of two extractors or two sides do not compare")
    if any(template.code.shape != (CODE_BYTES,) for template in (probe, *references)):
        raise TemplateRefused("a code has the wrong size")
    if any(reference.vector.shape != probe.vector.shape for reference in references):
        raise TemplateRefused("a vector has the wrong size")
    if not references:
        return np.zeros(0, np.float32)
    # Not a matrix product: its last bits depend on how many vectors there are.
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
    """Return comparison scores by codes, and by vectors of which only the cosines are known.

    Args:
        probe: code, shape (512,).
        references: codes, shape (count, 512).
        cosines: of the vectors of the probe and each reference, shape (count,).
        penalty: of the extractor.

    Returns:
        Shape (count,), float32, 0 to 1, never more than the codes alone; not a number where a
        cosine is none: that never matches.
    """
    return penalised_scores(*compare_shifted(probe, references), cosines, penalty)


def penalised_scores(
    distances: NDArray[np.float32],
    shifts: NDArray[np.int64],
    cosines: NDArray[np.float32],
    penalty: VectorPenalty,
) -> NDArray[np.float32]:
    """Return what ``fused_scores`` does of codes that ``compare_shifted`` compared before."""
    penalised = np.float32(1) - distances - penalty.penalties(cosines, shifts)
    return np.asarray(np.maximum(penalised, np.float32(0)), np.float32)


def compare_codes(
    probe: NDArray[np.uint8], references: NDArray[np.uint8]
) -> NDArray[np.float32]:
    """Return the distances of a code, shape (512,), and codes, shape (count, 512).

    Returns:
        Shape (count,), float32, 0 (equal, and of a sharp palm) to 1 (every direction at right
        angles).
    """
    return _align(probe, references)[0]


def compare_shifted(
    probe: NDArray[np.uint8], references: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Compare as ``compare_codes`` does, and tell how far apart the palms lay.

    Returns:
        The distances, and how many cells the tile that was moved furthest lies off, shape
        (count,), 0 to 4: the larger of x and y, of both ways of cutting into tiles; 4 stands
        for more, too. Symmetric like the distances.
    """
    distances, places = _align(probe, references)
    return distances, _largest_moves()[places].max(axis=0)


def prepare() -> None:
    """Load or compile what compares, so that the first search need not: up to some seconds."""
    compare_codes(np.zeros(CODE_BYTES, np.uint8), np.zeros((1, CODE_BYTES), np.uint8))


@cache
def _kernel() -> Callable[..., tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """Return the compiled loop: whoever compares nothing does not load the compiler."""
    kernel: Callable[..., tuple[NDArray[np.float64], NDArray[np.int64]]]
    kernel = import_module("engine.comparison.kernels.tiles").align_codes
    return kernel


def _align(
    probe: NDArray[np.uint8], references: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the distances, shape (count,), and the best places of both ways, (2, count)."""
    ways, places = _kernel()(rows_of(probe), rows_of(references))
    smooth = (roughness_deficit(probe) + roughness_deficit(references)) / 2
    distances = (ways[0] + ways[1]) / 2 + CODE_ROUGHNESS_COST * smooth
    return np.minimum(distances, 1.0).astype(np.float32), places


@cache
def _largest_moves() -> NDArray[np.int64]:
    """Return how far the furthest tile is moved at each place, shape (poses × shifts²,)."""
    shifts = np.arange(-CODE_MAX_SHIFT, CODE_MAX_SHIFT + 1)
    both = np.stack(np.meshgrid(shifts, shifts, indexing="ij"), axis=-1).reshape(-1, 1, 2)
    moved = np.abs(tile_displacements()[:, None] + both)
    return np.asarray(np.minimum(moved.max(axis=(2, 3)), CODE_FAR_CELLS).ravel(), np.int64)
