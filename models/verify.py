"""``thenar models verify``: is every network of the manifest there, whole and loadable?"""

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
    """The result for one network.

    Attributes:
        name: the network.
        fault: what is wrong with it, in one sentence; None if nothing is.
    """

    name: str
    fault: str | None


def verify_models(names: Iterable[str], settings: EngineSettings) -> list[ModelCheck]:
    """Check digest, loading, inputs and outputs of each network, all of them."""
    return [ModelCheck(name, _fault_of(name, settings)) for name in names]


def _fault_of(name: str, settings: EngineSettings) -> str | None:
    """Return what is wrong with one network."""
    try:
        load_model(name, settings)
    except ModelFault as fault:
        return str(fault)
    return None
