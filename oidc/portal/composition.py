"""Wires the portal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.portal.base import Portal, PortalRoutes
from oidc.portal.clients.pages import add_client_pages
from oidc.portal.pages import PortalPages
from oidc.portal.playground import add_playground
from oidc.portal.relying_party import RelyingParty
from oidc.portal.sessions import PortalCookies
from oidc.portal.sign_in import add_sign_in

if TYPE_CHECKING:
    from fastapi import APIRouter

    from oidc.keys.encryption import KeyCipher
    from oidc.web.services import Services


def portal_router(services: Services, cipher: KeyCipher) -> APIRouter:
    """Return all routes of the portal."""
    settings = services.settings
    portal = Portal(
        services,
        RelyingParty(services, cipher),
        PortalCookies(cipher, is_secure=settings.is_secure),
        PortalPages(services.pages, settings),
    )
    routes = PortalRoutes(portal)
    add_sign_in(routes)
    add_client_pages(routes)
    add_playground(routes)
    routes.describe()
    return routes.router
