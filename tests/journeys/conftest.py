"""What journeys share: one service, and a folder for pictures of what people see."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.service.journey import Serve, World


@pytest.fixture(scope="session")
def world(serve: Serve) -> Iterator[World]:
    """Give the service most journeys share: usual settings, plain http on loopback."""
    with serve() as shared:
        yield shared


@pytest.fixture(scope="session")
def artefacts() -> Path:
    """Give the folder for screenshots; it is not in git."""
    folder = Path(__file__).parents[2] / "artefacts"
    folder.mkdir(exist_ok=True)
    return folder
