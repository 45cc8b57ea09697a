"""Two templates become a comparison score: exact and symmetric.

It is the score of their codes, lowered where their vectors are less alike than those of mates
are (``engine/doubt``). Whatever decides, decides by it: searches, verifications, duplicates.

The codes are laid over each other at every shift of up to four cells in x and y. A palm is
no plate: at each shift, every tile of 8 × 8 cells may move one cell further on its own. The
distance is the mean difference of the directions where both codes have cells, at the best
shift, averaged over cutting the one code into tiles or the other.

A tile of one bit plane is one machine word, so a comparison is XOR and population count, in
the compiled loop of ``engine.tile_distances``.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.codes import rows_of
from engine.doubt import doubt_of
from engine.errors import ExtractorMismatch, TemplateRefused
from engine.parameters import (
    CODE_BYTES,
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_MAX_SHIFT,
    CODE_STRANGE_DISTANCE,
    CODE_TILE_CELLS,
    CODE_TILE_MIN_CELLS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from engine.doubt import Doubt
    from engine.types import PalmTemplate

_SHIFTS: Final = 2 * CODE_MAX_SHIFT + 1
"""Shifts in x, and in y."""

_ONE: Final = 1 << 20
"""Distance 1 in the whole numbers that are computed with: sums do not depend on their order,
so a comparison is symmetric to the last bit, alone or among many. 1024 cells fit 32 bits."""


def compare(probe: PalmTemplate, reference: PalmTemplate) -> float:
    """Return the comparison score of two templates.

    Returns:
        0 to 1, higher is more similar, symmetric; 1 for equal templates all of whose cells
        show skin. Different palms score about 0.6, because the best of many shifts counts.

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
    return fused_scores(probe.code, codes, products.sum(axis=1), doubt_of(probe.extractor))


def fused_scores(
    probe: NDArray[np.uint8],
    references: NDArray[np.uint8],
    cosines: NDArray[np.float32],
    doubt: Doubt,
) -> NDArray[np.float32]:
    """Return comparison scores by codes, and by vectors of which only the cosines are known.

    Args:
        probe: code, shape (512,).
        references: codes, shape (count, 512).
        cosines: of the vectors of the probe and each reference, shape (count,).
        doubt: of the extractor.

    Returns:
        Shape (count,), float32, 0 to 1, never more than the codes alone; not a number where a
        cosine is none: that never matches.
    """
    distances, shifts = compare_shifted(probe, references)
    doubted = np.float32(1) - distances - doubt.taken(cosines, shifts)
    return np.asarray(np.maximum(doubted, np.float32(0)), np.float32)


def compare_codes(
    probe: NDArray[np.uint8], references: NDArray[np.uint8]
) -> NDArray[np.float32]:
    """Return the distances of a code, shape (512,), and codes, shape (count, 512).

    Returns:
        Shape (count,), float32, 0 (equal) to 1 (every direction at right angles).
    """
    ways = _by_shift(probe, references).min(axis=2)
    return np.asarray((ways[0] + ways[1]) / 2, np.float32)


def compare_shifted(
    probe: NDArray[np.uint8], references: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Compare as ``compare_codes`` does, and tell how far apart the palms lay.

    Returns:
        The distances, and the best shifts in cells, shape (count,), 0 to 4: the larger of x and
        y, of both ways of cutting into tiles. Symmetric like the distances.
    """
    ways = _by_shift(probe, references)
    distances = ways.min(axis=2)
    across, along = np.divmod(ways.argmin(axis=2), _SHIFTS)
    far = np.abs(np.stack([across, along]) - CODE_MAX_SHIFT).max(axis=(0, 1))
    return np.asarray((distances[0] + distances[1]) / 2, np.float32), far


def prepare() -> None:
    """Load or compile what compares, so that the first search need not: up to some seconds."""
    compare_codes(np.zeros(CODE_BYTES, np.uint8), np.zeros((1, CODE_BYTES), np.uint8))


@cache
def _kernel() -> Callable[..., NDArray[np.int32]]:
    """Return the compiled loop: whoever compares nothing does not load the compiler."""
    kernel: Callable[..., NDArray[np.int32]]
    kernel = import_module("engine.tile_distances").lay_over_each_other
    return kernel


def _by_shift(probe: NDArray[np.uint8], references: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the distances at every shift, shape (2, count, shifts): either code in tiles."""
    sums = _kernel()(rows_of(probe), rows_of(references), _quotients())
    flat = sums.reshape(2, len(references), 2, _SHIFTS**2)
    differences, cells = flat[:, :, 0], flat[:, :, 1]
    distances = differences / (np.maximum(cells, 1) * float(_ONE))
    certainty = np.sqrt(cells / CODE_CELLS**2)
    return np.asarray(
        CODE_STRANGE_DISTANCE - (CODE_STRANGE_DISTANCE - distances) * certainty, np.float64
    )


@cache
def _quotients() -> NDArray[np.int32]:
    """Distance of a tile by how many cells count and how many bits differ, shape (65, 193).

    Tiles of hardly any cell say nothing: they are as far as those of strangers.
    """
    cells = np.arange(CODE_TILE_CELLS**2 + 1)[:, None]
    most = CODE_DIRECTIONS // 2
    bits = np.arange(most * CODE_TILE_CELLS**2 + 1)[None]
    known = np.minimum(bits / np.maximum(most * cells, 1), 1)
    quotients = np.where(cells < CODE_TILE_MIN_CELLS, CODE_STRANGE_DISTANCE, known)
    return np.asarray(np.rint(_ONE * quotients), np.int32)
