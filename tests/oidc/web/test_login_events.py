"""Streams of waiting pages: counted first, woken by any process, and ended."""

import asyncio
import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from starlette.types import Message, Scope

from oidc.errors import DatabaseUnavailable
from oidc.login.views import Progress
from oidc.plumbing.login_watch import LoginWatch, Subscription, notification_key
from oidc.types import LoginId, LoginState, NextStep
from oidc.web.endpoints.consent import EventStream
from tests.support.clock import FakeClock
from tests.support.service.sign_in import PHONE, MakeSignIn, SignIn

pytestmark = pytest.mark.anyio

CLOCK = FakeClock()
TICKETS = itertools.count()
WAIT_S = 30.0
"""Longer than any busy machine takes."""

A, B = LoginId("a"), LoginId("b")
SCANNED = LoginState.SCANNED, NextStep.WAIT_PALM
APPROVED = LoginState.APPROVED, NextStep.GO
DECLINED = LoginState.DECLINED, NextStep.DECLINED
HTTP: Scope = {"type": "http", "asgi": {"spec_version": "2.4"}}


def waiting(login_id: LoginId = A) -> Progress:
    """Return a login that waits to be scanned."""
    ends_at = CLOCK() + timedelta(seconds=180)
    return Progress(login_id, LoginState.PENDING, NextStep.WAIT_SCAN, ends_at)


async def silent() -> Message:
    """Play a browser that sends nothing more."""
    await asyncio.sleep(3600)
    raise AssertionError


async def collect(stream: EventStream, received: bytearray) -> list[str]:
    """Read a stream to its end."""

    async def send(message: Message) -> None:
        received.extend(message.get("body", b""))

    await stream(HTTP, silent, send)
    return [block for block in received.decode().split("\n\n") if block]


class Pages:
    """A watch of logins, the rows that it looks at, and the pages that wait."""

    def __init__(
        self, *, interval_s: float = 0.01, capacity: int = 10, notified: bool = False
    ) -> None:
        self.rows = {each: waiting(each) for each in (A, B)}
        self.asked: list[list[LoginId]] = []
        self.received = bytearray()
        self.faults: list[Exception] = []
        self.watch = LoginWatch(
            self.look,
            interval_s=interval_s,
            capacity=capacity,
            lasts_s=lambda state: (state.expires_at - CLOCK()).total_seconds(),
        )
        if notified:
            self.watch.set_active(active=True)

    def look(self, login_ids: Sequence[LoginId]) -> dict[LoginId, Progress]:
        """Answer one query, or fail."""
        self.asked.append(list(login_ids))
        if self.faults:
            raise self.faults.pop()
        return {each: self.rows[each] for each in login_ids if each in self.rows}

    def move(self, step: tuple[LoginState, NextStep], login_id: LoginId = A) -> None:
        """Let a login go on."""
        state, hint = step
        self.rows[login_id] = replace(self.rows[login_id], state=state, hint=hint)

    def join(self, login_id: LoginId = A) -> Subscription[Progress] | None:
        """Let a page wait, as it sees the login now; None at the limit."""
        return self.watch.subscribe(login_id, self.rows[login_id])

    def wait(self, login_id: LoginId = A) -> Subscription[Progress]:
        """Let a page wait."""
        subscription = self.join(login_id)
        assert subscription is not None
        return subscription

    def stream(
        self, subscription: Subscription[Progress], code_s: float = 5.0, **seconds: float
    ) -> EventStream:
        """Return the stream of a page."""
        lasts = {"heartbeat_s": WAIT_S, "lifetime_s": WAIT_S} | seconds
        code = lambda: ({"link": f"ticket {next(TICKETS)}"}, code_s)  # noqa: E731
        return EventStream(self.watch, subscription, CLOCK, code, **lasts)

    def open(self, **seconds: float) -> asyncio.Task[list[str]]:
        """Read the stream of a page to its end."""
        self.received = bytearray()
        return asyncio.create_task(collect(self.stream(self.wait(), **seconds), self.received))

    async def receives(self, event: bytes, count: int = 1) -> None:
        """Wait until the last page that was opened has got something so often."""
        while self.received.count(event) < count:
            await asyncio.sleep(0.01)

    async def look_times(self, count: int) -> None:
        """Wait until the watch has looked so often."""
        while len(self.asked) < count:
            await asyncio.sleep(0.01)

    async def catch_up(self) -> None:
        """Wait until the watch has seen the rows as they are now, and notified the pages."""
        await self.look_times(len(self.asked) + 3)


def hints(blocks: list[str]) -> list[str]:
    """Return the hints of the events."""
    return [
        json.loads(block.partition("data: ")[2])["hint"]
        for block in blocks
        if "event: progress" in block
    ]


async def test_a_page_learns_every_change_and_the_stream_ends_with_the_login() -> None:
    """First what is, then each change, then nothing more."""
    pages = Pages()
    reading = pages.open()
    await pages.catch_up()
    pages.move(SCANNED)
    await pages.catch_up()
    pages.move(APPROVED)
    blocks = await reading

    assert blocks[0] == "retry: 2000"
    assert hints(blocks) == ["wait_scan", "wait_palm", "go"]


async def test_places_are_counted_before_a_response_starts_and_given_back() -> None:
    """Counting inside the stream let twice the number through."""
    pages = Pages(capacity=1)
    first = pages.wait()

    assert pages.join(B) is None
    await collect(pages.stream(first, heartbeat_s=0.01, lifetime_s=0.01), bytearray())
    assert pages.join(B) is not None


async def test_a_stream_that_breaks_gives_its_place_back() -> None:
    """The browser went away in the middle of the headers."""
    pages = Pages(capacity=1)

    async def send(_message: Message) -> None:
        raise OSError

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    with pytest.raises(Exception):  # noqa: B017 -- of the server, not ours
        await pages.stream(pages.wait())(HTTP, receive, send)
    assert pages.join(B) is not None


async def test_a_second_stream_of_a_login_ends_the_first() -> None:
    """A reloaded page does not hold two places, nor is it refused for its own old one."""
    pages = Pages(capacity=1)
    reading = pages.open()
    await pages.receives(b"wait_scan")
    pages.wait()

    assert hints(await reading) == ["wait_scan"]
    assert pages.join(B) is None


async def test_a_database_that_fails_ends_the_streams_and_the_next_page_starts_again() -> None:
    """The pages come back by themselves; a dead watch must not leave them waiting."""
    pages = Pages()
    pages.faults = [DatabaseUnavailable("away")]

    async with asyncio.timeout(20):  # the login itself ends after 30
        assert hints(await pages.open()) == ["wait_scan"]
    reading = pages.open()
    pages.move(APPROVED)
    assert hints(await reading)[-1] == "go"


def test_the_page_hears_of_the_phone(sign_in: SignIn) -> None:
    """Over HTTP and through the database, as from another process."""
    page = sign_in.open_page()
    with sign_in.browser as browser:
        claimed = sign_in.handoff.claim(sign_in.ticket_on(page), PHONE)
        sign_in.handoff.decline(claimed.login_id, PHONE)
        text = browser.get(f"{page}/events").text

    assert '"hint": "declined"' in text


def test_a_full_process_asks_the_page_to_poll(make_sign_in: MakeSignIn) -> None:
    """503 with Retry-After: the page polls instead."""
    sign_in = make_sign_in(stream_count=0)

    answer = sign_in.browser.get(f"{sign_in.open_page()}/events")

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


async def test_a_waiting_page_is_sent_the_next_code_in_time() -> None:
    """Each as soon as the one before has had its time; none once a phone holds the login."""
    pages = Pages()
    reading = pages.open(code_s=0.05)
    await pages.receives(b"event: code", 2)
    pages.move(SCANNED)
    await pages.catch_up()
    await asyncio.sleep(0.15)
    pages.move(DECLINED)
    blocks = await reading

    codes = [block for block in blocks if block.startswith("event: code")]
    scanned = blocks.index(next(block for block in blocks if "wait_palm" in block))
    assert len(set(codes)) == len(codes)
    assert not [block for block in blocks[scanned:] if block.startswith("event: code")]


class TestNotified:
    """Where the database tells what moved, nothing else is looked at."""

    async def test_a_notified_login_is_looked_at_at_once_and_alone(self) -> None:
        """However long the pause between two looks is."""
        pages = Pages(interval_s=60, notified=True)
        first, _ = pages.wait(A), pages.wait(B)
        await pages.look_times(2)  # at both, then at the one that came later
        pages.asked.clear()
        pages.move(SCANNED)
        pages.watch.notify(notification_key(A))
        pages.watch.notify(notification_key(LoginId("of another process")))

        assert await first.change(WAIT_S)
        assert pages.asked == [[A]]

    async def test_a_deadline_is_seen_without_a_notification(self) -> None:
        """Time moves a login without a row being changed."""
        pages = Pages(notified=True)
        pages.rows[A] = replace(waiting(), expires_at=CLOCK() + timedelta(seconds=0.05))
        subscription = pages.wait()
        await asyncio.sleep(0.02)
        pages.move((LoginState.EXPIRED, NextStep.EXPIRED))

        assert await subscription.change(WAIT_S)
