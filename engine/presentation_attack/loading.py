"""Builds the detector that ``THENAR_ENGINE_ATTACK_DETECTION`` names."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Final, Protocol

from engine.errors import ModelFault
from engine.extract import Extractor
from engine.hand.landmarks import LandmarkLocator
from engine.presentation_attack.judging import SessionJudge
from engine.presentation_attack.session import SessionDetector
from engine.settings import EngineSettings

ENTRY_POINTS: Final = "thenar.attack_detectors"
"""Group of the detectors that an operator installs."""


class DetectorFactory(Protocol):
    """The signature of an entry point that makes a detector."""

    def __call__(
        self,
        settings: EngineSettings,
        locator: LandmarkLocator,
        extractors: Sequence[Extractor],
    ) -> SessionDetector:
        """Build the detector; its observations have a template of each extractor."""
        ...


def load_detector(
    settings: EngineSettings, locator: LandmarkLocator, extractors: Sequence[Extractor]
) -> SessionDetector | None:
    """Return the detector of sessions; None: a session is never demanded.

    Raises:
        ModelFault: no entry point has this name.
    """
    match settings.attack_detection:
        case "none" | "passive":
            return None
        case "challenge":
            return SessionJudge(locator, extractors)
        case name:
            return _factory(name)(settings, locator, extractors)


def _factory(name: str) -> DetectorFactory:
    found = list(entry_points(group=ENTRY_POINTS, name=name))
    if not found:
        raise ModelFault(f"no attack detector named {name!r} is installed ({ENTRY_POINTS})")
    factory: DetectorFactory = found[0].load()
    return factory
