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


class ModelsError(Exception):
    """Any error of the model tools."""


class PlanRefused(ModelsError):
    """A training plan contradicts itself."""


class DeviceMissing(ModelsError):
    """The requested device does not exist."""


class TorchMissing(ModelsError):
    """The extra ``train`` is not installed."""


class ExportDiffers(ModelsError):
    """The exported network does not compute what torch computes."""


class CheckpointFault(ModelsError):
    """A checkpoint is missing, damaged or of another network."""


class GraphFault(ModelsError):
    """A network does not fit the shipped graph."""


class OtherCollection(ModelsError):
    """The folder holds photos drawn to another plan."""
