"""Forms to set and remove the logo of a client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.clients.logos import remove_logo, set_logo
from oidc.errors import ClientRefused
from oidc.portal.clients.changes import change_page
from oidc.portal.clients.membership import changing_with_palm
from oidc.portal.sessions import SAVED

if TYPE_CHECKING:
    from starlette.responses import Response

    from oidc.portal.base import Portal, PortalRoutes
    from oidc.portal.forms import Fields
    from oidc.portal.sessions import Visit


def add_logo_forms(routes: PortalRoutes) -> None:
    """Add the forms; both need a session."""
    one = "/clients/{client_id}/logo"
    routes.upload(one, _set)
    routes.form(f"{one}/remove", _remove)


def _set(portal: Portal, visit: Visit, picture: bytes) -> Response:
    try:
        with changing_with_palm(portal, visit, "/change") as (stores, client):
            set_logo(stores, client, picture, portal.services.clock())
    except ClientRefused as fault:
        return change_page(portal, visit, str(fault))
    return portal.redirect(f"/clients/{client.client_id}/change?{SAVED}")


def _remove(portal: Portal, visit: Visit, fields: Fields) -> Response:
    with changing_with_palm(portal, visit, "/change") as (stores, client):
        remove_logo(stores, client, portal.services.clock())
    return portal.redirect(f"/clients/{client.client_id}/change?{SAVED}")
