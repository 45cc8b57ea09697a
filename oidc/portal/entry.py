"""The routes of the portal, and how developers enter it.

By palm or, with ``PORTAL_PALM=false``, by one-time link.

By palm an invitation joins, and the pseudonym at the portal's client signs in. A link is the
whole proof: who opens it first is the developer. So it is spent by a form and not by opening it
(programs that look at mail open links), ends early, and a newer one ends it. Every entry is
audited.

What protects a client is changed within minutes of a palm. A later change asks for one, as an
ordinary re-authentication (OpenID Connect Core §3.1.2.1, RFC 9470 §4) for the session that
asked. Nothing is applied on the way back: the developer presses the button again.

The playground tries a login with a client of the portal and shows what an app receives. Tokens
are decoded and verified, never shown, and revoked before the page is rendered.
"""

import hmac
from datetime import timedelta
from pathlib import Path
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from oidc.errors import FormRefused, InvitationRefused, SignInFailed
from oidc.portal import developers
from oidc.portal.base import Portal, PortalRoutes
from oidc.portal.clients.changes import add_change_forms
from oidc.portal.clients.pages import add_app_pages
from oidc.portal.forms import Fields
from oidc.portal.sessions import CONFIRMED, Flow, PortalCookies, Received, RelyingParty, Visit
from oidc.portal.system_clients import PORTAL, TRIAL
from oidc.protocol import digest_of, new_secret
from oidc.types import PairwiseSubject
from oidc.web.pages import Pages
from oidc.web.services import Services

_DIGITS: Final = 18
"""Of the number of a notice: fits into an integer of the database."""


def portal_router(services: Services) -> APIRouter:
    """Return all routes of the portal."""
    settings = services.settings
    portal = Portal(
        services,
        RelyingParty(services),
        PortalCookies(services),
        Pages(settings, Path(__file__).parent),
    )
    routes = PortalRoutes(portal)
    routes.page("", _front_page)
    routes.page("/join", _join_page)
    routes.form("/sign-out", _sign_out)
    routes.form("/notices", _dismiss)
    routes.form("/join", _join if settings.portal_palm else _enter)
    if settings.portal_palm:
        routes.form("/sign-in", _sign_in)
        routes.page("/callback", _callback, ["GET"])
    add_change_forms(routes)
    add_app_pages(routes)
    routes.page("/trial", _explain)
    routes.form("/trial", _begin)
    routes.page("/trial/callback", _result, ["GET"])
    return routes.router


def _front_page(portal: Portal, visit: Visit) -> Response:
    if visit.developer is None:
        return portal.render(visit, "welcome.html", has_palm=portal.has_palm)
    with portal.services.database.read() as stores:
        clients = stores.owned_clients.of(visit.developer.developer_id)
        notices = stores.team_notices.of(visit.developer.developer_id, portal.services.clock())
    return portal.render(visit, "clients.html", clients=clients, notices=notices)


def _dismiss(portal: Portal, visit: Visit, fields: Fields) -> Response:
    latest, developer = fields.get("latest"), visit.require_developer()
    if not latest.isdecimal() or len(latest) > _DIGITS:
        raise FormRefused("no notice has this number")
    with portal.services.database.write() as stores:
        stores.team_notices.dismiss(developer.developer_id, int(latest))
    return portal.redirect()


def _join_page(portal: Portal, visit: Visit) -> Response:
    return portal.render(visit, "join.html", has_palm=portal.has_palm)


def _sign_out(portal: Portal, visit: Visit, fields: Fields) -> Response:
    with portal.services.database.write() as stores:
        stores.portal_sessions.end(portal.session_digest(visit.session))
    response = portal.redirect()
    portal.cookies.session.delete(response)
    return response


def _enter(portal: Portal, visit: Visit, fields: Fields) -> Response:
    digest = developers.digest_of_link(fields.get("invitation"))
    with portal.services.database.write() as stores:
        developer = developers.enter_by_link(stores, digest, portal.services.clock())
        session = portal.begin_session(stores, visit, developer, portal.services.clock())
    response = portal.redirect()
    portal.cookies.session.set(response, session)
    return response


def _join(portal: Portal, visit: Visit, fields: Fields) -> Response:
    """Check the invitation before sign-in; it is used up after that."""
    digest = developers.digest_of_link(fields.get("invitation"))
    with portal.services.database.read() as stores:
        if not stores.developers.is_invited(digest, portal.services.clock()):
            raise InvitationRefused("the invitation is not valid")
    return portal.redirect_to_sign_in(portal.relying_party.begin(PORTAL, digest))


def _sign_in(portal: Portal, visit: Visit, fields: Fields) -> Response:
    return portal.redirect_to_sign_in(portal.relying_party.begin(PORTAL))


def _callback(portal: Portal, visit: Visit) -> Response:
    flow, answer = portal.answer(visit, PORTAL)
    received = portal.relying_party.finish(flow, answer)
    if flow.is_step_up:
        session = _confirmed(portal, visit, flow, received)
    else:
        session = _entered(portal, visit, flow, received)
    response = portal.redirect(f"{flow.returns}?{CONFIRMED}" if flow.is_step_up else "")
    portal.cookies.session.set(response, session)
    portal.cookies.delete_flow(response)
    return response


def _confirmed(portal: Portal, visit: Visit, flow: Flow, received: Received) -> str:
    """Give the session that requested a palm another secret: a thief of the former is out."""
    former, developer = portal.session_digest(visit.session), visit.developer
    is_same = developer is not None and developer.subject == received.claims["sub"]
    if not is_same or not hmac.compare_digest(flow.session, former.hex()):
        raise SignInFailed("another session or person requested this palm: start again")
    secret, now = new_secret(), portal.services.clock()
    with portal.services.database.write() as stores:
        digest = portal.session_digest(secret)
        ends_at = now + timedelta(seconds=portal.cookies.session_s)
        stores.portal_sessions.renew(former, digest, received.auth_time, ends_at)
        if digest_of(stores.portal_sessions.draft(digest)).hex() != flow.draft:
            # A thief of the session has put another form there.
            stores.portal_sessions.keep_draft(digest, "")
    return secret


def _entered(portal: Portal, visit: Visit, flow: Flow, received: Received) -> str:
    """Return the session of who signed in or joined."""
    now = portal.services.clock()
    invitation = None if flow.invitation is None else bytes.fromhex(flow.invitation)
    with portal.services.database.write() as stores:
        subject = PairwiseSubject(received.claims["sub"])
        developer = developers.enter(stores, subject, invitation, now)
        return portal.begin_session(stores, visit, developer, received.auth_time)


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
