"""Palms that nobody owns: drawn from a seed, in the order that palms have."""

import numpy as np

from models.synthesis.crop.identity import LAYER_COUNT, draw_identity
from models.synthesis.crop.style import draw_framing, draw_style


def test_the_same_seed_draws_the_same_palm():
    """A training that is resumed must meet the palms it began with."""
    first, again = (_palm(3, 5) for _ in range(2))

    np.testing.assert_array_equal(first, again)


def test_another_seed_draws_another_palm():
    """Two palms of one family that are alike would be taught as different."""
    one, other = (_palm(3, seed) for seed in (5, 6))

    for layer in range(LAYER_COUNT):
        first, second = (palm[..., layer].ravel().astype(float) for palm in (one, other))
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.5


def _palm(family, seed):
    """Draw one palm of a family."""
    framing = draw_framing(np.random.default_rng(1))
    style = draw_style(np.random.default_rng(family), framing)
    return draw_identity(style, np.random.default_rng(seed))
