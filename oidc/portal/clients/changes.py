"""What a developer does with a client: register, change, replace its secret, remove.

And with its developers: invite, join, remove, leave.
"""

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from oidc.client import Client, Setter
from oidc.clients import registry
from oidc.clients.logos import LEAST_PX, MOST_PX, remove_logo, set_logo
from oidc.clients.options import OPTIONS, Checked, check
from oidc.errors import ClientRefused, FormRefused
from oidc.portal import developers, teams
from oidc.portal.base import Portal, PortalRoutes
from oidc.portal.clients.pages import (
    OVERLAPS_H,
    changing,
    changing_with_palm,
    own_client,
    render_app,
    start_of,
)
from oidc.portal.forms import (
    FIELDS,
    ClientForm,
    Fields,
    empty_form,
    form_of_client,
    form_of_fields,
    read_fields,
)
from oidc.portal.sessions import SAVED, Visit
from oidc.storage.database import Stores


def add_change_forms(routes: PortalRoutes) -> None:
    """Add the forms. Each needs a session and changes the developer's own clients only."""
    one = "/clients/{client_id}"
    routes.page("/clients/new", _new)
    routes.form("/clients", _register)
    routes.page(f"{one}/change", _change)
    routes.form(f"{one}/change", _save_change)
    routes.form(f"{one}/secret", _rotate)
    routes.page(f"{one}/remove", _confirm_remove)
    routes.form(f"{one}/remove", _remove)
    routes.upload(f"{one}/logo", _set_logo)
    routes.form(f"{one}/logo/remove", _remove_logo)
    routes.page("/team", _show_invitation)
    routes.form("/team", _join)
    routes.form(f"{one}/team/invite", _invite)
    routes.form(f"{one}/team/withdraw", _revoke_invitations)
    routes.form(f"{one}/team/remove", _remove_member)


def _new(portal: Portal, visit: Visit) -> Response:
    visit.require_developer()
    return _render_form(portal, visit, empty_form(), None)


def _register(portal: Portal, visit: Visit, fields: Fields) -> Response:
    developer, form = visit.require_developer(), form_of_fields(fields)
    checked = _check(portal, form)
    if checked.faults:
        return _render_form(portal, visit, form, None, _reasons(checked))
    with changing(portal, visit) as stores:
        limit = portal.services.settings.portal_clients
        if stores.owned_clients.count(developer.developer_id) >= limit:
            reason = f"you already have {limit} clients: remove one or ask for a higher limit"
            return _render_form(portal, visit, form, None, {"": reason})
        registered = registry.register(stores, checked, now=portal.services.clock())
        stores.client_teams.set_owner(registered.client.client_id, developer.developer_id)
    return _render_secret(portal, visit, registered.client, registered.secret, status=201)


def _change(portal: Portal, visit: Visit, logo_fault: str = "") -> Response:
    """Show the settings of a client; ``logo_fault``: why its new logo was refused."""
    with portal.services.database.read() as stores:
        client = own_client(stores, visit)
        draft = stores.portal_sessions.draft(portal.session_digest(visit.session))
    waiting = read_fields(draft)
    is_waiting = visit.is_confirmed and waiting.get("client_id") == client.client_id
    form = form_of_fields(waiting) if is_waiting else form_of_client(client)
    return _render_form(portal, visit, form, client, logo_fault=logo_fault)


def _save_change(portal: Portal, visit: Visit, fields: Fields) -> Response:
    form = form_of_fields(fields)
    with portal.services.database.read() as stores:
        client = own_client(stores, visit)
    checked = _check(portal, form, client)
    if checked.faults:
        return _render_form(portal, visit, form, client, _reasons(checked))
    typed = {name: text for name in FIELDS if (text := fields.get(name))}
    draft = urlencode({**typed, "client_id": client.client_id})
    with changing_with_palm(portal, visit, "/change", draft) as (stores, client):
        client = registry.require_locked(stores, client.client_id)
        checked = _check(portal, form, client)  # it may have changed meanwhile
        registry.update(stores, client, checked, now=portal.services.clock())
    return portal.redirect(f"/clients/{client.client_id}/change?{SAVED}")


def _check(portal: Portal, form: ClientForm, client: Client | None = None) -> Checked:
    return check(form.document(), portal.services.settings.policy(Setter.DEVELOPER, client))


def _reasons(checked: Checked) -> dict[str, str]:
    return {each.name: each.reason for each in checked.faults}


def _set_logo(portal: Portal, visit: Visit, picture: bytes) -> Response:
    try:
        with changing_with_palm(portal, visit, "/change") as (stores, client):
            set_logo(stores, client, picture, portal.services.clock())
    except ClientRefused as fault:
        return _change(portal, visit, str(fault))
    return portal.redirect(f"/clients/{client.client_id}/change?{SAVED}")


def _remove_logo(portal: Portal, visit: Visit, fields: Fields) -> Response:
    with changing_with_palm(portal, visit, "/change") as (stores, client):
        remove_logo(stores, client, portal.services.clock())
    return portal.redirect(f"/clients/{client.client_id}/change?{SAVED}")


def _rotate(portal: Portal, visit: Visit, fields: Fields) -> Response:
    hours = fields.get("overlap")
    if hours not in OVERLAPS_H:
        raise FormRefused("this overlap is not offered")
    now, overlap = portal.services.clock(), timedelta(hours=int(hours))
    with changing_with_palm(portal, visit, "/credentials") as (stores, client):
        try:
            secret = registry.rotate_secret(stores, client.client_id, now=now, overlap=overlap)
        except ClientRefused as fault:
            raise FormRefused(str(fault)) from fault
    return _render_secret(portal, visit, client, secret, overlap=hours)


def _confirm_remove(portal: Portal, visit: Visit) -> Response:
    with portal.services.database.read() as stores:
        client = _removable(portal, stores, visit)
    return render_app(portal, visit, "remove", client, is_refused=False)


def _remove(portal: Portal, visit: Visit, fields: Fields) -> Response:
    with changing_with_palm(portal, visit, "/remove") as (stores, _):
        client = _removable(portal, stores, visit)
        if is_sure := fields.get("sure") == "yes":
            registry.remove(stores, client.client_id, now=portal.services.clock())
    if is_sure:
        return portal.redirect()
    return render_app(portal, visit, "remove", client, status=400, is_refused=True)


def _removable(portal: Portal, stores: Stores, visit: Visit) -> Client:
    """Return the client in the URL, which its owner alone may remove."""
    client, now = own_client(stores, visit), portal.services.clock()
    teams.team_of(stores, client.client_id, now).require_owner(visit.require_developer())
    return client


def _show_invitation(portal: Portal, visit: Visit) -> Response:
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


def _remove_member(portal: Portal, visit: Visit, fields: Fields) -> Response:
    actor, member = visit.require_developer(), fields.get("developer")
    with changing_with_palm(portal, visit, "/team") as (stores, client):
        teams.remove(stores, client.client_id, member, actor, portal.services.clock())
    has_left = member == actor.developer_id
    return portal.redirect("" if has_left else f"/clients/{client.client_id}/team")


def _render_form(
    portal: Portal,
    visit: Visit,
    form: ClientForm,
    client: Client | None,
    faults: Mapping[str, str] = MappingProxyType({}),
    logo_fault: str = "",
) -> Response:
    """Show the form of a client, or of a new one, with each fault at its field.

    A fault of no field is under the empty name.
    """
    status = 400 if faults or logo_fault else 200
    shown: dict[str, Any] = {"form": form, "faults": faults, "options": OPTIONS}
    if client is None:
        return portal.render(visit, "new.html", status=status, **shown)
    with portal.services.database.read() as stores:
        team = teams.team_of(stores, client.client_id, portal.services.clock())
    shown |= {"logo_fault": logo_fault, "logo_px": (LEAST_PX, MOST_PX), "team": team}
    return render_app(portal, visit, "change", client, status=status, **shown)


def _render_secret(
    portal: Portal,
    visit: Visit,
    client: Client,
    secret: str,
    *,
    overlap: str = "",
    status: int = 200,
) -> Response:
    """Show a secret once: it is in no URL, cookie or store.

    ``overlap``: hours for which the one before it stays valid.
    """
    start = start_of(client, portal.services.settings.issuer, secret)
    shown = {"secret": secret, "overlap": overlap, "start": start}
    return render_app(portal, visit, "secret", client, status=status, **shown)
