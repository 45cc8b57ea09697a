"""Errors of the model tools.

::

    ModelsError
    ├── ManifestRefused      models/manifest.toml is incomplete or contradictory
    ├── DownloadFailed       the package of a network could not be downloaded
    ├── SourceRefused        a downloaded file is not the one in the manifest
    ├── ConversionRefused    the network uses something the converter does not know
    ├── ConversionDiffers    the converted network is not the one in the manifest
    ├── PlanRefused          a training plan contradicts itself
    ├── DeviceMissing        the requested device does not exist
    ├── TorchMissing         the extra ``train`` is not installed
    ├── ExportDiffers        the exported network does not compute what torch computes
    ├── GraphFault           a network does not fit the shipped graph
    ├── OtherCollection      a folder holds hands drawn with other options (models/synthesis)
    └── CheckpointFault      a checkpoint is missing, damaged or of another network
"""

from __future__ import annotations

from typing import ClassVar


class ModelsError(Exception):
    """Any error of the model tools."""

    code: ClassVar[str] = "models_error"


class ManifestRefused(ModelsError):
    """The manifest is incomplete or contradictory."""

    code = "manifest_refused"


class DownloadFailed(ModelsError):
    """The package of a network could not be downloaded."""

    code = "download_failed"


class SourceRefused(ModelsError):
    """A downloaded file is not the one in the manifest."""

    code = "source_refused"


class ConversionRefused(ModelsError):
    """The network uses something the converter does not know."""

    code = "conversion_refused"


class ConversionDiffers(ModelsError):
    """The converted network is not, byte for byte, the one in the manifest."""

    code = "conversion_differs"


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
