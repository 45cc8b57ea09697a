"""Front page, the page of an invitation or link, and signing out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.responses import Response

    from oidc.portal.base import Portal, PortalRoutes
    from oidc.portal.forms import Fields
    from oidc.portal.sessions import Visit


def add_common_pages(routes: PortalRoutes) -> None:
    """Add the pages that need no session, whatever the way in."""
    routes.page("", _front_page, "The developer's clients, or how to enter.", 200)
    routes.page("/join", _join_page, "The form to use an invitation or a link.", 200)
    routes.form("/sign-out", _sign_out, "Sign out.", 303)


def _front_page(portal: Portal, visit: Visit) -> Response:
    if visit.developer is None:
        return portal.render(visit, "welcome.html", has_palm=portal.has_palm)
    with portal.services.database.read() as stores:
        clients = stores.owned_clients.of(visit.developer.developer_id)
    return portal.render(visit, "clients.html", clients=clients)


def _join_page(portal: Portal, visit: Visit) -> Response:
    return portal.render(visit, "join.html", has_palm=portal.has_palm)


def _sign_out(portal: Portal, visit: Visit, fields: Fields) -> Response:
    with portal.services.database.write() as stores:
        stores.portal_sessions.end(portal.session_digest(visit.session))
    response = portal.redirect()
    portal.cookies.delete_session(response)
    return response
