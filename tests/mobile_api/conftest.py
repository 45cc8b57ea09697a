"""A running mobile API for each test that asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.mobile_api.service import MobileWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[MobileWorld]:
    """Give a mobile API on an empty SQLite database."""
    with MobileWorld(tmp_path) as world:
        yield world


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[MobileWorld]:
    """Give a mobile API whose operator trusts the templates of any phone."""
    with MobileWorld(tmp_path, template_trust="any_device") as world:
        yield world
