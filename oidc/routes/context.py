"""What the routes share: every part of the provider, already built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oidc.access_tokens import AccessTokens
    from oidc.keys import KeyRing
    from oidc.provider.client_calls import ClientCalls
    from oidc.provider.endpoint import TokenEndpoint
    from oidc.routes.cookies import LoginCookies
    from oidc.routes.pages import Pages
    from oidc.routes.places import Places
    from oidc.routes.stream import LoginWatch
    from oidc.settings import OidcSettings
    from oidc.storage.transactions import Transactions
    from oidc.types import Clock
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
    token_endpoint: TokenEndpoint
    client_calls: ClientCalls
    access_tokens: AccessTokens
    keys: KeyRing
    pages: Pages
    cookies: LoginCookies
