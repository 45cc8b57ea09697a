"""``models/manifest.toml`` → what the engine must know of a network before it loads one.

Refuses a manifest that lacks a field, and file names that would leave the weights' folder.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.errors import ModelFault

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Shape = tuple[int | str, ...]
"""Sizes of an input or output; a size that may vary has a name instead."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One network of the manifest.

    Attributes:
        name: its key in the manifest.
        file: name of the ONNX file inside the weights' folder.
        sha256: digest of that file, 64 hexadecimal digits.
        inputs: shape of each input, by name.
        outputs: shape of each output, by name.
        extractor: name of the extractor that the network is; empty if it is none.
    """

    name: str
    file: str
    sha256: str
    inputs: Mapping[str, Shape]
    outputs: Mapping[str, Shape]
    extractor: str = ""


def read_manifest(path: Path) -> dict[str, ModelEntry]:
    """Return the networks of a manifest by name.

    Raises:
        ModelFault: the file is missing, is no TOML or lacks a field.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        return {name: _entry(name, table) for name, table in tables["models"].items()}
    except OSError as error:
        msg = f"the model manifest {path.name} cannot be read: {error.strerror}"
        raise ModelFault(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"the model manifest {path.name} is no TOML: {error}"
        raise ModelFault(msg) from error
    except (KeyError, TypeError, AttributeError) as error:
        msg = f"the model manifest {path.name} lacks a field: {error}"
        raise ModelFault(msg) from error


def _entry(name: str, table: dict[str, Any]) -> ModelEntry:
    """Read one network's table."""
    file = str(table["file"])
    if "/" in file or "\\" in file or file.startswith("."):
        msg = f"the model manifest names a file outside the weights' folder for {name}"
        raise ModelFault(msg)
    return ModelEntry(
        name=name,
        file=file,
        sha256=str(table["sha256"]),
        inputs={key: tuple(shape) for key, shape in table["inputs"].items()},
        outputs={key: tuple(shape) for key, shape in table["outputs"].items()},
        extractor=str(table.get("extractor", "")),
    )
