"""Every fault of the model tools.

::

    ModelsError
    ├── ManifestRefused      models/manifest.toml lacks something or contradicts itself
    ├── DownloadFailed       the package that carries a network could not be brought
    ├── SourceRefused        what was brought is not what the manifest names
    ├── ConversionRefused    the network has something the converter does not know
    ├── ConversionDiffers    the converted network is not the one in the manifest
    ├── PlanRefused          a training's plan contradicts itself
    ├── DeviceMissing        a training was asked for on a device that is not there
    ├── TorchMissing         the extra ``train`` is not installed
    ├── ExportDiffers        the exported network does not compute what torch computes
    ├── GraphFault           a network does not fit the shipped graph
    ├── TooFewViews          drawn palms are to even vectors, with one view of each
    ├── OtherCollection      a folder holds hands drawn with other options (models/synthesis)
    └── CheckpointFault      a training's checkpoint is missing, damaged or of another network
"""

from __future__ import annotations

from typing import ClassVar


class ModelsError(Exception):
    """Any fault of the model tools."""

    code: ClassVar[str] = "models_error"


class ManifestRefused(ModelsError):
    """The manifest lacks something or contradicts itself."""

    code = "manifest_refused"


class DownloadFailed(ModelsError):
    """The package that carries a network could not be brought."""

    code = "download_failed"


class SourceRefused(ModelsError):
    """What was brought is not what the manifest names."""

    code = "source_refused"


class ConversionRefused(ModelsError):
    """The network has something the converter does not know; the message names it."""

    code = "conversion_refused"


class ConversionDiffers(ModelsError):
    """The converted network is not, byte for byte, the one in the manifest."""

    code = "conversion_differs"


class PlanRefused(ModelsError):
    """A training's plan contradicts itself."""

    code = "plan_refused"


class DeviceMissing(ModelsError):
    """A training was asked for on a device that is not there."""

    code = "device_missing"


class TorchMissing(ModelsError):
    """The extra ``train`` is not installed."""

    code = "torch_missing"


class ExportDiffers(ModelsError):
    """The exported network does not compute what torch computes."""

    code = "export_differs"


class CheckpointFault(ModelsError):
    """A training's checkpoint is missing, damaged or of another network."""

    code = "checkpoint_fault"


class TooFewViews(ModelsError):
    """Drawn palms are to even vectors, and there is none or one view of each."""

    code = "too_few_views"


class GraphFault(ModelsError):
    """A network does not fit the shipped graph."""

    code = "graph_fault"
