"""The parts of a training that need torch; skipped where the extra ``train`` is missing."""

from dataclasses import fields, replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra train (requirements-train.lock)")

augment = pytest.importorskip("models.training.train")
checkpoint = pytest.importorskip("models.training.network")
loss = pytest.importorskip("models.training.train")
network = pytest.importorskip("models.training.network")
teacher = pytest.importorskip("models.training.sample_store")
train = pytest.importorskip("models.training.train")
store = pytest.importorskip("models.training.sample_store")
plans = pytest.importorskip("models.training.plan")
finalising = pytest.importorskip("models.training.finalise")
export = pytest.importorskip("models.export")
errors = pytest.importorskip("models.console")

PLAN = plans.TrainingPlan(
    network=plans.NetworkPlan(widths=(16, 16), head_channels=8, dimension=32, kept=24),
    drawn=16, drawn_views=2, unseen=8, settled=16, batch_palms=8, samples=64,
)  # fmt: skip

STILL = plans.Disturbance(**{field.name: 0 for field in fields(plans.Disturbance)})
"""Nothing is disturbed."""


def quiet(_):
    """Ignore the progress of a training."""


def test_the_network_keeps_to_its_budget():
    """It has to run in a browser on a phone: 2 M numbers, 120 M multiplications."""
    palm_net, counts = network.PalmNet(plans.NetworkPlan()).eval(), []
    for layer in palm_net.modules():
        if isinstance(layer, torch.nn.Conv2d | torch.nn.Linear):
            layer.register_forward_hook(
                lambda layer, _, output: counts.append(
                    output[0].numel() * layer.weight[0].numel()
                )
            )
    palm_net(torch.zeros(1, 6, 32, 32), torch.ones(1, 32, 32))

    assert sum(numbers.numel() for numbers in palm_net.parameters()) <= 2_000_000
    assert 0 < sum(counts) <= 120_000_000


def test_what_is_no_skin_does_not_reach_the_template():
    """The edge of a sleeve is no line of the palm."""
    palm_net = network.PalmNet(PLAN.network).eval()
    responses, seen = torch.randn(2, 6, 32, 32), torch.ones(2, 32, 32)
    seen[:, :10] = 0
    other = responses.clone()
    other[:, :, :10] = 30 * torch.randn(2, 6, 10, 32)

    torch.testing.assert_close(palm_net(responses, seen), palm_net(other, seen))


def test_a_moved_region_shows_no_skin_where_nothing_was():
    """Lines that come round from the other edge would be lines that are not there."""
    responses = torch.arange(32.0).repeat(8, 6, 32, 1)
    by = replace(STILL, shift=3)
    moved, seen = augment.disturb(
        responses, torch.ones(8, 32, 32), by, torch.Generator().manual_seed(4)
    )

    steps = torch.diff(moved, dim=3)
    both = (seen[:, :, 1:] * seen[:, :, :-1])[:, None].expand_as(steps) > 0
    assert (steps[both] == 1).all()
    assert (seen == 0).any()


def test_distilling_asks_for_what_the_teacher_says():
    """Near where the code sees likeness, far where it sees none, whatever the labels say."""
    scores = torch.tensor([[[1.0, 0.8, 0.6], [0.8, 1.0, 0.6], [0.6, 0.6, 1.0]]])
    alike = torch.nn.functional.normalize(torch.tensor([[1.0, 0], [1, 0.1], [0, 1]]), dim=1)
    twisted = alike[[0, 2, 1]]

    near, far = (loss.distilling_loss(t, scores, 0.07, 0.02) for t in (alike, twisted))
    assert near < 0.35 * far
    pairs = torch.cat([alike, twisted])
    both = loss.distilling_loss(pairs, scores.repeat(2, 1, 1), 0.07, 0.02)
    torch.testing.assert_close(both, (near + far) / 2)


def taught(path, seed):
    """Write a teacher's scores by chance; return their file."""
    chance = np.random.default_rng(seed)
    chance.random(teacher.scores_shape(PLAN), np.float32).astype(np.float16).tofile(path)
    return path


def test_the_code_teaches_a_training(tmp_path):
    """Other scores, another network."""
    palms = tmp_path / "net.lines"
    store.draw_store(palms, PLAN, workers=1, advance=quiet)
    request = plans.SessionRequest(tmp_path / "net.npz")
    learnt: list[np.ndarray] = []
    for seed in (1, 2):
        scores = taught(tmp_path / "net.scores", seed)
        trainer = train.Trainer(replace(PLAN, samples=32), request)
        assert trainer.run(palms, scores, quiet, quiet)
        learnt.append(trainer.network.project.weight.detach().numpy().copy())

    assert np.abs(learnt[0] - learnt[1]).max() > 1e-5


def test_a_training_goes_on_from_its_checkpoint(tmp_path):
    """Long trainings take several sessions."""
    palms = tmp_path / "net.lines"
    store.draw_store(palms, PLAN, workers=1, advance=quiet)
    request = plans.SessionRequest(tmp_path / "net.npz")
    scores = taught(tmp_path / "net.scores", 1)
    first = train.Trainer(replace(PLAN, samples=32), request)
    assert first.run(palms, scores, quiet, quiet)
    resumed = train.Trainer(PLAN, replace(request, resume=request.out))

    assert resumed.samples == 32
    weight, kept = (t.network.project.weight.detach().numpy() for t in (first, resumed))
    np.testing.assert_allclose(kept, weight, atol=1e-3)
    assert resumed.run(palms, scores, quiet, quiet)
    assert checkpoint.read_plan(request.out)[1] == 64


def test_settling_makes_what_strays_small():
    """A direction in which samples of one palm differ must not tell palms apart."""
    chance = np.random.default_rng(3)
    palms = chance.normal(0, 1, (400, 1, 12)) + 5
    strays = chance.normal(0, 1, (400, 2, 12)) * np.r_[np.full(6, 3.0), np.full(6, 0.1)]
    mean, matrix = finalising.fit_joint(palms + strays, kept=12)

    np.testing.assert_allclose(mean, 5, atol=0.6)
    steady, unsteady = (np.linalg.norm(matrix[half]) for half in (slice(6, 12), slice(6)))
    assert matrix.shape == (12, 12)
    assert steady > 1.8 * unsteady


def test_a_training_is_finished_by_settling(tmp_path):
    """The exported graph joins the network with oriented energy; its output has norm 1."""
    palm_net, joint = network.PalmNet(PLAN.network), network.Joint(PLAN.network)
    finalising.finalise(palm_net, joint, PLAN, "cpu", quiet)
    responses, seen = 7 * torch.randn(3, 6, 32, 32), torch.ones(3, 32, 32)
    energy = network.template_of(torch.randn(3, 384))
    templates = joint(network.template_of(palm_net.eval()(responses, seen)), energy)

    assert templates.shape == (3, PLAN.network.kept)
    np.testing.assert_allclose(templates.norm(dim=1).detach(), 1, atol=1e-5)


def test_an_unfinished_training_is_not_exported(tmp_path):
    """Its checkpoint lacks the last step; the error must say so before a file is written."""
    checkpoint.save_checkpoint(
        tmp_path / "net.npz", PLAN, 5, network=network.PalmNet(PLAN.network)
    )

    with pytest.raises(errors.CheckpointFault, match="not finished"):
        export.load_network(tmp_path / "net.npz")
