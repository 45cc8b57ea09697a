"""One hand of one person: what all its photos share."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from engine.types import Hand
from models.synthesis.hand.atlas import Atlas, draw_atlas
from models.synthesis.hand.hand_shape import HandShape, make_shape
from models.synthesis.hand.skin import Skin, make_skin

_SHAPE, _SKIN, _PALM, _SHOT = range(4)
_SIDE: Final = {Hand.LEFT: 0, Hand.RIGHT: 1}


@dataclass(frozen=True, slots=True)
class HandIdentity:
    """One synthetic hand, modelled as a left one; skin colour is shared with the other hand."""

    hand: Hand
    shape: HandShape
    atlas: Atlas
    skin: Skin


@lru_cache(maxsize=4)
def make_identity(person_seed: int, hand: Hand) -> HandIdentity:
    """Make one hand of a person. Both share shape and colour, not the palm."""
    shape = make_shape(np.random.default_rng((person_seed, _SHAPE)))
    palm = np.random.default_rng((person_seed, _PALM, _SIDE[hand]))
    return HandIdentity(
        hand=hand,
        shape=shape,
        atlas=draw_atlas(palm, shape.joints),
        skin=make_skin(np.random.default_rng((person_seed, _SKIN))),
    )


def shot_rng(person_seed: int, hand: Hand, shot_seed: int) -> np.random.Generator:
    """Return the random source of one photo."""
    return np.random.default_rng((person_seed, _SHOT, _SIDE[hand], shot_seed))
