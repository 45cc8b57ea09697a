"""The parts of a training that need torch; skipped where the extra ``train`` is missing."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra train (requirements-train.lock)")

network = pytest.importorskip("models.training.network")
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


def taught(path, seed):
    """Write a teacher's scores by chance; return their file."""
    chance = np.random.default_rng(seed)
    chance.random(store.scores_shape(PLAN), np.float32).astype(np.float16).tofile(path)
    return path


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
    assert network.read_plan(request.out)[1] == 64


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
    network.save_checkpoint(
        tmp_path / "net.npz", PLAN, 5, network=network.PalmNet(PLAN.network)
    )

    with pytest.raises(errors.ModelsError, match="not finished"):
        export.load_network(tmp_path / "net.npz")
