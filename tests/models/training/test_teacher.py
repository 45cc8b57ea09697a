"""The competitive code as a teacher beside the labels. Needs no torch."""

import numpy as np

from engine.comparison.compare import compare_codes
from engine.features.code_bytes import pack_code
from models.training.plan import TrainingPlan
from models.training.sample_store import open_scores, score_samples, score_store, scores_shape

PLAN = TrainingPlan(drawn=16, drawn_views=2, batch_palms=8, seed=9)


def cells_of(directions, seen=None):
    """Return cells whose lowest response is of these directions."""
    cells = np.full((7, 32, 32), 20, np.int8)
    np.put_along_axis(cells[:6], directions[None], -50, axis=0)
    cells[6] = 1 if seen is None else seen
    return cells


def test_the_teacher_gives_the_scores_of_the_code():
    """A network taught by another comparison than the one that decides learns beside it."""
    chance = np.random.default_rng(2)
    directions = chance.integers(0, 6, (3, 32, 32))
    seen = chance.random((3, 32, 32)) > 0.2
    codes = [pack_code(*pair) for pair in zip(directions, seen, strict=True)]
    cells = [cells_of(*pair) for pair in zip(directions, seen, strict=True)]
    scores = score_samples(np.stack(cells))

    expected = [1 - compare_codes(code, np.stack(codes)) for code in codes]
    np.testing.assert_array_equal(scores, scores.T)
    np.testing.assert_array_equal(np.diag(scores), 1)
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(scores[off], np.stack(expected)[off], atol=1e-3)


def test_scores_are_made_once_and_group_by_group(tmp_path):
    """Sessions of one training share them; only palms of one sensor are compared."""
    chance = np.random.default_rng(4)
    store = chance.integers(-50, 50, (16, 2, 7, 32, 32)).astype(np.int8)
    store.tofile(tmp_path / "net.lines")
    done: list[int] = []
    for _ in range(2):
        score_store(
            tmp_path / "net.scores",
            tmp_path / "net.lines",
            PLAN,
            workers=1,
            advance=done.append,
        )

    scores = open_scores(tmp_path / "net.scores", PLAN)
    assert scores.shape == scores_shape(PLAN) == (2, 16, 16)
    second = score_samples(store[8:].reshape(-1, 7, 32, 32))
    np.testing.assert_array_equal(scores[1], second)
    assert done == [8, 8, 16]
