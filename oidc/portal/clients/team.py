"""Pages of the developers of a client: invite, join, remove, leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.portal import developers, teams
from oidc.portal.clients.membership import changing, changing_with_palm
from oidc.portal.clients.pages import render_app

if TYPE_CHECKING:
    from starlette.responses import Response

    from oidc.portal.base import Portal, PortalRoutes
    from oidc.portal.forms import Fields
    from oidc.portal.sessions import Visit


def add_team_pages(routes: PortalRoutes) -> None:
    """Add the pages; each form needs a session."""
    one = "/clients/{client_id}/team"
    routes.page("/team", _invited)
    routes.form("/team", _join)
    routes.form(f"{one}/invite", _invite)
    routes.form(f"{one}/withdraw", _revoke_invitations)
    routes.form(f"{one}/remove", _remove)


def _invited(portal: Portal, visit: Visit) -> Response:
    return portal.render(visit, "team_join.html")


def _join(portal: Portal, visit: Visit, fields: Fields) -> Response:
    developer = visit.require_developer()
    digest = developers.digest_of_link(fields.get("invitation"))
    with changing(portal, visit) as stores:
        client_id = teams.join(stores, digest, developer, portal.services.clock())
    return portal.redirect(f"/clients/{client_id}")


def _invite(portal: Portal, visit: Visit, fields: Fields) -> Response:
    """Show the link once; its secret is behind the "#", which browsers do not send."""
    now = portal.services.clock()
    with changing_with_palm(portal, visit, "/team") as (stores, client):
        invitation = teams.invite(stores, client.client_id, visit.require_developer(), now)
    link = f"{portal.address}/team#{invitation}"
    days = teams.INVITATION_LIFETIME.days
    return render_app(portal, visit, "team_invitation", client, link=link, days=days)


def _revoke_invitations(portal: Portal, visit: Visit, fields: Fields) -> Response:
    now = portal.services.clock()
    with changing_with_palm(portal, visit, "/team") as (stores, client):
        teams.revoke_invitations(stores, client.client_id, visit.require_developer(), now)
    return portal.redirect(f"/clients/{client.client_id}/team")


def _remove(portal: Portal, visit: Visit, fields: Fields) -> Response:
    actor, member = visit.require_developer(), fields.get("developer")
    with changing_with_palm(portal, visit, "/team") as (stores, client):
        teams.remove(stores, client.client_id, member, actor, portal.services.clock())
    has_left = member == actor.developer_id
    return portal.redirect("" if has_left else f"/clients/{client.client_id}/team")
