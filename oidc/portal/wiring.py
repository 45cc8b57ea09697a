"""Puts the portal together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.portal.access import add_access
from oidc.portal.own import add_own_clients
from oidc.portal.pages import PortalPages
from oidc.portal.relying_party import RelyingParty
from oidc.portal.serving import Portal, PortalRoutes
from oidc.portal.trial import add_trial
from oidc.portal.visits import PortalCookies
from oidc.types import Profile

if TYPE_CHECKING:
    from fastapi import APIRouter

    from oidc.key_cipher import KeyCipher
    from oidc.routes.context import Context
    from oidc.settings import OidcSettings


def is_served(settings: OidcSettings) -> bool:
    """Tell whether the portal is served: its own clients are not held to FAPI 2.0."""
    return settings.portal and settings.profile is Profile.STANDARD


def portal_router(context: Context, cipher: KeyCipher) -> APIRouter:
    """Return every route of the portal."""
    settings = context.settings
    portal = Portal(
        context,
        RelyingParty(context, cipher),
        PortalCookies(cipher, is_secure=settings.is_secure),
        PortalPages(context.pages, settings),
    )
    routes = PortalRoutes(portal)
    add_access(routes)
    add_own_clients(routes)
    add_trial(routes)
    routes.describe()
    return routes.router
