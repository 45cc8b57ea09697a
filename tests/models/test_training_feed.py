"""What a training is fed: the same palms and batches whoever draws them. Needs no torch."""

from dataclasses import replace

import numpy as np
import pytest

from models.errors import PlanRefused
from models.synthesis.crop.sample import CROP_PX, CropSampler
from models.synthesis.crop.style import FAMILY
from models.training.bank import draw_bank, draw_palm, palm_of, palm_shape
from models.training.feed import Feed, batch_labels, draw_batch
from models.training.plan import NetworkPlan, SittingRequest, TrainingPlan
from models.training.schedule import class_weight_at, margin_at, rate_at

PLAN = TrainingPlan(drawn=24, flips=2, batch_palms=16, batch_views=2, seed=9)


@pytest.fixture(scope="module")
def bank_file(tmp_path_factory):
    """Three families of drawn palms in a file."""
    path = tmp_path_factory.mktemp("bank") / "bank.palms"
    draw_bank(path, seed=PLAN.seed, count=PLAN.drawn, workers=1, advance=lambda _: None)
    return path


def test_a_bank_holds_the_palms_of_its_seed(bank_file):
    """A bank drawn by other processes is the one that would be drawn here."""
    bank = np.memmap(bank_file, np.uint8, "r", shape=palm_shape(PLAN.drawn))

    np.testing.assert_array_equal(bank[4], draw_palm(PLAN.seed, 4))


def test_a_bank_that_is_there_is_not_drawn_again(bank_file):
    """Sittings of one training share the bank; drawing takes minutes."""
    before = bank_file.stat().st_mtime_ns
    told: list[int] = []
    draw_bank(bank_file, seed=PLAN.seed, count=PLAN.drawn, workers=1, advance=told.append)

    assert bank_file.stat().st_mtime_ns == before
    assert told == [PLAN.drawn]


def test_a_drawn_palm_flipped_is_four_palms(bank_file):
    """Each flip is a palm of its own; none of them may be another."""
    bank = np.memmap(bank_file, np.uint8, "r", shape=palm_shape(PLAN.drawn))
    four = [palm_of(bank, 4 + flip, 4) for flip in range(4)]

    np.testing.assert_array_equal(four[0], bank[1])
    np.testing.assert_array_equal(four[3], bank[1][::-1, ::-1])
    assert len({palm.tobytes() for palm in four}) == 4


def test_every_palm_is_shown_once_a_round():
    """A palm that is never shown has a class that nothing teaches."""
    batches = [batch_labels(PLAN, number) for number in range(3)]
    shown = np.concatenate(batches).reshape(-1, PLAN.batch_views)

    assert sorted(shown[:, 0].tolist()) == list(range(PLAN.identities))
    assert (shown[:, 0] == shown[:, 1]).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_batches_do_not_depend_on_who_draws_them(bank_file, workers):
    """The same plan must teach the same on a laptop and on sixteen cores."""
    bank = np.memmap(bank_file, np.uint8, "r", shape=palm_shape(PLAN.drawn))
    expected = np.empty((PLAN.batch, CROP_PX, CROP_PX), np.int8)
    with Feed(PLAN, bank_file, workers=workers, first=2) as feed:
        given = [feed.next_batch() for _ in range(3)]

    for number, (inputs, labels) in enumerate(given, start=2):
        draw_batch(bank, CropSampler(PLAN.variation), PLAN, number, expected)
        np.testing.assert_array_equal(inputs[:, 0], expected)
        np.testing.assert_array_equal(labels, batch_labels(PLAN, number))


def test_the_rate_rises_and_falls():
    """Too high a rate at the first step throws a new network away."""
    rates = [rate_at(PLAN, share) for share in np.linspace(0, 1, 201)]

    assert rates[0] < 0.1 * PLAN.rate
    assert max(rates) == pytest.approx(PLAN.rate, rel=0.01)
    assert rates[-1] < 0.01 * PLAN.rate
    assert (np.diff(rates[10:]) <= 0).all()


def test_the_classes_teach_late():
    """Centres that are still anywhere would only disturb what the views teach."""
    assert class_weight_at(PLAN, 0.0) == 0
    assert class_weight_at(PLAN, 1.0) == 1


def test_the_margin_comes_after_the_warm_up():
    """A wide margin from the start stalls the network."""
    assert margin_at(PLAN, 0.0) == 0
    assert margin_at(PLAN, PLAN.margin_full) == pytest.approx(PLAN.margin)
    assert margin_at(PLAN, 1.0) == pytest.approx(PLAN.margin)


def test_palms_of_a_family_are_shown_together():
    """Side by side they are what the contrast is about."""
    palms = batch_labels(PLAN, 1)[:: PLAN.batch_views].reshape(-1, FAMILY)

    assert (palms // PLAN.flips // FAMILY == palms[:, :1] // PLAN.flips // FAMILY).all()
    assert (palms % PLAN.flips == palms[:, :1] % PLAN.flips).all()


@pytest.mark.parametrize("change", [{"drawn": 20}, {"batch_palms": 12}, {"batch_palms": 0}])
def test_a_plan_that_tears_families_apart_is_refused(change):
    """Batches would not have the size that the plan says."""
    with pytest.raises(PlanRefused):
        replace(PLAN, **change)


def test_a_request_changes_only_what_it_names(tmp_path):
    """A resumed training keeps its own plan."""
    plan = replace(PLAN, network=NetworkPlan(dimension=128))
    changed = SittingRequest(tmp_path, samples=5000).changed(plan)

    assert changed == replace(plan, samples=5000)
