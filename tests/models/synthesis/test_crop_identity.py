"""Palms that nobody owns: drawn from a seed, in the order that palms have."""

import numpy as np
import pytest

from models.synthesis.crop.identity import LAYER_COUNT, LAYER_PX, draw_identity
from models.synthesis.crop.strokes import principal_lines
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


def test_a_palm_has_all_its_layers():
    """An empty layer would teach the network to look away from it."""
    palms = [_palm(seed, seed) for seed in range(12)]

    assert all(palm.shape == (LAYER_PX, LAYER_PX, LAYER_COUNT) for palm in palms)
    assert (np.mean([palm.std(axis=(0, 1)) for palm in palms], axis=0) > 4).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_three_lines_lie_as_on_a_palm(seed):
    """The heart line above the head line above the life line, where they pass each other."""
    (life, head, heart), _ = principal_lines(np.random.default_rng(seed))

    on_the_left, on_the_right = -0.5, 0.3
    assert _height(head, on_the_left) > _height(life, on_the_left) - 0.06
    assert _height(heart, on_the_right) > _height(head, on_the_right)


def test_lines_follow_the_published_statistics():
    """The head line's height at the middle: mean .154, deviation .134 over labelled palms."""
    heights = [
        _height(principal_lines(np.random.default_rng(seed))[0][1], 0.0) for seed in range(300)
    ]

    assert np.mean(heights) == pytest.approx(0.154, abs=0.05)
    assert np.std(heights) == pytest.approx(0.134, abs=0.04)


def test_lines_of_one_family_resemble_each_other():
    """Palms that are hard to tell apart teach the most."""
    heights = []
    for family in range(40):
        _, numbers = principal_lines(np.random.default_rng(family))
        siblings = [principal_lines(np.random.default_rng(s), numbers)[0] for s in range(4)]
        heights.append([_height(courses[1], 0.0) for courses in siblings])

    assert np.mean(np.std(heights, axis=1)) < 0.8 * np.std(heights)


def _palm(family, seed):
    """Draw one palm of a family."""
    framing = draw_framing(np.random.default_rng(1))
    style = draw_style(np.random.default_rng(family), framing)
    return draw_identity(style, np.random.default_rng(seed))


def _height(course, x):
    """Return y of a line at x, y up."""
    order = np.argsort(course[:, 0])
    return float(np.interp(x, course[order, 0], course[order, 1]))
