"""The engine's settings, read once from ``THENAR_ENGINE_…``."""

from pathlib import Path
from typing import Annotated, Final

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

_NETWORKS: Final = Path(__file__).resolve().parent / "networks"

PALM_GRAPH: Final = "palm_print_net"
"""Manifest name of the graph that makes templates, in services and on the page."""

RAREST_RATE: Final = 1e-9
"""Rarer rates are beyond any calibration."""

Rate = Annotated[float, Field(ge=RAREST_RATE, lt=1.0)]
"""Share of comparisons or searches, below 1."""


class EngineSettings(BaseSettings):
    """The engine's settings. Relative paths start at the working directory."""

    model_config = SettingsConfigDict(env_prefix="THENAR_ENGINE_", frozen=True)

    manifest: Path = _NETWORKS / "manifest.toml"
    """The networks with their digests, inputs and outputs."""

    weights_dir: Path = _NETWORKS / "weights"
    """Folder of the ONNX files."""

    palm_graph: str = PALM_GRAPH
    """The graph that makes templates. Another is another extractor: people move to it, and
    the page sends pictures."""

    previous_palm_graph: str = ""
    """The graph that people move from to ``palm_graph``; both read each picture. Empty: a
    service finds it by the references that it holds."""

    threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Of one network for one picture. Requests run in parallel, so 1 gives most throughput."""

    attack_detection: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")] = "challenge"
    """Presentation attack detection. ``none``; ``passive``: every picture by itself;
    ``challenge``: a session of motions, where the service demands one; or the name of an entry
    point of the group ``thenar.attack_detectors``."""

    calibration: Path | None = None
    """A file of ``thenar bench calibrate`` for ``palm_graph``, instead of the shipped one."""

    target_fmr: Rate = 1e-4
    """Verification: share of non-mated comparisons that may match. NIST SP 800-63B-4: 1:10,000
    at most."""

    target_fpir: Rate = 1e-3
    """Identification: share of searches by people not enrolled that may match. The threshold
    rises with the gallery to keep it."""
