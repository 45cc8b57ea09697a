"""Detects templates that no picture gives: a code with another's vector, or a patchwork.

Whoever mixes codes cell by cell mixes vectors as a whole. A forger who computes the vector from
the mixed code passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.features.code_bytes import directions_of, seen_of
from engine.features.oriented_energy import describe_energy
from engine.features.reference_extractor import CLASSICAL_EXTRACTOR
from engine.features.roughness import roughness_of
from engine.features.whitening import whiten
from engine.parameters import (
    CODE_CELLS,
    CODE_DIRECTIONS,
    PLAUSIBLE_AGREEMENT,
    PLAUSIBLE_ROUGHNESS,
    ROI_SIZE_PX,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.types import PalmTemplate


def is_plausible(samples: Sequence[PalmTemplate]) -> bool:
    """Tell whether templates of one palm look as if pictures gave them.

    Extractors whose vectors the code does not foretell are not judged.
    """
    if any(sample.extractor != CLASSICAL_EXTRACTOR for sample in samples):
        return True
    if any(roughness_of(sample.code) > PLAUSIBLE_ROUGHNESS for sample in samples):
        return False
    return float(np.mean([vector_agreement(each) for each in samples])) >= PLAUSIBLE_AGREEMENT


def vector_agreement(template: PalmTemplate) -> float:
    """Return the cosine of a vector and the one its code foretells, for palms about 0.7."""
    return float(_foretold(template.code) @ template.vector)


def _foretold(code: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the vector of lines that are equally strong, shape (384,)."""
    has_line = directions_of(code) == np.arange(CODE_DIRECTIONS)[:, None, None]
    energy = (has_line & seen_of(code)).astype(np.float32)
    scale = ROI_SIZE_PX // CODE_CELLS
    return whiten(describe_energy(energy.repeat(scale, axis=1).repeat(scale, axis=2)))
