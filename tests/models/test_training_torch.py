"""The parts of a training that need torch; skipped where the extra ``train`` is missing."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra train (requirements-train.lock)")

checkpoint = pytest.importorskip("models.training.checkpoint")
loss = pytest.importorskip("models.training.loss")
network = pytest.importorskip("models.training.network")
train = pytest.importorskip("models.training.train")
bank = pytest.importorskip("models.training.bank")
plans = pytest.importorskip("models.training.plan")
errors = pytest.importorskip("models.errors")

PLAN = plans.TrainingPlan(
    network=plans.NetworkPlan(widths=(16, 16, 16), head_channels=8, dimension=32),
    drawn=16, flips=1, batch_palms=8, samples=64, classes_seen=8,
)  # fmt: skip


class Silent:
    """Is told how a training goes, and keeps quiet."""

    def advance(self, samples, share):
        """Nothing."""

    def say(self, text):
        """Nothing."""


def test_the_network_keeps_to_its_budget():
    """It has to run in a browser on a phone: 2 M numbers, 120 M multiplications."""
    palm_net = network.PalmNet(plans.NetworkPlan())

    assert network.parameter_count(palm_net) <= 2_000_000
    assert network.multiplication_count(palm_net) <= 120_000_000


def test_a_margin_makes_the_own_class_harder():
    """Without a margin it is the plain softmax; with one the loss rises."""
    teacher = loss.MarginLoss(6, 8, scale=16, classes_seen=6)
    templates = network.template_of(torch.randn(4, 8))
    labels = torch.tensor([0, 1, 2, 2])
    plain, _ = teacher(templates, labels, 0.0, torch.Generator())
    centres = torch.nn.functional.normalize(teacher.centres, dim=1)
    expected = torch.nn.functional.cross_entropy(16 * templates @ centres.T, labels)

    assert plain.item() == pytest.approx(expected.item(), rel=1e-4)
    assert teacher(templates, labels, 0.4, torch.Generator())[0] > plain


def test_a_part_of_the_classes_always_holds_the_own():
    """A sample whose class is not among the chosen could not be taught."""
    teacher = loss.MarginLoss(100, 8, scale=16, classes_seen=10)
    labels = torch.tensor([3, 99, 50, 50])
    seen, own = teacher._choose(labels, torch.Generator().manual_seed(1))

    assert len(seen) == 10
    assert seen[own].tolist() == labels.tolist()


def test_the_contrast_is_least_when_views_agree():
    """Views of one palm in one place, other palms far from it."""
    labels = torch.tensor([0, 0, 1, 1])
    apart = torch.eye(4)[[0, 0, 1, 1]]
    mixed = torch.eye(4)[[0, 1, 0, 1]]

    assert loss.contrastive_loss(apart, labels, 0.1) < 0.01
    assert loss.contrastive_loss(mixed, labels, 0.1) > 1


def test_a_training_goes_on_from_its_checkpoint(tmp_path):
    """Long trainings take several sittings."""
    palms = tmp_path / "bank.palms"
    bank.draw_bank(palms, seed=PLAN.seed, count=PLAN.drawn, workers=1, advance=lambda _: None)
    sitting = train.Sitting(
        device="cpu", minutes=None, fit=False, workers=1, compiled=False,
        checkpoint=tmp_path / "net.npz", log=tmp_path / "net.jsonl",
    )  # fmt: skip
    first = train.Trainer(replace(PLAN, samples=32), sitting, None)
    assert first.run(palms, Silent())
    resumed = train.Trainer(PLAN, sitting, sitting.checkpoint)

    assert resumed.samples == 32
    weight, kept = (t.network.project.weight.detach().numpy() for t in (first, resumed))
    np.testing.assert_allclose(kept, weight, atol=1e-3)
    assert resumed.run(palms, Silent())
    assert checkpoint.read_plan(sitting.checkpoint)[1] == 64


def test_what_is_no_checkpoint_is_refused(tmp_path):
    """A wrong file must be named as such, not fail inside a parser."""
    (tmp_path / "net.npz").write_bytes(b"no weights")

    with pytest.raises(errors.CheckpointFault):
        checkpoint.read_plan(tmp_path / "net.npz")
