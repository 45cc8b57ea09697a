"""What the service refuses to start on."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from engine.types import ExtractorId
from mobile_api.errors import UnknownExtractor
from tests.support.palms.fake_engine import picture
from tests.support.service.mobile_api import MobileWorld


def enrol_person(folder: Path) -> None:
    """Enrol a person with the fake extractor."""
    with MobileWorld(folder) as world:
        world.enrolled([picture(1, shot=shot) for shot in (0, 1)])


def started_with_another_extractor(folder: Path, **settings: Any) -> None:
    """Start a service whose extractor is another one."""
    world = MobileWorld(folder, **settings)
    other = dataclasses.replace(world.recognition.current, extractor=ExtractorId("fake-2"))
    world.recognition = dataclasses.replace(world.recognition, extractors=[other])
    with world:
        pass


def test_people_of_another_extractor_are_not_silently_forgotten(tmp_path: Path) -> None:
    """Their palms would match no account any more; the operator reads what to do."""
    enrol_person(tmp_path)

    with pytest.raises(
        UnknownExtractor, match=r"2 references of 1 people.*ABANDONED"
    ) as reported:
        started_with_another_extractor(tmp_path)
    assert "fake-1" in str(reported.value)


def test_an_extractor_may_be_given_up_by_name(tmp_path: Path) -> None:
    """A decision of the operator, not an accident."""
    enrol_person(tmp_path)
    started_with_another_extractor(tmp_path, abandoned_extractors="older-1, fake-1")


def test_an_empty_database_serves_any_extractor(tmp_path: Path) -> None:
    """No account is lost."""
    started_with_another_extractor(tmp_path)
