"""Readers of files that an operator or a disk may damage: their own fault, or what was written.

Pictures, templates and codes have theirs beside what they do.
"""

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


@given(st.text(max_size=80))
@example('extractor = "x"\nfit = []')
@example('extractor = "x"\nfit = [{rates = 5}]')
@example('extractor = "x"\nmated = 3\nfit = []')
@example("fit = [[1]]")
@example('fit = [{data = "x", palms = 1e999}]')
def test_no_calibration_ends_in_another_fault(text):
    """An operator may point the service at any file."""
    with suppress(CalibrationFault):
        parse_calibration(text, ExtractorId("x"))


@given(octets)
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
