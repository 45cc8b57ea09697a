"""What is due is forgotten, and a database that is away for a moment does not end that."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager

import pytest
from sqlalchemy.exc import OperationalError

from mobile_api.housekeeping import Housekeeper
from mobile_api.storage.unit import Unit
from tests.fakes.fake_engine import picture
from tests.fakes.mobile import MobileWorld


class Away:
    """A storage whose database cannot be reached."""

    def reading(self) -> AbstractContextManager[Unit]:
        """Fail."""
        raise OperationalError("SELECT secret", {}, ConnectionError())

    writing = reading


def test_everything_that_is_due_is_forgotten(world: MobileWorld) -> None:
    """Nonces after a minute, attempts and steps of the gallery's history after a day."""
    world.enrolled([picture(1, shot=shot) for shot in range(2)])
    keeper = Housekeeper(world.database, world.services.deletion, world.clock)
    keeper.tidy()
    kept = [world.rows(t) for t in ("spent_nonces", "attempts", "gallery_changes")]
    world.clock.advance(120)
    keeper.tidy()
    assert world.rows("spent_nonces") == kept[0]  # another process's clock may be behind
    world.clock.advance(24 * 3600 + 1)
    keeper.tidy()
    left = [
        world.rows(t) for t in ("spent_nonces", "attempts", "gallery_changes", "enrolments")
    ]

    assert all(kept)
    assert left == [0, 0, 0, 0]
    assert world.rows("accounts") == 1


def test_a_database_that_is_away_is_logged_without_its_words(
    world: MobileWorld, caplog: pytest.LogCaptureFixture
) -> None:
    """The next round tries again."""
    keeper = Housekeeper(Away(), world.services.deletion, world.clock)

    async def a_moment() -> None:
        async with keeper.running():
            while not caplog.records:
                await asyncio.sleep(0.01)

    asyncio.run(a_moment())

    assert "housekeeping failed: OperationalError" in caplog.text
    assert "secret" not in caplog.text
