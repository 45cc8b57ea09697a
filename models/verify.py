"""``thenar models verify``: checks that every network of the manifest is intact and loads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import ModelFault
from engine.networks.onnx_model import load_model

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.settings import EngineSettings


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """Result for one network; ``fault`` is None if it is fine."""

    name: str
    fault: str | None


def verify_models(names: Iterable[str], settings: EngineSettings) -> list[ModelCheck]:
    """Check digest, loading, inputs and outputs of each network."""
    return [ModelCheck(name, _fault_of(name, settings)) for name in names]


def _fault_of(name: str, settings: EngineSettings) -> str | None:
    try:
        load_model(name, settings)
    except ModelFault as fault:
        return str(fault)
    return None
