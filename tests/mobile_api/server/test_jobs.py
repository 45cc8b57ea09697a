"""What is due is forgotten, and a database that is away for a moment does not end that."""

import asyncio
from typing import cast
from uuid import uuid4

import pytest
from sqlalchemy.exc import OperationalError

from engine.errors import DirectoryFull
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.observability.logging import LineFormatter
from mobile_api.server.jobs import GalleryJobs, RetentionJobs
from mobile_api.storage.database import Database, open_engine
from mobile_api.types import LogFormat
from oidc.types import AccountId
from tests.support.at_once import wait_until
from tests.support.palms.fake_engine import shots
from tests.support.service.mobile_api import MobileWorld


def shown(caplog: pytest.LogCaptureFixture) -> str:
    """Return the lines as a service writes them."""
    return "\n".join(map(LineFormatter(LogFormat.TEXT).format, caplog.records))


def test_everything_that_is_due_is_forgotten(world: MobileWorld) -> None:
    """Nonces after a minute, attempts and steps of the gallery's history after a day.

    The last step stays: galleries see by it that the next one follows.
    """
    world.enrolled(shots(1))
    with world.database.write() as transaction:
        transaction.history.record(AccountId(uuid4()), world.clock())
    keeper = RetentionJobs(world.database, world.services.deletion, world.clock)
    keeper.run_once()
    kept = [world.rows(t) for t in ("spent_nonces", "attempts", "gallery_changes")]
    world.clock.advance(120)
    keeper.run_once()
    assert world.rows("spent_nonces") == kept[0]  # another process's clock may be behind
    world.clock.advance(24 * 3600 + 1)
    keeper.run_once()
    left = [
        world.rows(t) for t in ("spent_nonces", "attempts", "gallery_changes", "enrolments")
    ]

    assert all(kept)
    assert (kept[2], left) == (2, [0, 0, 1, 0])
    assert world.rows("accounts") == 1


def test_a_database_that_is_away_is_logged_without_its_words(
    world: MobileWorld, caplog: pytest.LogCaptureFixture
) -> None:
    """The next round tries again."""
    away = Database(open_engine("postgresql+psycopg://user:secret@127.0.0.1:1/away"))
    keeper = RetentionJobs(away, world.services.deletion, world.clock)

    async def a_moment() -> None:
        async with keeper.running():
            while not caplog.records:
                await asyncio.sleep(0.01)

    asyncio.run(a_moment())

    lines = shown(caplog)
    assert "RetentionJobs.run_once failed; will retry fault=oidc.errors.DatabaseUn" in lines
    assert "secret" not in lines
    assert "127.0.0.1" not in lines


def test_a_gallery_follows_and_is_read_whole_without_being_asked(world: MobileWorld) -> None:
    """Another process's enrolment arrives without a search; files are verified."""
    other = world.start()
    quiet = world.services.logins.palms.identification.current.gallery
    world.phone(world.client).enrol(shots(1))
    wait_until(lambda: quiet.state().stored.rows == 2)
    state = quiet.state()

    assert other is not world.client
    assert state.lag_s < 60
    assert (state.stored.damage_count, state.stored.fault) == (0, "")


class FailingGallery:
    """A gallery whose disk and database take turns to fail, and then has no faults."""

    def __init__(self) -> None:
        self.faults: list[Exception] = [
            OperationalError("SELECT secret", {}, ConnectionError()),
            DirectoryFull("disk full"),
        ]
        self.tended = 0

    def maintain(self, _erasure_lag_s: float) -> None:
        """Fail, or count."""
        if self.faults:
            raise self.faults.pop()
        self.tended += 1

    def verify(self) -> int:
        """Find three faults."""
        return 3


def test_a_gallery_that_cannot_be_kept_for_a_moment_is_kept_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A full disk or a database that is away ends no thread, and says nothing of anybody."""
    gallery = FailingGallery()
    keeper = GalleryJobs([cast("GalleryReplica", gallery)], lambda: None, 60)

    async def a_moment() -> None:
        async with keeper.running():
            while not gallery.tended:
                await asyncio.sleep(0.01)

    asyncio.run(a_moment())

    lines = shown(caplog)
    assert "GalleryJobs._sync failed; will retry fault=engine.errors.DirectoryFull" in lines
    assert "will retry fault=sqlalchemy.exc.OperationalError" in lines
    assert "repaired 3 damaged parts of the gallery's files" in lines
    assert "secret" not in lines
