"""What the routes share: every part of the provider, already built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oidc.client_errors import ErrorNotes
    from oidc.dpop import Proofs
    from oidc.entrance import Entrance
    from oidc.keys import KeyRing
    from oidc.logout import Logout
    from oidc.logout_delivery import LogoutDelivery
    from oidc.provider.client_calls import ClientCalls
    from oidc.provider.endpoint import TokenEndpoint
    from oidc.quotas import Quotas
    from oidc.registration import Registrar
    from oidc.routes.cookies import LoginCookies
    from oidc.routes.cross_origin import CrossOrigin
    from oidc.routes.pages import Pages
    from oidc.routes.places import Places
    from oidc.routes.session_cookie import SessionCookie
    from oidc.routes.stream import LoginWatch
    from oidc.routes.visitors import BrowserMark
    from oidc.settings import OidcSettings
    from oidc.storage.transactions import Transactions
    from oidc.types import Clock
    from oidc.userinfo import Resource
    from oidc.waiting import WaitingRoom


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of one provider; see their classes."""

    settings: OidcSettings
    places: Places
    clock: Clock
    transactions: Transactions
    waiting: WaitingRoom
    watch: LoginWatch
    quotas: Quotas
    token_endpoint: TokenEndpoint
    client_calls: ClientCalls
    userinfo: Resource
    proofs: Proofs
    cross_origin: CrossOrigin
    registrar: Registrar
    error_notes: ErrorNotes
    keys: KeyRing
    pages: Pages
    cookies: LoginCookies
    browser_mark: BrowserMark
    session_cookie: SessionCookie
    entrance: Entrance
    logout: Logout
    logout_delivery: LogoutDelivery
