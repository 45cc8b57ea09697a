"""The engine as a library: ``from thenar import Engine``. The wheel installs it so."""

try:
    from engine import Engine, __version__
    from engine.errors import (
        EngineError,
        ExtractorMismatch,
        FailureToAcquire,
        GalleryFault,
        SampleRefused,
    )
    from engine.library import Comparison, Examined, Found, LabelledGallery
    from engine.settings import EngineSettings
    from engine.types import Hand, PalmTemplate
except ImportError as missing:
    import engine as found

    if hasattr(found, "__path__"):
        raise
    raise ImportError(f"{found.__file__} hides Thenar's package engine: rename it") from missing

__all__ = [
    "Comparison",
    "Engine",
    "EngineError",
    "EngineSettings",
    "Examined",
    "ExtractorMismatch",
    "FailureToAcquire",
    "Found",
    "GalleryFault",
    "Hand",
    "LabelledGallery",
    "PalmTemplate",
    "SampleRefused",
    "__version__",
]
