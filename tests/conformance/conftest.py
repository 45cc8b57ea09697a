"""What the conformance tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.service.mobile_api import MobileWorld


@pytest.fixture
def world(tmp_path: Path, database_url: str) -> Iterator[MobileWorld]:
    """Give a mobile API on an empty database."""
    with MobileWorld(tmp_path, database_url) as world:
        yield world
