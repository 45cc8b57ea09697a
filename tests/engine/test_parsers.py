"""Readers of files that an operator or a disk may damage: their own fault, or what was written.

Pictures, templates and codes have theirs beside what they do.
"""

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.decision.calibration import parse_calibration
from engine.errors import CalibrationFault, GalleryFault, ModelFault
from engine.gallery.durability.state import RowFormat, decode_head
from engine.networks.manifest import read_manifest
from engine.types import ExtractorId

KEY = b"k" * 32
MODEL = RowFormat("palmnet-2", 384, 512)
octets = st.binary(max_size=120)
names = st.sampled_from(
    ["data", "palms", "pictures", "comparisons", "rates", "scores", "scale", "shape", "file",
     "sha256", "inputs", "outputs", "extractor", "fit", "mated", "models", "x"]
)  # fmt: skip
toml = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


def as_toml(document):
    """Write a document, for values that JSON writes as TOML does."""
    return "\n".join(f"{name} = {inline(value)}" for name, value in document.items())


def inline(value):
    """Return a value as TOML writes it."""
    match value:
        case dict():
            return "{" + ", ".join(f"{k} = {inline(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(inline, value)) + "]"
        case _:
            return json.dumps(value)


documents = st.dictionaries(names, toml, max_size=6).map(as_toml)


@given(st.text(max_size=80) | documents)
@example('extractor = "x"\nfit = []')
@example('extractor = "x"\nfit = [{rates = 5}]')
@example('extractor = "x"\nmated = 3\nfit = []')
@example("fit = [[1]]")
@example('fit = [{data = "x", palms = 1e999}]')
def test_no_calibration_ends_in_another_fault(text):
    """An operator may point the service at any file."""
    with suppress(CalibrationFault):
        parse_calibration(text, ExtractorId("x"))


@given(octets | documents.map(lambda text: text.encode("utf-8", "replace")))
@example(b"[models.x]\nfile = 'a'\nsha256 = 'b'\ninputs = 5\noutputs = {}")
@example(b"[models.x]\nfile = 'a'\nsha256 = 'b'\ninputs = {a = 5}\noutputs = {}")
@example(b"models = 5")
@example(b"models = [1]")
def test_no_manifest_of_networks_ends_in_another_fault(content):
    """The file is ours; what a merge or an editor left of it need not be."""
    with TemporaryDirectory() as folder, suppress(ModelFault):
        path = Path(folder) / "manifest.toml"
        path.write_bytes(content)
        read_manifest(path)


@given(octets, octets)
def test_no_bytes_make_a_head_end_in_another_fault(clear, sealed):
    """Of another program, of another version, cut off."""
    with pytest.raises(GalleryFault):
        decode_head(clear, sealed, MODEL, KEY)
