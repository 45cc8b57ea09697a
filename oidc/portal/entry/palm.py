"""Entry by palm: the invitation joins, the pseudonym at the portal's client signs in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.errors import InvitationRefused
from oidc.portal import developers
from oidc.portal.base import FLOW_S
from oidc.portal.openapi import TEXT
from oidc.portal.system_clients import PORTAL
from oidc.types import PairwiseSubject

if TYPE_CHECKING:
    from starlette.responses import Response

    from oidc.portal.base import Portal, PortalRoutes
    from oidc.portal.forms import Fields
    from oidc.portal.sessions import Visit


def add_palm_entry(routes: PortalRoutes) -> None:
    """Add the forms that lead to a sign-in, and its redirect URI."""
    invitation = {"invitation": TEXT}
    routes.form("/join", _join, "Use an invitation.", 303, 400, fields=invitation)
    routes.form("/sign-in", _sign_in, "Start signing in.", 303)
    callback = "Redirect URI of the sign-in."
    routes.page("/callback", _callback, callback, 303, 400, 403, methods=["GET"])


def _join(portal: Portal, visit: Visit, fields: Fields) -> Response:
    """Check the invitation before sign-in; it is used up after that."""
    digest = developers.digest_of_link(fields.get("invitation"))
    with portal.services.database.read() as stores:
        if not stores.developers.is_invited(digest, portal.services.clock()):
            raise InvitationRefused("the invitation is not valid")
    return portal.redirect_to_sign_in(portal.relying_party.begin(PORTAL, FLOW_S, digest))


def _sign_in(portal: Portal, visit: Visit, fields: Fields) -> Response:
    return portal.redirect_to_sign_in(portal.relying_party.begin(PORTAL, FLOW_S))


def _callback(portal: Portal, visit: Visit) -> Response:
    now = portal.services.clock()
    flow, answer = portal.answer(visit, PORTAL)
    received = portal.relying_party.finish(flow, answer)
    invitation = None if flow.invitation is None else bytes.fromhex(flow.invitation)
    with portal.services.database.write() as stores:
        subject = PairwiseSubject(received.claims["sub"])
        developer = developers.enter(stores, subject, invitation, now)
        session = portal.begin_session(stores, visit, developer)
    response = portal.redirect()
    portal.set_session(response, session)
    portal.cookies.delete_flow(response)
    return response
