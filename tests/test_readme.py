"""README is part of the work: what it names exists, and what exists is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from pydantic_settings import BaseSettings

from engine.settings import EngineSettings
from engine.types import QualityReason
from mobile_api import errors
from mobile_api.__main__ import cli
from mobile_api.server.error_responses import STATUS, TEXTS, status_of
from mobile_api.settings import MobileSettings
from oidc.app import OidcSettings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("settings", [EngineSettings, MobileSettings, OidcSettings])
def test_every_setting_is_in_the_readme(settings: type[BaseSettings]) -> None:
    """An operator finds every setting there is."""
    missing = [name for name in settings.model_fields if f"`{name.upper()}`" not in README]
    assert missing == []


def test_every_error_a_phone_may_get_is_in_the_readme() -> None:
    """Whoever writes a phone app finds every word the service may answer."""
    faults = [fault for fault in vars(errors).values() if isinstance(fault, type)]
    codes = {
        fault.code
        for fault in faults
        if issubclass(fault, errors.MobileError)
        and not fault.__subclasses__()
        and any(kind in STATUS for kind in fault.__mro__)
    }
    codes |= set(TEXTS) | {reason.value for reason in QualityReason}

    assert status_of(errors.ConsentChanged()) == 409
    assert sorted(code for code in codes if f"`{code}`" not in README) == []


def test_every_command_is_in_the_readme_and_the_other_way_round() -> None:
    """The table of commands names what there is, and nothing that is not."""
    group = typer.main.get_command(cli)
    own = set(group.commands)  # type: ignore[attr-defined]
    named = set(re.findall(r"^\| `thenar ([a-z]+)", README, re.MULTILINE))
    points = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    others = set(re.findall(r'^([a-z]+) = "[a-z_.]+:', points, re.MULTILINE)) - {"thenar"}

    assert named == own | others


def test_every_file_named_exists() -> None:
    """A reader who follows a path arrives."""
    named = re.findall(
        r"`((?:engine|oidc|mobile_api|models|benchmarks|tests)/[^`]*\.\w+)`", README
    )
    assert [name for name in named if not any(ROOT.glob(name))] == []
