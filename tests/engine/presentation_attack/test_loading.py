"""loading: the settings name the detectors, an operator's own among them."""

import pytest

from engine.errors import ModelFault
from engine.presentation_attack.judging import SessionJudge, load_detector
from engine.settings import EngineSettings
from tests.support.palms.pipeline import fake_pipeline


def settings(name: str) -> EngineSettings:
    """Settings that name a detector."""
    return EngineSettings(attack_detection=name)


def load(name: str) -> object:
    """The detector of sessions that a name gives."""
    pipeline = fake_pipeline()
    return load_detector(settings(name), pipeline.locator, [pipeline.extractor])


@pytest.mark.parametrize("name", ["none", "passive"])
def test_without_challenges_there_is_no_detector_of_sessions(name):
    """The service then demands none."""
    assert load(name) is None


def test_a_challenge_is_judged_by_the_shipped_detector():
    """Its own detector needs no package."""
    assert isinstance(load("challenge"), SessionJudge)


def test_an_operator_installs_a_detector_by_entry_point(tmp_path, monkeypatch):
    """As a package does: a module, and metadata that names its factory."""
    (tmp_path / "palm_guard.py").write_text(
        "def build(settings, locator, extractors):\n    return ('guard', len(extractors))\n"
    )
    metadata = tmp_path / "palm_guard-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: palm-guard\nVersion: 1.0\n"
    )
    (metadata / "entry_points.txt").write_text(
        "[thenar.attack_detectors]\nguard = palm_guard:build\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    assert load("guard") == ("guard", 1)


def test_a_detector_that_is_not_installed_is_named():
    """A service must not start with less than the operator configured."""
    with pytest.raises(ModelFault, match="guardian"):
        load("guardian")
