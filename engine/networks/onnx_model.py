"""Loads and runs neural networks. The only module that imports onnxruntime.

Checks a file's SHA-256 before interpreting any of it. Never downloads. ``network_faults``
checks that every network of the manifest is intact and loads.
"""

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import onnxruntime
from numpy.typing import NDArray

from engine.errors import ModelFault
from engine.networks.manifest import Shape, read_manifest
from engine.settings import EngineSettings

_ERRORS_ONLY: Final = 3
_REMEDY: Final = "install Thenar again, then run `thenar engine verify`"


class OnnxModel:
    """One network in memory. Thread-safe. Raises ``ModelFault``."""

    def __init__(self, path: Path, *, sha256: str, threads: int = 1) -> None:
        data = _read_checked(path, sha256)
        try:
            self._session = onnxruntime.InferenceSession(
                data, _session_options(threads), providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            # onnxruntime's exceptions have no common base class.
            raise ModelFault(f"onnxruntime cannot load {path.name}") from error
        self._output_names = [node.name for node in self._session.get_outputs()]

    @property
    def inputs(self) -> dict[str, Shape]:
        """Shapes by name."""
        return {node.name: tuple(node.shape) for node in self._session.get_inputs()}

    @property
    def outputs(self) -> dict[str, Shape]:
        """Shapes by name."""
        return {node.name: tuple(node.shape) for node in self._session.get_outputs()}

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the outputs by name."""
        values = self._session.run(self._output_names, dict(inputs))
        return dict(zip(self._output_names, values, strict=True))


def load_model(name: str, settings: EngineSettings) -> OnnxModel:
    """Load a network of the manifest.

    Raises:
        ModelFault: unknown, missing or changed, or other inputs or outputs than stated.
    """
    entry = read_manifest(settings.manifest).get(name)
    if entry is None:
        raise ModelFault(f"the model manifest has no network {name!r}")
    path = settings.weights_dir / entry.file
    model = OnnxModel(path, sha256=entry.sha256, threads=settings.threads)
    if model.inputs != entry.inputs or model.outputs != entry.outputs:
        msg = f"{entry.file} has other inputs or outputs than the model manifest says"
        raise ModelFault(msg)
    return model


def _read_checked(path: Path, sha256: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelFault(f"the network {path.name} is missing: {_REMEDY}") from error
    if not hmac.compare_digest(hashlib.sha256(data).hexdigest(), sha256.lower()):
        msg = f"the network {path.name} is damaged or another one (wrong digest): {_REMEDY}"
        raise ModelFault(msg)
    return data


def _session_options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    # Idle workers must not use cores that other requests need.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


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
