"""A headless browser: keeps cookies, goes on as pages say, reads pages, submits forms.

It never contacts a relying party: the way to ``stop_at`` is returned as a ``Callback``.
"""

from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx2

from tests.support.service.html_page import Page, read_page

REDIRECT_LIMIT: Final = 10


@dataclass(frozen=True, slots=True)
class Callback:
    """The way back to the relying party, and the status of the answer that leads there."""

    url: str = field(repr=False)
    parameters: dict[str, str] = field(repr=False)
    status: int


class UnexpectedPage(Exception):
    """The browser arrived at a page or redirect that was not expected."""


class Browser:
    """One browser with its own cookies."""

    def __init__(self, stop_at: str, *, transport: httpx2.BaseTransport | None = None) -> None:
        self.stop_at = stop_at
        self.http = httpx2.Client(transport=transport, follow_redirects=False, timeout=30)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.http.close()

    def visit(self, url: str) -> Page | Callback:
        """Open an address and go on to a page or back to the relying party."""
        return self._go_on(self.http.get(url))

    def open_page(self, url: str) -> Page:
        """Open an address that must lead to a page.

        Raises:
            UnexpectedPage: it led back to the relying party, or the page is an error.
        """
        there = self.visit(url)
        if isinstance(there, Callback):
            raise UnexpectedPage(f"sent back with {sorted(there.parameters)}")
        if there.status != httpx2.codes.OK:
            raise UnexpectedPage(f"a page of status {there.status}")
        return there

    def submit(self, page: Page, form: str, **typed: str) -> Page | Callback:
        """Submit a form of a page as a browser does, with what a person typed into it."""
        element = page.element(form)
        if element.tag != "form":
            raise UnexpectedPage(f"#{form} is no form")
        target = urljoin(page.url, element.attributes.get("action", page.url))
        return self._go_on(
            self.http.post(
                target, data={**element.fields, **typed}, headers=_same_origin(page.url)
            )
        )

    def state(self, page: Page) -> dict[str, str]:
        """Poll the state of a consent page's login, as the page does without events."""
        body: dict[str, str] = self.http.get(f"{page.url}/state").json()
        return body

    def finish(self, page: Page) -> Callback:
        """Press *continue* on a consent page whose login was approved."""
        there = self.submit(page, "continue")
        if isinstance(there, Page):
            raise UnexpectedPage(
                f"a page of status {there.status} instead of the relying party"
            )
        return there

    def _go_on(self, answer: httpx2.Response) -> Page | Callback:
        for _ in range(REDIRECT_LIMIT):
            page = _page_of(answer)
            if not page.onward:
                return page
            if _without_query(page.onward) == _without_query(self.stop_at):
                return _callback(page.onward, page.status)
            answer = self.http.get(page.onward)
        raise UnexpectedPage("too many redirects")


def _page_of(answer: httpx2.Response) -> Page:
    return read_page(
        str(answer.url), answer.status_code, dict(answer.headers.items()), answer.text
    )


def _callback(url: str, status: int) -> Callback:
    query = parse_qsl(urlsplit(url).query, keep_blank_values=True, strict_parsing=True)
    return Callback(url, dict(query), status)


def _without_query(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc, parts.path


def _same_origin(url: str) -> dict[str, str]:
    parts = urlsplit(url)
    return {
        "Origin": f"{parts.scheme}://{parts.netloc}",
        "Sec-Fetch-Site": "same-origin",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
