"""The manifest of networks: what is read of it, and what is refused."""

import pytest

from engine.errors import ModelFault
from engine.networks.manifest import ModelEntry, read_manifest

ENTRY = """
[models.eye]
file = "eye.onnx"
sha256 = "ab"
inputs = { picture = [1, 3, 8, 8] }
outputs = { result = [1, 4] }
"""


def written(tmp_path, text):
    """Write a manifest and return its path."""
    path = tmp_path / "manifest.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_an_entry_is_read_and_what_the_engine_need_not_know_is_left(tmp_path):
    """Licence and origin are for people and for the bill of materials."""
    path = written(tmp_path, ENTRY + 'licence = "Apache-2.0"\n')

    assert read_manifest(path) == {
        "eye": ModelEntry(
            "eye", "eye.onnx", "ab", {"picture": (1, 3, 8, 8)}, {"result": (1, 4)}
        )
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "lacks a field"),
        ("models = 3", "lacks a field"),
        (ENTRY.replace('sha256 = "ab"', ""), "sha256"),
        (ENTRY.replace("[1, 4]", "4"), "lacks a field"),
        ("[models", "not TOML"),
        (b"\xff\xfe", "not TOML"),
        (ENTRY.replace("eye.onnx", "../eye.onnx"), "outside"),
        (ENTRY.replace("eye.onnx", "/etc/eye.onnx"), "outside"),
        (ENTRY.replace("eye.onnx", ".."), "outside"),
    ],
)
def test_one_wrong_thing_is_a_model_fault_that_names_it(tmp_path, text, said):
    """The message is for the author of the manifest."""
    with pytest.raises(ModelFault, match=said):
        read_manifest(written(tmp_path, text))


def test_a_missing_manifest_is_a_model_fault(tmp_path):
    """Not an OSError: callers know one tree of faults."""
    with pytest.raises(ModelFault, match="cannot be read"):
        read_manifest(tmp_path / "none.toml")
