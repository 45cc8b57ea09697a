"""Templates made from seeds: random unit vectors and codes."""

from dataclasses import replace
from uuid import UUID

import numpy as np

from engine.features.code_bytes import pack_code
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS
from engine.types import ExtractorId, GroupId, Hand, PalmTemplate, Reference, ReferenceId

FAKE_EXTRACTOR = ExtractorId("fake-1")
FAKE_DIMENSION = 16


def template_of(
    seed: int, *, hand: Hand = Hand.LEFT, noise: float = 0.0, sample: int = 0
) -> PalmTemplate:
    """The template of the palm ``seed``.

    Args:
        seed: which palm.
        hand: side of the body.
        noise: how much one picture of the palm differs from it: standard deviation of each
            number against the palm's own, and share of the code's cells that are redrawn.
        sample: which picture.
    """
    palm, picture = np.random.default_rng(seed), np.random.default_rng((seed, sample))
    vector = palm.standard_normal(FAKE_DIMENSION)
    vector += noise * picture.standard_normal(FAKE_DIMENSION)
    shape = CODE_CELLS, CODE_CELLS
    own, other = palm.integers(0, CODE_DIRECTIONS, (2, *shape))
    directions = np.where(picture.random(shape) < noise, other, own)
    unit = (vector / np.linalg.norm(vector)).astype(np.float32)
    return PalmTemplate(FAKE_EXTRACTOR, hand, unit, pack_code(directions, np.ones(shape, bool)))


def reference_of(
    number: int, group: int, *, hand: Hand = Hand.LEFT, noise: float = 0.0
) -> Reference:
    """Reference ``number`` of the palm and group ``group``."""
    template = template_of(group, hand=hand, noise=noise, sample=number)
    return Reference(reference_id(number), group_id(group), template)


def reference_id(number: int) -> ReferenceId:
    """A reference's identifier."""
    return ReferenceId(UUID(int=number, version=4))


def group_id(number: int) -> GroupId:
    """A group's identifier."""
    return GroupId(UUID(int=1_000_000 + number, version=4))


def other_extractor(template: PalmTemplate, extractor: ExtractorId) -> PalmTemplate:
    """The same arrays, as if another extractor had made them."""
    return replace(template, extractor=extractor)
