"""Reads ``manifest.toml``. Refuses file names outside the weights' folder."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.errors import ModelFault

HAND_NETWORKS_LICENCE: Final = Path(__file__).parent / "weights" / "hand_networks.LICENSE"
"""Goes wherever the two hand networks go."""

Shape = tuple[int | str, ...]
"""Sizes of an input or output; a variable size has a name instead."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A network: file in the weights' folder, SHA-256 (hexadecimal), shapes by name.

    ``extractor`` names the extractor that it is; empty if none.
    """

    name: str
    file: str
    sha256: str
    inputs: Mapping[str, Shape]
    outputs: Mapping[str, Shape]
    extractor: str = ""


def read_manifest(path: Path) -> dict[str, ModelEntry]:
    """Return the networks by name. Raises ``ModelFault``."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        return {name: _entry(name, table) for name, table in tables["models"].items()}
    except OSError as error:
        msg = f"the model manifest {path.name} cannot be read: {error.strerror}"
        raise ModelFault(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"the model manifest {path.name} is not TOML: {error}"
        raise ModelFault(msg) from error
    except (KeyError, TypeError, AttributeError) as error:
        msg = f"the model manifest {path.name} lacks a field: {error}"
        raise ModelFault(msg) from error


def _entry(name: str, table: dict[str, Any]) -> ModelEntry:
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
