"""Checks that every network of the manifest is intact and loads."""

from __future__ import annotations

from engine.errors import ModelFault
from engine.networks.manifest import read_manifest
from engine.networks.onnx_model import load_model
from engine.settings import EngineSettings


def network_faults(settings: EngineSettings) -> dict[str, str]:
    """Return each network of the manifest with what is wrong with it, or an empty text.

    Raises:
        ModelFault: the manifest cannot be read.
    """
    return {name: _fault_of(name, settings) for name in read_manifest(settings.manifest)}


def _fault_of(name: str, settings: EngineSettings) -> str:
    try:
        load_model(name, settings)
    except ModelFault as fault:
        return str(fault)
    return ""
