"""Errors of the model tools.

::

    ModelsError
    ├── PlanRefused          a training plan contradicts itself
    ├── DeviceMissing        the requested device does not exist
    ├── TorchMissing         the extra ``train`` is not installed
    ├── ExportDiffers        the exported network does not compute what torch computes
    ├── GraphFault           a network does not fit the shipped graph
    ├── OtherCollection      a folder holds hands drawn with other options
    └── CheckpointFault      a checkpoint is missing, damaged or of another network
"""

from __future__ import annotations

from typing import ClassVar


class ModelsError(Exception):
    """Any error of the model tools."""

    code: ClassVar[str] = "models_error"


class PlanRefused(ModelsError):
    """A training plan contradicts itself."""

    code = "plan_refused"


class DeviceMissing(ModelsError):
    """The requested device does not exist."""

    code = "device_missing"


class TorchMissing(ModelsError):
    """The extra ``train`` is not installed."""

    code = "torch_missing"


class ExportDiffers(ModelsError):
    """The exported network does not compute what torch computes."""

    code = "export_differs"


class CheckpointFault(ModelsError):
    """A checkpoint is missing, damaged or of another network."""

    code = "checkpoint_fault"


class GraphFault(ModelsError):
    """A network does not fit the shipped graph."""

    code = "graph_fault"


class OtherCollection(ModelsError):
    """The folder holds photos drawn to another plan."""

    code = "other_collection"
