"""Try a login with a client of the portal and see what an app receives.

Tokens are decoded and verified, never shown, and revoked before the page is rendered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.portal.system_clients import TRIAL

if TYPE_CHECKING:
    from starlette.responses import Response

    from oidc.portal.base import Portal, PortalRoutes
    from oidc.portal.forms import Fields
    from oidc.portal.sessions import Visit


def add_playground(routes: PortalRoutes) -> None:
    """Add the playground's pages; they need a session."""
    routes.page("/trial", _explain)
    routes.form("/trial", _begin)
    routes.page("/trial/callback", _result, ["GET"])


def _explain(portal: Portal, visit: Visit) -> Response:
    visit.require_developer()
    return portal.render(visit, "playground.html", received=None)


def _begin(portal: Portal, visit: Visit, fields: Fields) -> Response:
    visit.require_developer()
    return portal.redirect_to_sign_in(portal.relying_party.begin(TRIAL))


def _result(portal: Portal, visit: Visit) -> Response:
    visit.require_developer()
    received = portal.relying_party.finish(*portal.answer(visit, TRIAL))
    shown = {
        "header": received.header,
        "claims": received.claims,
        "access": received.access_claims,
        "userinfo": received.userinfo,
        "response": received.response,
    }
    response = portal.render(visit, "playground.html", received=shown)
    portal.cookies.delete_flow(response)
    return response
