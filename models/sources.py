"""``models/manifest.toml`` → where third-party networks come from.

``engine.networks.manifest`` reads the engine's part. Our own networks have no source: they are
in git.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from models.errors import ManifestRefused

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel of the package index, pinned to one file.

    Attributes:
        requirement: name and version, as pip writes them.
        sha256: digest of the wheel.
        python: version of Python it is for, e.g. ``3.11``.
        platform: its platform tag, so that every machine fetches the same file.
        licence_member: path of the licence inside.
    """

    requirement: str
    sha256: str
    python: str
    platform: str
    licence_member: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where one network comes from.

    Attributes:
        model: name of the network in the manifest.
        package: the wheel that contains it.
        member: path of the TensorFlow Lite file inside.
        sha256: digest of that file.
        names: inputs and outputs in that file → our names.
    """

    model: str
    package: Package
    member: str
    sha256: str
    names: Mapping[str, str]


def read_sources(path: Path) -> list[Source]:
    """Return the source of each third-party network.

    Raises:
        ManifestRefused: the file cannot be read or lacks a field.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        packages = {name: Package(**table) for name, table in tables["packages"].items()}
        return [
            _source(name, table["source"], packages)
            for name, table in tables["models"].items()
            if "source" in table
        ]
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        msg = f"the model manifest {path.name} cannot be used: {error}"
        raise ManifestRefused(msg) from error


def _source(model: str, table: dict[str, Any], packages: dict[str, Package]) -> Source:
    return Source(
        model=model,
        package=packages[table["package"]],
        member=table["member"],
        sha256=table["sha256"],
        names=dict(table["names"]),
    )
