"""Every comparison by every method, and what a search among them finds."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy.acquisition import Acquired
from benchmarks.accuracy.plan import Plan, plan_comparisons
from benchmarks.accuracy.rates.checks import gallery_sizes
from benchmarks.accuracy.rates.evaluation import FPIRS, identification
from benchmarks.accuracy.scoring.compare_all import (
    ABSENT,
    Compared,
    ComparisonContext,
    compare_all,
)
from benchmarks.accuracy.scoring.matcher import CLAIMED, CODE, FUSED, VECTOR, Features
from benchmarks.datasets import Picture
from engine.comparison.alignment import compare_claimed
from engine.comparison.compare import VectorPenalty, compare_codes, load_vector_penalty
from engine.decision.calibration import load_calibration
from engine.types import Hand
from tests.engine.comparison.test_alignment import template as bent_template
from tests.support.palms.vector_templates import EXTRACTOR

METHODS = (CODE, VECTOR)
PENALTY = VectorPenalty(0.1, (0.9, 0.8, 0.7, 0.6, 0.5))


def made_up(palms: int = 6, shots: int = 4, unknown: int = 2) -> tuple[Plan, Features]:
    """Return the plan of palms whose codes and vectors are their own, with noise."""
    rng = np.random.default_rng(5)
    identities = [f"p{palm}" for palm in range(palms) for _ in range(shots)]
    pictures = [Picture(Path("x"), name, "L", "hand", name, "1") for name in identities]
    pictures += [Picture(Path("x"), "", "L", "hand", "", "")] * unknown
    acquired = [
        Acquired(row, Hand.LEFT, np.zeros(512, np.uint8), ()) for row in range(len(pictures))
    ]
    plan = plan_comparisons(pictures, acquired)
    count = len(pictures)
    own = np.where(plan.identities < 0, palms + np.arange(count), plan.identities)
    codes = rng.integers(0, 256, (palms + count, 512), np.uint8)[own]
    codes[:, 384:] = 255
    flips = rng.random((count, 384)) < 0.2
    codes[:, :384] ^= flips.astype(np.uint8) * 3
    vectors = rng.normal(0, 1, (palms + count, 16))[own] + rng.normal(0, 0.6, (count, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return plan, Features(codes, {VECTOR: vectors.astype(np.float32)}, PENALTY)


def compared(workers: int = 1) -> tuple[Plan, Features, Compared]:
    """Compare the made-up palms."""
    plan, features = made_up()
    done: list[int] = []
    result = compare_all(
        ComparisonContext(plan, features, METHODS), workers=workers, advance=done.append
    )
    assert sum(done) == plan.comparison_counts().sum()
    return plan, features, result


def test_each_pair_has_the_score_of_its_method():
    """Scores and pairs are written apart and must stay together."""
    plan, features, result = compared()

    for scores, pairs in (
        (result.mated, result.mated_pairs),
        (result.nonmated, result.nonmated_pairs),
    ):
        for place in range(0, len(pairs), 7):
            probe, reference = pairs[place]
            one, other = features.codes[probe], features.codes[[reference]]
            assert scores[CODE][place] == 1 - compare_codes(one, other)[0]
            cosine = features.vectors[VECTOR][probe] @ features.vectors[VECTOR][reference]
            assert scores[VECTOR][place] == pytest.approx(cosine, abs=1e-6)
    of_mated = plan.identities[result.mated_pairs]
    assert np.all(of_mated[:, 0] == of_mated[:, 1])
    of_others = plan.identities[result.nonmated_pairs]
    assert np.all(of_others[:, 0] != of_others[:, 1])


def test_the_claimed_score_is_the_one_that_a_verification_decides_by():
    """A bent palm is laid over the other; other palms are not raised."""
    made = [bent_template(0, 1, bent=0.05), *(bent_template(palm) for palm in range(3))]
    codes, vectors = (np.stack([getattr(t, name) for t in made]) for name in ("code", "vector"))
    penalty, dense = load_vector_penalty(EXTRACTOR), [each.dense for each in made]
    features = Features(codes, {VECTOR: vectors}, penalty, dense=dense)

    claimed, fused = (features.scores(name, 0, 1, len(made)) for name in (CLAIMED, FUSED))

    assert claimed == pytest.approx(compare_claimed(made[0], made[1:]), abs=1e-6)
    assert claimed[0] > fused[0] + 0.01


def test_a_search_finds_what_looking_at_all_pairs_finds():
    """Mate, rank and the best rival, counted the slow way."""
    plan, features, result = compared()
    searches = result.searches
    gallery = np.flatnonzero(np.arange(len(plan.rows)) < plan.gallery_ends)

    for place, probe in enumerate(np.flatnonzero(plan.is_probe)):
        scores = features.vectors[VECTOR][gallery] @ features.vectors[VECTOR][probe]
        best = {
            palm: scores[plan.identities[gallery] == palm].max()
            for palm in set(plan.identities[gallery].tolist())
        }
        own = int(plan.identities[probe])
        mate = best.get(own, ABSENT)
        assert searches[place, 1, 0] == pytest.approx(mate, abs=1e-6)
        better = sum(score > mate + 1e-7 for palm, score in best.items() if palm != own)
        assert searches[place, 1, 1] == (1 + better if own in best else 0)
        rivals = [score for palm, score in best.items() if palm != own]
        assert searches[place, 1, 2] == pytest.approx(max(rivals), abs=1e-6)


def test_open_set_errors_are_counted_with_and_without_the_mate():
    """By hand: four probes with mates, one without, thresholds from the non-mated ones."""
    plan, _ = made_up(palms=4, shots=2, unknown=1)
    mate = np.array([0.9, 0.5, 0.9, 0.3, ABSENT], np.float32)[:, None]
    rank = np.array([1, 1, 1, 2, 0], np.int32)[:, None]
    rivals = np.array([0.4, 0.4, 0.4, 0.45, 0.6], np.float32)[:, None]
    nothing = np.zeros((0, 2), np.int32)
    searches = np.stack([mate, rank, rivals], axis=-1)
    result = Compared({}, {}, nothing, nothing, searches, {}, 0.0)

    numbers = identification(result, plan, 0)

    assert numbers["rank_1"]["count"] == 3
    assert [point["fpir_target"] for point in numbers["open_set"]] == list(FPIRS)
    point = numbers["open_set"][0]
    assert (point["fpir"]["count"], point["fpir"]["total"]) == (0, 5)
    assert point["threshold"] == pytest.approx(0.6)
    assert (point["fnir"]["count"], point["fnir"]["total"]) == (2, 4)


def test_a_person_is_missed_below_the_threshold_of_the_gallery_s_size():
    """The best of three references counts, no probe, and no palm too far to be laid over."""
    palms = [(who, hand) for who in "ab" for hand in "LR" for _ in range(8)]
    pictures = [Picture(Path("x"), who + hand, hand, "roi", who) for who, hand in palms]
    acquired = [Acquired(row, Hand.LEFT, np.zeros(512, np.uint8), ()) for row in range(32)]
    plan = plan_comparisons(pictures, acquired)
    every, is_mated = plan.pairs()
    pairs, scores, plain = every[is_mated], [], []
    for probe, reference in pairs:
        score = 0.64 if plan.rows[probe] in range(8, 16) else 0.7
        is_third = plan.rows[reference] % 8 == 2
        scores.append(score if is_third else 0.99 * plan.is_probe[reference])
        plain.append(0.6 if plan.rows[probe] >= 24 else scores[-1])

    given = np.array(scores), np.array(plain), pairs, plan, load_calibration(EXTRACTOR)
    sizes = gallery_sizes(*given)

    # A hundred people; a thousand million; as many, with two pictures an attempt.
    chosen = [sizes[place]["one_palm"]["fnir"] for place in (0, 7, 15)]
    assert [(fnir["count"], fnir["total"]) for fnir in chosen] == [(10, 20), (10, 20), (4, 8)]
