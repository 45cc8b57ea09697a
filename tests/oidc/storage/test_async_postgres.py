"""remote: on PostgreSQL an event loop reads and writes for many at once, without a thread."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from oidc.errors import DatabaseUnavailable
from oidc.protocol.identifiers import digest_of
from oidc.storage.database import Database, open_engine
from oidc.storage.sql import pipelined_connection, postgres_group_commit
from oidc.storage.sql.pipelined_connection import Reply
from oidc.storage.stores.grants import Code
from oidc.storage.transactions import Stores, ThreadNeeded
from oidc.tokens import codes, refresh
from oidc.tokens.refresh import PresentedToken
from oidc.types import Grant, GrantId, Lifetimes, PairwiseSubject
from tests.fakes.oidc.client_database import NOW, SHOP, database_of
from tests.fakes.servers.postgres import empty_database

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]

LATER = NOW + timedelta(seconds=60)
GRANT = Grant(GrantId("g"), SHOP.client_id, PairwiseSubject("s"), ("openid",), None, NOW, ())
LIFETIMES = Lifetimes()
VARCHAR = 1043
OWN_LINES = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    """Give a migrated database with a client, a grant and twenty codes of it."""
    with empty_database(postgres_url) as url, database_of(url) as database:
        with database.write() as stores:
            stores.grants.add(GRANT, LATER)
            for number in range(20):
                stores.codes.add(code(number))
        yield database


def code(number: int) -> Code:
    """Return a code as it is kept."""
    digest = digest_of(f"code {number}")
    return Code(digest, GRANT.grant_id, SHOP.client_id, "https://a.example/", None, LATER)


def redeeming(number: int, *, then: Exception | None = None) -> Callable[[Stores], bool]:
    """Return a work that redeems a code and begins a family, and possibly fails after that."""

    def work(stores: Stores) -> bool:
        grant = codes.consume(stores, code(number), NOW)
        if grant is None:
            return False
        refresh.begin_family(stores, grant, LIFETIMES, NOW)
        if then is not None:
            raise then
        return True

    return work


def reusing(name: str) -> Callable[[Stores], bool]:
    """Return a work that asks what only a connection of its own can be asked."""
    return lambda stores: stores.replay.use(name.encode(), LATER)


async def written(database: Database, *works: Callable[[Stores], Any]) -> list[Any]:
    """Do works at once; return what became of each."""
    asked = (database.asynchronous.write(work) for work in works)
    return await asyncio.gather(*asked, return_exceptions=True)


def answer_of(database: Database, query: str) -> Any:
    """Return what another connection finds."""
    with database.engine.connect() as connection:
        return connection.execute(text(query)).scalar_one()


def spent(database: Database) -> int:
    """Return how many codes are spent."""
    return int(answer_of(database, "SELECT count(*) FROM codes WHERE spent_at IS NOT NULL"))


def begun(database: Database) -> tuple[int, int]:
    """Return how many families there are, and in how many transactions they were begun."""
    families = answer_of(database, "SELECT count(*) FROM refresh_tokens")
    works = answer_of(database, "SELECT count(DISTINCT xmin::text) FROM refresh_tokens")
    return int(families), int(works)


def is_active(database: Database) -> bool:
    """Tell whether the grant of all codes lives."""
    with database.read() as stores:
        return stores.grants.find(GRANT.grant_id) is not None


class TestWriting:
    """Works that come at once share a transaction, and each is as if it had one to itself."""

    def test_works_that_come_at_once_share_a_commit(self, database: Database) -> None:
        """Fewer waits for the disk than works."""
        results = asyncio.run(written(database, *map(redeeming, range(20))))

        assert results == [True] * 20
        assert begun(database) == (20, 1)

    def test_nobody_is_answered_before_the_commit(self, database: Database) -> None:
        """What was acknowledged is there for everybody."""
        seen = []

        async def scene() -> None:
            await database.asynchronous.write(redeeming(0))
            seen.append((spent(database), begun(database)))

        asyncio.run(scene())

        assert seen == [(1, (1, 1))]

    def test_a_work_that_fails_before_it_changed_anything_leaves_others_alone(
        self, database: Database
    ) -> None:
        """It is told its own fault."""
        fault = ValueError("wrong")

        def fail(stores: Stores) -> None:
            assert stores.codes.find(code(5).digest) is not None
            raise fault

        results = asyncio.run(written(database, redeeming(0), fail, redeeming(1)))

        assert results == [True, fault, True]
        assert begun(database) == (2, 1)

    def test_a_work_that_fails_after_it_changed_something_undoes_itself_only(
        self, database: Database
    ) -> None:
        """The others are done, each by itself."""
        fault = ValueError("wrong")

        results = asyncio.run(
            written(database, redeeming(0), redeeming(1, then=fault), redeeming(2))
        )

        assert results == [True, fault, True]
        assert (spent(database), begun(database)) == (2, (2, 2))

    def test_what_is_not_prepared_is_done_by_itself(self, database: Database) -> None:
        """Alone from the start, or after it wrote something."""

        def both(stores: Stores) -> bool:
            return redeeming(1)(stores) and stores.replay.use(b"b", LATER)

        results = asyncio.run(written(database, redeeming(0), reusing("a"), both))

        assert results == [True] * 3
        assert spent(database) == 2
        assert answer_of(database, "SELECT count(*) FROM used_identifiers") == 2

    def test_a_code_that_comes_twice_at_once_ends_its_grant(self, database: Database) -> None:
        """One of the two gets tokens, and they are dead: RFC 6749 §4.1.2."""
        results = asyncio.run(written(database, redeeming(0), redeeming(0)))

        assert sorted(results) == [False, True]
        assert not is_active(database)
        with database.read() as stores:
            noted = [entry.event for entry in stores.audit.entries()]
        assert noted == ["credential_reused"]

    def test_a_refresh_token_that_comes_at_once_gives_one_successor(
        self, database: Database
    ) -> None:
        """The grace: sealed by the first, opened by the others, in one transaction."""
        with database.write() as stores:
            first = refresh.begin_family(stores, GRANT, LIFETIMES, NOW).token
            shown = refresh.find(stores, first, SHOP.client_id)
        assert isinstance(shown, PresentedToken)

        def rotate(stores: Stores) -> str | None:
            rotated = refresh.rotate(stores, shown, LIFETIMES, NOW)
            return None if rotated is None else rotated.successor.token

        results = asyncio.run(written(database, *[rotate] * 6))

        assert len(set(results)) == 1
        assert results[0] not in {None, first}
        assert begun(database)[0] == 2
        assert is_active(database)

    def test_a_row_that_somebody_holds_keeps_nobody_else_waiting(
        self, database: Database
    ) -> None:
        """Whoever needs it waits alone, and is done in the end."""

        async def scene() -> list[Any]:
            held = text("UPDATE codes SET redirect_uri = redirect_uri WHERE digest = :digest")
            with database.engine.begin() as connection:
                connection.execute(held, {"digest": code(0).digest})
                waiting = asyncio.ensure_future(database.asynchronous.write(redeeming(0)))
                others = await written(database, *map(redeeming, (1, 2)))
                assert not waiting.done()
            return [*others, await waiting]

        assert asyncio.run(scene()) == [True] * 3

    def test_works_that_wait_for_each_other_are_all_done(self, database: Database) -> None:
        """Two processes, the same rows in another order: PostgreSQL ends one transaction."""
        other = Database(open_engine(database.engine.url.render_as_string(hide_password=False)))

        async def scene() -> list[Any]:
            there = (other.asynchronous.write(redeeming(number)) for number in (1, 0))
            here = (database.asynchronous.write(redeeming(number)) for number in (0, 1))
            return await asyncio.gather(*here, *there)

        results = asyncio.run(scene())
        other.close()

        assert sorted(results) == [False, False, True, True]
        assert not is_active(database)

    def test_what_nobody_waits_for_is_not_begun(self, database: Database) -> None:
        """A request that was cut off is told to come again: its code must still be good."""

        async def scene() -> None:
            first = asyncio.ensure_future(database.asynchronous.write(redeeming(0)))
            await asyncio.sleep(0)
            second = asyncio.ensure_future(database.asynchronous.write(redeeming(1)))
            await asyncio.sleep(0)
            second.cancel()
            assert await first
            await database.asynchronous.write(redeeming(2))

        asyncio.run(scene())

        assert spent(database) == 2
        with database.read() as stores:
            found = stores.codes.find(code(1).digest)
        assert found == code(1)

    def test_a_row_that_may_not_be_is_told_to_whoever_wrote_it(
        self, database: Database
    ) -> None:
        """A refresh token of a grant that is gone: its work alone fails."""
        gone = replace(GRANT, grant_id=GrantId("gone"))

        def orphan(stores: Stores) -> None:
            refresh.begin_family(stores, gone, LIFETIMES, NOW)

        kept, refused = asyncio.run(written(database, redeeming(0), orphan))

        assert kept is True
        assert type(refused).__name__ == "ForeignKeyViolation"
        assert begun(database) == (1, 1)


class TestLostLines:
    """A connection breaks: nothing is done twice, nothing half."""

    def test_a_line_lost_in_the_middle_is_replaced_once(self, database: Database) -> None:
        """The transaction was undone by the server, and is begun again as a whole."""
        cuts = iter([True, False])

        def work(stores: Stores) -> bool:
            done = redeeming(0)(stores)
            if next(cuts):
                cut(database)
                stores.codes.find(code(1).digest)
            return done

        async def scene() -> list[Any]:
            await database.asynchronous.write(redeeming(3))  # the line is not a new one
            return await written(database, work)

        assert asyncio.run(scene()) == [True]
        assert (spent(database), begun(database)[0]) == (2, 2)

    def test_a_commit_without_an_answer_is_told_as_such(self, database: Database) -> None:
        """It is not repeated: it may have been done."""
        with database.engine.begin() as connection:
            for statement in CUT_AT_COMMIT:
                connection.execute(text(statement))
        attempts = []

        def work(stores: Stores) -> bool:
            attempts.append(1)
            return redeeming(0)(stores)

        async def scene() -> list[Any]:
            await written(database, lambda stores: stores.codes.find(b""))
            return await written(database, work, redeeming(1))

        assert [type(result) for result in asyncio.run(scene())] == [DatabaseUnavailable] * 2
        assert (len(attempts), spent(database)) == (1, 0)

    def test_idle_lines_that_were_cut_are_replaced(self, database: Database) -> None:
        """PostgreSQL was restarted: the next request is answered."""

        async def scene() -> list[Any]:
            found = await database.asynchronous.run(reading(database))
            await database.asynchronous.write(redeeming(0))
            cut(database)
            again = await database.asynchronous.run(reading(database))
            return [found, again, await database.asynchronous.write(redeeming(1))]

        assert asyncio.run(scene()) == [True] * 3

    def test_a_server_that_is_away_is_known_to_be_away(self) -> None:
        """Who reads and who writes is told, and nobody tries in a thread what would wait."""
        database = Database(open_engine("postgresql+psycopg://nobody@127.0.0.1:1/nothing"))

        async def scene() -> list[Any]:
            walking = database.asynchronous.run(reading(database))
            return await asyncio.gather(
                walking, *(database.asynchronous.write(redeeming(0)) for _ in range(2)),
                return_exceptions=True,
            )  # fmt: skip

        assert [type(fault) for fault in asyncio.run(scene())] == [DatabaseUnavailable] * 3
        database.close()

    def test_an_unforeseen_fault_is_told_to_whoever_waits(
        self, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A type that nobody thought of: nobody hangs, and nothing of it is kept."""
        asked: list[Callable[[], Any]] = [
            lambda: database.asynchronous.run(reading(database)),
            lambda: database.asynchronous.write(redeeming(0)),
        ]

        async def scene() -> tuple[list[Any], list[Any]]:
            with monkeypatch.context() as patch:
                patch.delitem(pipelined_connection._READ, VARCHAR)
                ended = (asyncio.wait_for(ask(), 5) for ask in asked)
                faults = await asyncio.gather(*ended, return_exceptions=True)
            first = spent(database)
            return [*faults, first], [await ask() for ask in asked]

        (*faults, first), later = asyncio.run(scene())

        assert [type(fault) for fault in faults] == [KeyError] * 2
        assert (first, later) == (0, [True, True])

    def test_a_fault_of_our_own_leaves_no_transaction_behind(
        self, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The next group would commit what was told to have failed."""
        fault, resume = ValueError("unforeseen"), postgres_group_commit._Work.resume

        def breaks(work: Any, reply: Reply | None = None) -> bool:
            if reply is not None and reply.changed:
                raise fault
            return resume(work, reply)

        async def scene() -> list[Any]:
            with monkeypatch.context() as patch:
                patch.setattr(postgres_group_commit._Work, "resume", breaks)
                told = await asyncio.wait_for(written(database, redeeming(0)), 5)
            return [*told, *await written(database, redeeming(1))]

        assert asyncio.run(scene()) == [fault, True]
        assert (spent(database), begun(database)[0]) == (1, 1)


CUT_AT_COMMIT = (
    "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$",
    "CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON refresh_tokens "
    "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION cut()",
)


CUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def cut(database: Database) -> None:
    """End every other connection to the database."""
    with database.engine.begin() as connection:
        connection.execute(text(CUT))


async def reading(database: Database) -> bool:
    """Read like the text of the protocol: plainly, where it needs to know."""
    with database.read() as stores:
        is_known = stores.clients.find(SHOP.client_id) == SHOP
        return is_known and stores.grants.find(GRANT.grant_id) == GRANT


class TestReading:
    """Plain functions read in an event loop, and it goes on meanwhile."""

    def test_rows_come_as_a_thread_reads_them(self, database: Database) -> None:
        """Every column, on both ways."""

        async def steps() -> list[Any]:
            with database.read() as stores:
                return [
                    stores.clients.find(SHOP.client_id),
                    stores.grants.find(GRANT.grant_id),
                    stores.codes.find(code(0).digest),
                    stores.codes.find(b"nobody's"),
                    stores.tokens.find(b"nobody's"),
                ]

        async def scene() -> list[Any]:
            return await database.asynchronous.run(steps())

        assert asyncio.run(scene()) == [SHOP, GRANT, code(0), None, None]

    def test_a_server_that_is_slow_keeps_nobody_else_waiting(self, database: Database) -> None:
        """The loop counts on while the rows are locked away."""

        async def scene() -> bool:
            await database.asynchronous.run(reading(database))
            with database.engine.begin() as connection:
                connection.execute(text("LOCK TABLE clients IN ACCESS EXCLUSIVE MODE"))
                walking = asyncio.ensure_future(database.asynchronous.run(reading(database)))
                for _ in range(20):
                    await asyncio.sleep(0.005)
                assert not walking.done()
            return await walking

        assert asyncio.run(scene())

    def test_what_is_asked_at_once_is_asked_together(self, database: Database) -> None:
        """Twenty walks, two questions each, all the same: two round trips, a statement each."""

        async def scene() -> tuple[list[bool], int]:
            await database.asynchronous.run(reading(database))
            before = trips(database)
            found = await asyncio.gather(
                *(database.asynchronous.run(reading(database)) for _ in range(20))
            )
            return found, trips(database) - before

        found, count = asyncio.run(scene())

        assert found == [True] * 20
        assert count == 2

    @pytest.mark.parametrize("kind", ["read", "write"])
    def test_what_needs_a_thread_says_so(self, database: Database, kind: str) -> None:
        """Before anything was done."""

        async def steps() -> None:
            if kind == "read":
                with database.read() as stores:
                    stores.keys.all()
            with database.write() as stores:
                stores.replay.use(b"a", LATER)

        async def scene() -> None:
            with pytest.raises(ThreadNeeded):
                await database.asynchronous.run(steps())

        asyncio.run(scene())

        assert answer_of(database, "SELECT count(*) FROM used_identifiers") == 0

    def test_another_database_is_not_read_by_mistake(
        self, database: Database, tmp_path: Path
    ) -> None:
        """A walk carries the stores of its own database only."""
        other = Database(open_engine(f"sqlite:///{tmp_path / 'x'}"))

        async def steps() -> bool:
            with other.read() as stores, database.read() as ours:
                return type(stores.grants) is type(ours.grants) and stores is not ours

        async def scene() -> bool:
            return await database.asynchronous.run(steps())

        assert asyncio.run(scene())
        other.close()

    def test_listeners_hear_of_each_statement_and_its_end(self, database: Database) -> None:
        """Traces show what a request asked: each statement has a place for notes."""
        heard: list[tuple[str, object]] = []

        def before(*told: Any) -> None:
            heard.append((f"{told[2][:6]} begins", told[4]))

        def after(*told: Any) -> None:
            heard.append((f"{told[2][:6]} ends", told[4]))

        event.listen(database.engine, "before_cursor_execute", before)
        event.listen(database.engine, "after_cursor_execute", after)

        async def scene() -> None:
            walks = (database.asynchronous.run(reading(database)) for _ in range(2))
            await asyncio.gather(*walks)

        asyncio.run(scene())

        assert [name for name, _ in heard] == [
            *["SELECT begins"] * 2,
            *["SELECT ends", "SELECT begins"] * 2,
            *["SELECT ends"] * 2,
        ]
        assert len({id(context) for _, context in heard}) == 4


def trips(database: Database) -> int:
    """Return how often the reading line sent something."""
    line = database.asynchronous._of_loop()._connections[0]._connection  # type: ignore[attr-defined]
    return int(line.trips)


class TestEnds:
    """Connections do not outlive those who use them."""

    def test_a_loop_that_ended_leaves_no_line(self, database: Database) -> None:
        """As soon as another loop asks."""
        for _ in range(5):
            asyncio.run(_walk(database.asynchronous.run(reading(database))))
        gc.collect()

        # The last loop's, and those of the threads' pool.
        assert answer_of(database, OWN_LINES) <= 3

    def test_a_database_that_is_closed_hangs_up(self, database: Database) -> None:
        """In the loop that serves; whoever asks later is answered over new lines."""

        async def scene() -> tuple[bool, bool]:
            await _walk(database.asynchronous.run(reading(database)))
            await asyncio.to_thread(database.close)
            await asyncio.sleep(0.05)
            is_alone = answer_of(database, OWN_LINES) == 1
            return is_alone, await database.asynchronous.run(reading(database))

        assert asyncio.run(scene()) == (True, True)

    def test_a_line_that_is_opened_while_it_closes_is_closed_the_next_time(
        self, database: Database
    ) -> None:
        """Whoever was in the middle is answered, and leaves nothing behind."""

        async def scene() -> tuple[list[bool], bool]:
            await _walk(database.asynchronous.run(reading(database)))
            found = []
            for _ in range(3):
                walking = asyncio.ensure_future(database.asynchronous.run(reading(database)))
                while not (walking.done() or is_asking(database)):
                    await asyncio.sleep(0)
                database.close()
                found.append(await walking)
            database.close()
            await asyncio.sleep(0.05)
            return found, answer_of(database, OWN_LINES) == 1

        assert asyncio.run(scene()) == ([True] * 3, True)


def is_asking(database: Database) -> bool:
    """Tell whether the reading line waits for an answer."""
    line = database.asynchronous._of_loop()._connections[0]._connection  # type: ignore[attr-defined]
    return bool(line is not None and line._done is not None)


async def _walk(steps: Coroutine[Any, Any, bool]) -> None:
    assert await steps
