"""Puts the portal together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.portal.base import Portal, PortalRoutes
from oidc.portal.client_pages import add_own_clients
from oidc.portal.pages import PortalPages
from oidc.portal.playground import add_trial
from oidc.portal.relying_party import RelyingParty
from oidc.portal.sessions import PortalCookies
from oidc.portal.sign_in import add_access
from oidc.types import Profile

if TYPE_CHECKING:
    from fastapi import APIRouter

    from oidc.keys.encryption import KeyCipher
    from oidc.settings import OidcSettings
    from oidc.web.services import Context


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
