"""Verifying: every network of the manifest is named, with what is wrong with it."""

from __future__ import annotations

import hashlib

import pytest
from typer.testing import CliRunner

from engine.networks.manifest import read_manifest
from engine.settings import EngineSettings
from models.__main__ import app
from models.tflite_to_onnx.convert import convert
from models.verify import verify_models
from tests.support.palms.hand_models import hand_model
from tests.support.palms.tflite_files import prelu_file

NETWORK = convert(prelu_file(), name="s", names={"input_1": "picture", "Identity": "result"})
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
    (check,) = verify_models(["small"], settings)
    return check.fault


def test_a_network_that_is_whole_has_no_fault(settings):
    """Digest, loading, inputs and outputs."""
    assert fault(settings) is None


def test_a_missing_network_is_told_with_the_remedy(settings, tmp_path):
    """The reader is an operator, not an author."""
    (tmp_path / "small.onnx").unlink()

    assert "thenar models fetch" in (fault(settings) or "")


def test_a_changed_network_is_told(settings, tmp_path):
    """One flipped bit moves every landmark or none: nobody would see it."""
    data = bytearray(NETWORK)
    data[-1] ^= 1
    (tmp_path / "small.onnx").write_bytes(data)

    assert "damaged" in (fault(settings) or "")


def test_a_file_that_is_no_network_is_told(settings, tmp_path):
    """Its digest may be right: somebody may have put the wrong file into the manifest."""
    write(tmp_path, b"not a network")

    assert "cannot load" in (fault(settings) or "")


def test_other_inputs_than_the_manifest_says_are_told(settings, tmp_path):
    """The caller would feed a picture of another size and learn it at the first login."""
    write(tmp_path, NETWORK, shape=(1, 2, 4, 4))

    assert "inputs or outputs" in (fault(settings) or "")


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


@pytest.mark.parametrize("command", ["fetch", "verify"])
def test_the_commands_say_when_there_is_no_manifest(command, tmp_path, monkeypatch):
    """A clear sentence instead of a traceback."""
    monkeypatch.setenv("THENAR_ENGINE_MANIFEST", str(tmp_path / "none.toml"))

    result = CliRunner().invoke(app, [command])

    assert result.exit_code == 1
    assert "none.toml" in result.output


@pytest.mark.hands
def test_the_networks_of_the_repository_are_whole():
    """Every entry of the committed manifest, and a card for each."""
    hand_model("hand_detector")
    settings = EngineSettings()
    names = list(read_manifest(settings.manifest))

    assert {"hand_detector", "hand_landmarks"} <= set(names)
    assert [check for check in verify_models(names, settings) if check.fault] == []
    cards = settings.manifest.parent / "cards"
    assert all((cards / f"{name}.md").is_file() for name in names)
