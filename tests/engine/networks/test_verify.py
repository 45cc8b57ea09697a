"""Verifying: every network of the manifest is named, with what is wrong with it."""

import hashlib
import tomllib

import pytest
from typer.testing import CliRunner

from engine.__main__ import app
from engine.networks.onnx_model import network_faults
from engine.settings import EngineSettings
from tests.support.palms.small_network import NETWORK

MANIFEST = """
[models.small]
file = "small.onnx"
sha256 = "{sha256}"
inputs = {{ picture = {shape} }}
outputs = {{ result = [1, 2, 2, 3] }}
"""


@pytest.fixture
def settings(tmp_path):
    """Give settings of a manifest with one small network, which is in place."""
    write(tmp_path, NETWORK)
    return EngineSettings(manifest=tmp_path / "manifest.toml", weights_dir=tmp_path)


def write(folder, data, *, shape=(1, 2, 2, 3)):
    """Write a manifest and a file that agree."""
    digest = hashlib.sha256(data).hexdigest()
    (folder / "small.onnx").write_bytes(data)
    manifest = MANIFEST.format(sha256=digest, shape=list(shape))
    (folder / "manifest.toml").write_text(manifest, encoding="utf-8")


def fault(settings):
    """Return what is wrong with the small network."""
    return network_faults(settings)["small"]


def test_a_network_that_is_whole_has_no_fault(settings):
    """Digest, loading, inputs and outputs."""
    assert fault(settings) == ""


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "install Thenar again"),
        (NETWORK[:-1] + bytes([NETWORK[-1] ^ 1]), "damaged or another"),
        (b"not a network", "damaged or another"),
    ],
)
def test_a_missing_or_changed_network_is_reported(settings, data, said):
    """With the remedy, and before a parser meets a file of unknown origin."""
    path = settings.weights_dir / "small.onnx"
    path.unlink() if data is None else path.write_bytes(data)

    assert said in fault(settings)


@pytest.mark.parametrize(
    ("data", "shape", "said"),
    [
        (b"not a network", (1, 2, 2, 3), "cannot load"),
        (NETWORK, (1, 2, 4, 4), "inputs or outputs"),
    ],
)
def test_a_network_that_is_not_what_the_manifest_says_is_reported(settings, data, shape, said):
    """Its digest may be right: the wrong file, or a picture of another size."""
    write(settings.weights_dir, data, shape=shape)

    assert said in fault(settings)


def test_the_command_names_every_network_and_fails_if_one_is_at_fault(
    settings, tmp_path, monkeypatch
):
    """`make test` and deployment scripts read the exit code."""
    monkeypatch.setenv("THENAR_ENGINE_MANIFEST", str(settings.manifest))
    monkeypatch.setenv("THENAR_ENGINE_WEIGHTS_DIR", str(tmp_path))

    good = CliRunner().invoke(app, ["verify"])
    (tmp_path / "small.onnx").unlink()
    bad = CliRunner().invoke(app, ["verify"])

    assert (good.exit_code, bad.exit_code) == (0, 1)
    assert "small: good" in good.output
    assert "missing" in bad.output


def test_the_networks_of_the_repository_are_whole():
    """Every entry of the committed manifest, and a card for each."""
    settings = EngineSettings()
    faults = network_faults(settings)

    assert {"hand_detector", "hand_landmarks"} <= set(faults)
    assert set(faults.values()) == {""}
    entries = tomllib.loads(settings.manifest.read_text("utf-8"))["models"].values()
    assert all((settings.manifest.parent / entry["card"]).is_file() for entry in entries)
