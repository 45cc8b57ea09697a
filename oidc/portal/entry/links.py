"""Entry by one-time link, without a palm: for ``PORTAL_PALM=false``.

The link is the whole proof: who opens it first is the developer. So it is spent by a form
and not by opening it (programs that look at mail open links), ends early, and a newer one
ends it. Every entry is audited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.portal import developers
from oidc.portal.openapi import TEXT

if TYPE_CHECKING:
    from starlette.responses import Response

    from oidc.portal.base import Portal, PortalRoutes
    from oidc.portal.forms import Fields
    from oidc.portal.sessions import Visit


def add_link_entry(routes: PortalRoutes) -> None:
    """Add the form that spends a link."""
    link = {"invitation": TEXT}
    routes.form("/join", _enter, "Enter by a one-time link.", 303, 400, fields=link)


def _enter(portal: Portal, visit: Visit, fields: Fields) -> Response:
    digest = developers.digest_of_link(fields.get("invitation"))
    with portal.services.database.write() as stores:
        developer = developers.enter_by_link(stores, digest, portal.services.clock())
        session = portal.begin_session(stores, visit, developer)
    response = portal.redirect()
    portal.set_session(response, session)
    return response
