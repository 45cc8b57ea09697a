"""Front page, invitations, signing in and out."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from oidc.errors import InvitationRefused
from oidc.portal import developers
from oidc.portal.base import FLOW_S
from oidc.portal.openapi import TEXT
from oidc.portal.system_clients import PORTAL
from oidc.protocol.identifiers import digest_of, new_secret
from oidc.types import PairwiseSubject

if TYPE_CHECKING:
    from starlette.responses import Response

    from oidc.portal.base import Portal, PortalRoutes
    from oidc.portal.forms import Fields
    from oidc.portal.sessions import Visit


def add_sign_in(routes: PortalRoutes) -> None:
    """Add the pages that need no session."""
    routes.page("", _front_page, "The developer's clients, or the sign-in button.", 200)
    routes.page("/join", _invitation, "The form to use an invitation.", 200)
    invitation = {"invitation": TEXT}
    routes.form("/join", _join, "Use an invitation.", 303, 400, fields=invitation)
    routes.form("/sign-in", _sign_in, "Start signing in.", 303)
    callback = "Redirect URI of the sign-in."
    routes.page("/callback", _callback, callback, 303, 400, 403, methods=["GET"])
    routes.form("/sign-out", _sign_out, "Sign out.", 303)


def _front_page(portal: Portal, visit: Visit) -> Response:
    if visit.developer is None:
        return portal.render(visit, "welcome.html")
    with portal.services.transactions.read() as stores:
        clients = stores.owned_clients.of(visit.developer.developer_id)
    return portal.render(visit, "clients.html", clients=clients)


def _invitation(portal: Portal, visit: Visit) -> Response:
    return portal.render(visit, "join.html")


def _join(portal: Portal, visit: Visit, fields: Fields) -> Response:
    """Check the invitation before sign-in; it is used up after that."""
    # People may paste the whole link.
    digest = digest_of(fields.get("invitation").strip().rpartition("#")[2])
    with portal.services.transactions.read() as stores:
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
    secret, lifetime = new_secret(), _lifetime(portal)
    with portal.services.transactions.write() as stores:
        subject = PairwiseSubject(received.claims["sub"])
        developer = developers.enter(stores, subject, invitation, now)
        stores.portal_sessions.purge(now)
        # End the browser's previous session: a new person must not inherit it.
        stores.portal_sessions.end(digest_of(portal.cookies.session(visit.request)))
        stores.portal_sessions.begin(digest_of(secret), developer.developer_id, now + lifetime)
    response = portal.redirect()
    portal.cookies.set_session(response, secret, int(lifetime.total_seconds()))
    portal.cookies.delete_flow(response)
    return response


def _sign_out(portal: Portal, visit: Visit, fields: Fields) -> Response:
    with portal.services.transactions.write() as stores:
        stores.portal_sessions.end(digest_of(visit.session))
    response = portal.redirect()
    portal.cookies.delete_session(response)
    return response


def _lifetime(portal: Portal) -> timedelta:
    return timedelta(minutes=portal.services.settings.portal_session_minutes)
