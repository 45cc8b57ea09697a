"""Verifying: every network of the manifest is named, with what is wrong with it."""

from __future__ import annotations

import hashlib

import pytest
from typer.testing import CliRunner

from engine.__main__ import app
from engine.networks.verify import network_faults
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


def test_a_missing_network_is_told_with_the_remedy(settings, tmp_path):
    """The reader is an operator, not an author."""
    (tmp_path / "small.onnx").unlink()

    assert "install Thenar again" in fault(settings)


def test_a_changed_network_is_told(settings, tmp_path):
    """One flipped bit moves every landmark or none: nobody would see it."""
    data = bytearray(NETWORK)
    data[-1] ^= 1
    (tmp_path / "small.onnx").write_bytes(data)

    assert "damaged" in fault(settings)


def test_a_file_that_is_no_network_is_told(settings, tmp_path):
    """Its digest may be right: somebody may have put the wrong file into the manifest."""
    write(tmp_path, b"not a network")

    assert "cannot load" in fault(settings)


def test_other_inputs_than_the_manifest_says_are_told(settings, tmp_path):
    """The caller would feed a picture of another size and learn it at the first login."""
    write(tmp_path, NETWORK, shape=(1, 2, 4, 4))

    assert "inputs or outputs" in fault(settings)


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


def test_the_command_says_when_there_is_no_manifest(tmp_path, monkeypatch):
    """A clear sentence instead of a traceback."""
    monkeypatch.setenv("THENAR_ENGINE_MANIFEST", str(tmp_path / "none.toml"))

    result = CliRunner().invoke(app, ["verify"])

    assert result.exit_code == 1
    assert "none.toml" in result.output


def test_the_networks_of_the_repository_are_whole():
    """Every entry of the committed manifest, and a card for each."""
    settings = EngineSettings()
    faults = network_faults(settings)

    assert {"hand_detector", "hand_landmarks"} <= set(faults)
    assert set(faults.values()) == {""}
    cards = settings.manifest.parent / "cards"
    assert all((cards / f"{name}.md").is_file() for name in faults)
