"""What an operator may change about the engine; read once, from ``THENAR_ENGINE_…``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

_MODELS: Final = Path(__file__).resolve().parent.parent / "models"

Rate = Annotated[float, Field(gt=0.0, lt=1.0)]
"""A share of comparisons or searches, above 0 and below 1."""


class EngineSettings(BaseSettings):
    """The engine's settings. Relative paths are relative to the working directory."""

    model_config = SettingsConfigDict(env_prefix="THENAR_ENGINE_", frozen=True)

    manifest: Path = _MODELS / "manifest.toml"
    """The list of networks, their digests, inputs and outputs."""

    weights_dir: Path = _MODELS / "weights"
    """Folder of the ONNX files that the manifest names."""

    palm_graph: str = "palm_print"
    """Which palm graph of the manifest makes templates. Another one is another extractor: its
    templates do not compare with those that are enrolled."""

    previous_palm_graph: str = ""
    """The palm graph that people are enrolled by so far, while they move to ``palm_graph``:
    pictures are looked at by both. Empty: nobody moves."""

    threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Threads one network may use for one picture. A service answers several requests at
    once, so one thread each gives the highest throughput."""

    target_fmr: Rate = 1e-4
    """Verification: share of non-mated comparisons that may match. NIST SP 800-63B-4 asks
    1:10,000 at most."""

    target_fpir: Rate = 1e-3
    """Identification: share of searches by people who are not enrolled that may return
    somebody. The threshold rises with the size of the gallery to keep it."""
