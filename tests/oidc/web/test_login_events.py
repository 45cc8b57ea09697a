"""Streams of waiting pages: counted first, woken by any process, and ended."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from starlette.types import Message

from oidc.errors import DatabaseUnavailable
from oidc.login.views import Progress
from oidc.plumbing.login_watch import LoginWatch, Subscription, notification_key
from oidc.types import LoginId, LoginState, NextStep
from oidc.web.login_events import EventStream
from tests.support.clock import FakeClock
from tests.support.service.sign_in import PHONE, SignIn

CLOCK = FakeClock()
CODE_S = 5.0
DRAWINGS = itertools.count()


def waiting(name: str = "a") -> Progress:
    """Return a login that waits to be scanned."""
    return Progress(
        LoginId(name), LoginState.PENDING, NextStep.WAIT_SCAN, CLOCK() + timedelta(seconds=180)
    )


def moved(progress: Progress, state: LoginState, hint: NextStep) -> Progress:
    """Return where it stands later."""
    return replace(progress, state=state, hint=hint)


WAIT_S = 30.0
"""Longer than any busy machine takes."""


class Rows:
    """The rows of the database, as the watch sees them."""

    def __init__(self, *rows: Progress) -> None:
        self.rows = {row.login_id: row for row in rows}
        self.asked: list[list[LoginId]] = []

    @property
    def looks(self) -> int:
        """How often somebody looked."""
        return len(self.asked)

    def look(self, login_ids: Sequence[LoginId]) -> dict[LoginId, Progress]:
        """Answer one query."""
        self.asked.append(list(login_ids))
        return {each: self.rows[each] for each in login_ids if each in self.rows}


def new_watch(rows: Rows, capacity: int = 10) -> LoginWatch[Progress]:
    """Return a quick watch."""
    return LoginWatch(rows.look, interval_s=0.01, capacity=capacity)


def seconds_left_of(progress: Progress) -> float:
    """Return how long it stays as it is by itself."""
    return (progress.expires_at - CLOCK()).total_seconds()


def subscribe(watch: LoginWatch[Progress], progress: Progress) -> Subscription[Progress] | None:
    """Wait for a login to leave this state."""
    return watch.subscribe(progress.login_id, progress)


async def first_look(rows: Rows, looks: int = 1) -> None:
    """Wait until the watch has looked once, or so often."""
    while rows.looks < looks:
        await asyncio.sleep(0.01)


async def looked_at(rows: Rows) -> None:
    """Wait until the watch has seen the rows as they are now, and told the pages."""
    seen = rows.looks
    while rows.looks < seen + 3:
        await asyncio.sleep(0.01)


async def collect(stream: EventStream) -> list[str]:
    """Read a stream to its end."""
    sent: list[Message] = []

    async def receive() -> Message:
        await asyncio.sleep(3600)
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    await stream({"type": "http", "asgi": {"spec_version": "2.4"}}, receive, send)
    text = b"".join(message.get("body", b"") for message in sent).decode()
    return [block for block in text.split("\n\n") if block]


def new_stream(
    watch: LoginWatch[Progress],
    subscription: Subscription[Progress],
    *,
    heartbeat_s: float = WAIT_S,
    lifetime_s: float = WAIT_S,
    code_s: float = CODE_S,
) -> EventStream:
    """Return a stream."""
    return EventStream(
        watch,
        subscription,
        CLOCK,
        lambda: ({"path": f"drawing {next(DRAWINGS)}"}, code_s),
        heartbeat_s=heartbeat_s,
        lifetime_s=lifetime_s,
    )


def hints(blocks: list[str]) -> list[str]:
    """Return the hints of the events."""
    return [
        json.loads(block.partition("data: ")[2])["hint"]
        for block in blocks
        if "event: progress" in block
    ]


def test_a_page_learns_every_change_and_the_stream_ends_with_the_login() -> None:
    """First what is, then each change, then nothing more."""

    async def scene() -> list[str]:
        rows = Rows(waiting())
        watch = new_watch(rows)
        subscription = subscribe(watch, waiting())
        assert subscription is not None
        reading = asyncio.create_task(collect(new_stream(watch, subscription)))
        await looked_at(rows)
        rows.rows[LoginId("a")] = moved(waiting(), LoginState.SCANNED, NextStep.WAIT_PALM)
        await looked_at(rows)
        rows.rows[LoginId("a")] = moved(waiting(), LoginState.APPROVED, NextStep.GO)
        return await reading

    blocks = asyncio.run(scene())

    assert blocks[0] == "retry: 2000"
    assert hints(blocks) == ["wait_scan", "wait_palm", "go"]


def test_a_login_that_is_over_is_told_and_ended_at_once() -> None:
    """A page that comes back late still gets its word."""

    async def scene() -> list[str]:
        over = moved(waiting(), LoginState.DECLINED, NextStep.DECLINED)
        watch = new_watch(Rows(over))
        subscription = subscribe(watch, over)
        assert subscription is not None
        return await collect(new_stream(watch, subscription))

    assert hints(asyncio.run(scene())) == ["declined"]


def test_a_quiet_stream_shows_signs_of_life_until_its_time_is_over() -> None:
    """Proxies close silent connections; nobody holds one for ever."""

    async def scene() -> list[str]:
        watch = new_watch(Rows(waiting()))
        subscription = subscribe(watch, waiting())
        assert subscription is not None
        return await collect(new_stream(watch, subscription, heartbeat_s=0.05, lifetime_s=0.18))

    blocks = asyncio.run(scene())

    assert hints(blocks) == ["wait_scan"]
    assert 2 <= blocks.count(": waiting") <= 3


def test_places_are_counted_before_a_response_starts_and_given_back() -> None:
    """Counting inside the stream let twice the number through."""

    async def scene() -> tuple[object, object, object]:
        watch = new_watch(Rows(waiting("a"), waiting("b")), capacity=1)
        first = subscribe(watch, waiting("a"))
        assert first is not None
        refused = subscribe(watch, waiting("b"))
        await collect(new_stream(watch, first, heartbeat_s=0.01, lifetime_s=0.01))
        return first, refused, subscribe(watch, waiting("b"))

    first, refused, later = asyncio.run(scene())

    assert first is not None
    assert refused is None
    assert later is not None


def test_a_stream_that_breaks_gives_its_place_back() -> None:
    """The browser went away in the middle of the headers."""

    async def scene() -> object:
        watch = new_watch(Rows(waiting()), capacity=1)
        subscription = subscribe(watch, waiting())
        assert subscription is not None

        async def send(_message: Message) -> None:
            raise OSError

        async def receive() -> Message:
            return {"type": "http.disconnect"}

        stream = new_stream(watch, subscription)
        try:
            await stream({"type": "http", "asgi": {"spec_version": "2.4"}}, receive, send)
        except Exception:
            return subscribe(watch, waiting("b"))
        return None

    assert asyncio.run(scene()) is not None


def test_a_second_stream_of_a_login_ends_the_first() -> None:
    """A reloaded page does not hold two places, nor is it refused for its own old one."""

    async def scene() -> tuple[list[str], object]:
        watch = new_watch(Rows(waiting()), capacity=1)
        first = subscribe(watch, waiting())
        assert first is not None
        reading = asyncio.create_task(collect(new_stream(watch, first)))
        await asyncio.sleep(0.02)
        second = subscribe(watch, waiting())
        blocks = await reading
        assert second is not None
        return blocks, subscribe(watch, waiting("b"))

    blocks, third = asyncio.run(scene())

    assert hints(blocks) == ["wait_scan"]
    assert third is None


def test_one_look_serves_all_pages() -> None:
    """A thousand waiting pages are one query for each interval."""

    async def scene() -> int:
        rows = Rows(*(waiting(str(n)) for n in range(100)))
        watch = LoginWatch(rows.look, interval_s=60, capacity=100)
        for n in range(100):
            subscribe(watch, waiting(str(n)))
        await first_look(rows)
        await asyncio.sleep(0.05)
        return rows.looks

    assert asyncio.run(scene()) == 1


def test_a_database_that_fails_ends_the_streams_and_the_next_page_starts_anew() -> None:
    """The pages come back by themselves; a dead watch must not leave them waiting."""

    class Broken(Rows):
        """Fails once."""

        def look(self, login_ids: Sequence[LoginId]) -> dict[LoginId, Progress]:
            """Fail the first time."""
            if not self.looks:
                self.asked.append(list(login_ids))
                raise ConnectionError
            return super().look(login_ids)

    async def scene() -> tuple[list[str], list[str]]:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        rows = Broken(waiting())
        watch = new_watch(rows)
        first = subscribe(watch, waiting())
        assert first is not None
        before = await collect(new_stream(watch, first))
        second = subscribe(watch, waiting())
        assert second is not None
        rows.rows[LoginId("a")] = moved(waiting(), LoginState.APPROVED, NextStep.GO)
        return before, await collect(new_stream(watch, second))

    before, after = asyncio.run(scene())

    assert hints(before) == ["wait_scan"]
    assert hints(after)[-1] == "go"


def test_the_page_hears_of_the_phone(sign_in: SignIn) -> None:
    """Over HTTP and through the database, as from another process."""
    page = sign_in.open_page()
    with sign_in.browser as browser:
        claimed = sign_in.door.claim(sign_in.ticket_on(page), PHONE)
        sign_in.door.decline(claimed.login_id, PHONE)
        text = browser.get(f"{page}/events").text

    assert '"hint": "declined"' in text


def test_a_full_process_asks_the_page_to_poll(make_sign_in, clock: FakeClock) -> None:  # type: ignore[no-untyped-def]
    """503 with Retry-After: the page polls instead."""
    sign_in = make_sign_in(stream_count=0)

    answer = sign_in.browser.get(f"{sign_in.open_page()}/events")

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


def test_a_waiting_page_is_sent_the_next_code_in_time() -> None:
    """Each as soon as the one before has had its time; none once a phone holds the login."""

    async def scene() -> list[str]:
        rows = Rows(waiting())
        watch = new_watch(rows)
        subscription = subscribe(watch, waiting())
        assert subscription is not None
        stream = new_stream(watch, subscription, code_s=0.05)
        reading = asyncio.create_task(collect(stream))
        await asyncio.sleep(0.5)
        rows.rows[LoginId("a")] = moved(waiting(), LoginState.SCANNED, NextStep.WAIT_PALM)
        await looked_at(rows)
        await asyncio.sleep(0.15)
        rows.rows[LoginId("a")] = moved(waiting(), LoginState.DECLINED, NextStep.DECLINED)
        return await reading

    blocks = asyncio.run(scene())

    kinds = [block.partition("\n")[0] for block in blocks]
    codes = [block for block in blocks if block.startswith("event: code")]
    scanned = blocks.index(next(block for block in blocks if "wait_palm" in block))
    assert len(codes) >= 2
    assert len(set(codes)) == len(codes)
    assert "event: code" not in kinds[scanned:]


def test_a_watch_goes_on_after_the_database_was_away() -> None:
    """A restart of the database must not leave waiting pages deaf."""
    rows = Rows(waiting())
    answers = iter([False, False, True])

    def look(login_ids: Sequence[LoginId]) -> dict[LoginId, Progress]:
        if not next(answers, True):
            raise DatabaseUnavailable("the protocol database does not answer")
        return rows.look(login_ids)

    async def scenario() -> bool:
        watch = LoginWatch(look, interval_s=0.01, capacity=10)
        subscription = subscribe(watch, waiting())
        assert subscription is not None
        rows.rows[LoginId("a")] = moved(waiting(), LoginState.SCANNED, NextStep.WAIT_PALM)
        changed = await subscription.change(2)
        watch.unsubscribe(subscription)
        return changed and not subscription.is_closed

    assert asyncio.run(scenario())


def test_what_happens_while_something_is_told_is_told_next() -> None:
    """A login that is over by then must not end the stream before its page knows."""

    async def scene() -> list[str]:
        watch = new_watch(Rows(waiting()))
        subscription = subscribe(watch, waiting())
        assert subscription is not None
        blocks: list[str] = []

        async def send(message: Message) -> None:
            text = message.get("body", b"").decode()
            blocks.extend(block for block in text.split("\n\n") if block)
            if "wait_palm" in text:
                # The page's connection is slow: the phone says yes meanwhile.
                subscription.notify(moved(waiting(), LoginState.APPROVED, NextStep.GO))

        async def receive() -> Message:
            await asyncio.sleep(3600)
            raise AssertionError

        subscription.notify(moved(waiting(), LoginState.SCANNED, NextStep.WAIT_PALM))
        stream = new_stream(watch, subscription)
        await stream({"type": "http", "asgi": {"spec_version": "2.4"}}, receive, send)
        return blocks

    assert hints(asyncio.run(scene()))[-1] == "go"


class TestTold:
    """Where the database tells what moved, nothing else is looked at."""

    @staticmethod
    def _watch(*names: str, interval_s: float = 0.01) -> tuple[Rows, LoginWatch[Progress]]:
        rows = Rows(*map(waiting, names))
        watch = LoginWatch(
            rows.look, interval_s=interval_s, capacity=10, lasts_s=seconds_left_of
        )
        watch.set_active(active=True)
        return rows, watch

    def test_a_login_that_is_told_of_is_looked_at_at_once_and_alone(self) -> None:
        """However long the pause between two looks is."""

        async def scene() -> tuple[list[list[LoginId]], bool]:
            rows, watch = self._watch("a", "b", interval_s=60)
            first, _ = subscribe(watch, waiting("a")), subscribe(watch, waiting("b"))
            assert first is not None
            await first_look(rows, 2)  # at both, then at the one that came later
            rows.asked.clear()
            rows.rows[LoginId("a")] = moved(
                waiting("a"), LoginState.SCANNED, NextStep.WAIT_PALM
            )
            watch.notify(notification_key(LoginId("a")))
            watch.notify(notification_key(LoginId("of another process")))
            return rows.asked, await first.change(WAIT_S)

        looked, is_changed = asyncio.run(scene())

        assert is_changed
        assert looked == [[LoginId("a")]]

    def test_nothing_is_looked_at_in_between(self) -> None:
        """The pause of a database that tells nothing would be 10 ms."""

        async def scene() -> int:
            rows, watch = self._watch("a")
            subscribe(watch, waiting("a"))
            await asyncio.sleep(0.2)
            return rows.looks

        assert asyncio.run(scene()) <= 2

    def test_a_page_that_comes_later_is_looked_at(self) -> None:
        """Its login may have moved after it was read and before it was listened for."""

        async def scene() -> bool:
            rows, watch = self._watch("a", "b", interval_s=60)
            subscribe(watch, waiting("a"))
            await first_look(rows)
            rows.rows[LoginId("b")] = moved(
                waiting("b"), LoginState.SCANNED, NextStep.WAIT_PALM
            )
            late = subscribe(watch, waiting("b"))
            assert late is not None
            return await late.change(WAIT_S)

        assert asyncio.run(scene())

    @pytest.mark.parametrize("told", [True, False])
    def test_when_telling_begins_or_ends_everything_is_looked_at(self, *, told: bool) -> None:
        """What moved in between was told to nobody."""

        async def scene() -> bool:
            rows, watch = self._watch("a", interval_s=60)
            subscription = subscribe(watch, waiting("a"))
            assert subscription is not None
            await first_look(rows)
            rows.rows[LoginId("a")] = moved(
                waiting("a"), LoginState.SCANNED, NextStep.WAIT_PALM
            )
            watch.set_active(active=told)
            return await subscription.change(WAIT_S)

        assert asyncio.run(scene())

    def test_while_nobody_tells_the_watch_asks_again_and_again(self) -> None:
        """The connection is down: as on SQLite."""

        async def scene() -> bool:
            rows, watch = self._watch("a")
            subscription = subscribe(watch, waiting("a"))
            assert subscription is not None
            watch.set_active(active=False)
            await asyncio.sleep(0.05)
            rows.rows[LoginId("a")] = moved(
                waiting("a"), LoginState.SCANNED, NextStep.WAIT_PALM
            )
            return await subscription.change(WAIT_S)

        assert asyncio.run(scene())

    def test_a_watch_whose_last_page_left_meanwhile_serves_the_next(self) -> None:
        """There is no deadline to wait for, and no reason to fail."""

        async def scene() -> bool:
            rows, watch = self._watch("a", "b")
            first = subscribe(watch, waiting("a"))
            assert first is not None
            await asyncio.sleep(0)
            watch.unsubscribe(first)
            await asyncio.sleep(0.05)
            second = subscribe(watch, waiting("b"))
            assert second is not None
            rows.rows[LoginId("b")] = moved(
                waiting("b"), LoginState.SCANNED, NextStep.WAIT_PALM
            )
            return await second.change(WAIT_S) and not second.is_closed

        assert asyncio.run(scene())

    def test_a_deadline_is_not_told_and_still_seen(self) -> None:
        """Time moves a login without a row being changed."""

        async def scene() -> bool:
            rows, watch = self._watch("a")
            soon = replace(waiting("a"), expires_at=CLOCK() + timedelta(seconds=0.05))
            subscription = subscribe(watch, soon)
            assert subscription is not None
            await asyncio.sleep(0.02)
            rows.rows[LoginId("a")] = moved(soon, LoginState.EXPIRED, NextStep.EXPIRED)
            return await subscription.change(WAIT_S)

        assert asyncio.run(scene())
