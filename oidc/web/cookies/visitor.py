"""The browser of a request, as its cookies describe it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.login.user_agents import browser_of, system_of
from oidc.login.views import Visitor
from oidc.plumbing.client_address import network_prefix
from oidc.protocol.identifiers import digest_of
from oidc.types import BrowserDescription

if TYPE_CHECKING:
    from starlette.requests import Request

    from oidc.web.cookies.login_cookie import LoginCookies


def describe_browser(request: Request) -> BrowserDescription:
    """Return browser, system and network, from the User-Agent and the peer's address."""
    user_agent = request.headers.get("user-agent", "")
    address = None if request.client is None else request.client.host
    return BrowserDescription(
        browser_of(user_agent), system_of(user_agent), network_prefix(address)
    )


def visitor_of(
    request: Request, cookies: LoginCookies, mark: str, station: str | None
) -> Visitor:
    """Return what is known about the request's browser."""
    return Visitor(
        describe_browser(request),
        digest_of(mark),
        None if station is None else digest_of(station),
        cookies.all(request.cookies),
    )
