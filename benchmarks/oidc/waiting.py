"""Many pending logins on one process: do all finish, and how soon does each page notice?

Every page keeps its event stream open, as browsers do. Phones answer one after the other from
another process.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx2

from benchmarks.measurement.rates import percentile
from benchmarks.oidc.process_usage import resident_mb

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.harness.handoff_client import HandoffClient

NOTICE_TARGET_S: Final = 1.0
MEMORY_TARGET_MB: Final = 300

_ATTEMPTS: Final = 32


@dataclass(slots=True)
class WaitingResult:
    """Outcome of the logins.

    Attributes:
        noticed_s: from the phone's approval to the page's event, for each login.
        finished: how many were redirected with a code.
    """

    noticed_s: list[float] = field(default_factory=list)
    finished: int = 0
    peak_mb: float = 0.0

    def numbers(self, wanted: int) -> dict[str, Any]:
        """Return the published numbers."""
        told = self.noticed_s or [float("inf")]
        holds = self.finished == wanted and self.peak_mb <= MEMORY_TARGET_MB
        return {
            "logins": wanted,
            "finished": self.finished,
            "learnt_p50_s": round(percentile(told, 0.5), 3),
            "learnt_p99_s": round(percentile(told, 0.99), 3),
            "learnt_max_s": round(max(told), 3),
            "peak_mb": round(self.peak_mb, 1),
            "holds": holds and max(told) <= NOTICE_TARGET_S,
        }


class _Page:
    """One waiting page: its cookie, event stream and current ticket."""

    def __init__(self, http: httpx2.AsyncClient, address: str) -> None:
        self._http = http
        self._address = address
        self._cookie = ""
        self.url = ""
        self.ticket: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.approved_at = 0.0
        self.noticed = asyncio.Event()
        self.noticed_s = float("inf")

    async def open(self) -> None:
        """Start a login and open its page."""
        answer = await self._http.get(self._address)
        given = answer.headers.get_list("set-cookie")
        self._cookie = "; ".join(each.partition(";")[0] for each in given)
        self.url = str(answer.url.join(answer.headers["location"]))
        (await self._http.get(self.url, headers=self._cookie_header())).raise_for_status()

    async def watch(self) -> None:
        """Follow the event stream until the login is approved."""
        async with self._http.stream(
            "GET", f"{self.url}/events", headers=self._cookie_header()
        ) as events:
            events.raise_for_status()
            async for line in events.aiter_lines():
                if line.startswith("data: "):
                    self._handle_event(json.loads(line.removeprefix("data: ")))
                if self.noticed.is_set():
                    return

    def _handle_event(self, message: dict[str, Any]) -> None:
        if "here" in message:
            ticket = urlsplit(message["here"]).fragment.partition("&")[0]
            if self.ticket.done():
                self.ticket = asyncio.get_running_loop().create_future()
            self.ticket.set_result(ticket)
        elif message.get("hint") == "go":
            self.noticed_s = time.perf_counter() - self.approved_at
            self.noticed.set()

    async def continue_login(self) -> bool:
        """Press *continue*; return whether the redirect has a code."""
        site = urlsplit(self.url)
        form = {"Origin": f"{site.scheme}://{site.netloc}", "Sec-Fetch-Site": "same-origin"}
        answer = await self._http.post(
            f"{self.url}/continue", headers=self._cookie_header() | form
        )
        return "code=" in answer.headers.get("location", "")

    def _cookie_header(self) -> dict[str, str]:
        return {"Cookie": self._cookie}


def wait(
    address: str, logins: int, phones: HandoffClient, pid: int, report: Callable[[str], object]
) -> WaitingResult:
    """Open so many pending logins, then answer all."""
    return asyncio.run(_wait(address, logins, phones, pid, report))


async def _wait(
    address: str, logins: int, phones: HandoffClient, pid: int, report: Callable[[str], object]
) -> WaitingResult:
    result = WaitingResult()
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=_ATTEMPTS)
    # Each page sends its own cookie: a shared jar would send every page's.
    async with httpx2.AsyncClient(
        timeout=120, limits=limits, cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    ) as http:
        pages = [_Page(http, address) for _ in range(logins)]
        slots = asyncio.Semaphore(_ATTEMPTS)

        async def followed(page: _Page) -> None:
            await page.watch()
            is_finished = await page.continue_login()
            result.finished += is_finished

        async def opened(page: _Page) -> asyncio.Task[None]:
            async with slots:
                await page.open()
            return asyncio.create_task(followed(page))

        streams = await asyncio.gather(*map(opened, pages))
        await asyncio.gather(*(asyncio.shield(page.ticket) for page in pages))
        report(f"{logins} logins are pending")
        result.peak_mb = resident_mb(pid)
        for page in pages:
            await asyncio.to_thread(_answer, page, phones)
            result.peak_mb = max(result.peak_mb, resident_mb(pid))
        await asyncio.wait_for(asyncio.gather(*streams), 120)
        result.noticed_s = [page.noticed_s for page in pages]
        result.peak_mb = max(result.peak_mb, resident_mb(pid))
    return result


def _answer(page: _Page, phones: HandoffClient) -> None:
    approve = phones.answer(page.ticket.result(), datetime.now(UTC))  # noqa: TID251 - a phone's
    page.approved_at = time.perf_counter()
    approve()
