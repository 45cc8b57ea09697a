"""Wires the portal."""

from pathlib import Path

from fastapi import APIRouter

from oidc.portal.base import Portal, PortalRoutes
from oidc.portal.clients.changes import add_change_forms
from oidc.portal.clients.pages import add_app_pages
from oidc.portal.entry import add_common_pages, add_link_entry, add_palm_entry, add_playground
from oidc.portal.sessions import PortalCookies, RelyingParty
from oidc.web.pages import Pages
from oidc.web.services import Services


def portal_router(services: Services) -> APIRouter:
    """Return all routes of the portal."""
    settings = services.settings
    portal = Portal(
        services,
        RelyingParty(services),
        PortalCookies(services.cipher, is_secure=settings.is_secure),
        Pages(settings, Path(__file__).parent),
    )
    routes = PortalRoutes(portal)
    add_common_pages(routes)
    add_entry = add_palm_entry if settings.portal_palm else add_link_entry
    add_entry(routes)
    add_change_forms(routes)
    add_app_pages(routes)
    add_playground(routes)
    return routes.router
