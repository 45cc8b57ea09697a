"""A developer's clients: register, change, replace a secret, remove."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from oidc.clients import registry, secrets
from oidc.clients.logos import LEAST_PX, MOST_PX
from oidc.errors import ClientFault, ClientRefused, FormRefused
from oidc.portal import teams
from oidc.portal.clients.form_faults import faults_of
from oidc.portal.clients.membership import changing, changing_with_palm, own_client
from oidc.portal.clients.snippets import start_of
from oidc.portal.forms import (
    FIELDS,
    empty_form,
    form_of_client,
    form_of_fields,
    metadata_of,
    read_fields,
)
from oidc.web.endpoints.home import logo_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from oidc.portal.base import Portal, PortalRoutes
    from oidc.portal.forms import ClientForm, Fields
    from oidc.portal.sessions import Visit
    from oidc.storage.transactions import Stores
    from oidc.types import Client

OVERLAPS_H: Final = MappingProxyType(
    {"0": "no time (ends now)", "1": "1 hour", "24": "1 day", "168": "7 days", "720": "30 days"}
)
"""Offered hours for which an old secret stays valid."""


_DAY_COUNT: Final = 14
"""Days whose sign-ins are shown."""


def add_client_pages(routes: PortalRoutes) -> None:
    """Add the client pages. Each needs a session and shows the developer's own clients only."""
    one = "/clients/{client_id}"
    routes.page("/clients/new", _new)
    routes.form("/clients", _register)
    routes.page(one, client_page)
    routes.page(f"{one}/change", _change)
    routes.form(f"{one}/change", _save_change)
    routes.form(f"{one}/secret", _rotate)
    routes.page(f"{one}/remove", _confirm_remove)
    routes.form(f"{one}/remove", _remove)


def _new(portal: Portal, visit: Visit) -> Response:
    visit.require_developer()
    return _render_form(portal, visit, empty_form(), None)


def _register(portal: Portal, visit: Visit, fields: Fields) -> Response:
    developer, form = visit.require_developer(), form_of_fields(fields)
    if faults := faults_of(form, None, portal.services.settings):
        return _render_form(portal, visit, form, None, faults)
    try:
        wanted = metadata_of(form)
        with changing(portal, visit) as stores:
            _require_below_limit(portal, stores.owned_clients.count(developer.developer_id))
            registered = registry.register(
                stores,
                wanted.name,
                wanted.redirect_uris,
                now=portal.services.clock(),
                options=wanted.options,
            )
            client_id = registered.client.client_id
            stores.client_teams.set_owner(client_id, developer.developer_id)
    except ClientFault as fault:
        return _render_form(portal, visit, form, None, {"": str(fault)})
    return _render_secret(
        portal,
        visit,
        registered.client,
        registered.secret,
        "The client is registered.",
        status=201,
    )


def client_page(portal: Portal, visit: Visit, logo_fault: str = "") -> Response:
    """Show a client; ``logo_fault``: why its new logo was refused."""
    with portal.services.database.read() as stores:
        client = own_client(stores, visit)
        errors = stores.client_errors.of(client.client_id)
        now = portal.services.clock()
        team = teams.team_of(stores, client.client_id, now)
        days = stores.sign_ins.days_of(client.client_id, now - timedelta(days=_DAY_COUNT))
    ends_at = client.former_secret_ends_at
    is_rollover = ends_at is not None and now < ends_at
    return portal.render(
        visit,
        "client.html",
        status=400 if logo_fault else 200,
        client=client,
        form=form_of_client(client),
        errors=errors,
        former_ends_at=ends_at if is_rollover else None,
        overlaps=OVERLAPS_H,
        days=days,
        team=team,
        logo=logo_address(portal.services, client.client_id),
        logo_px=(LEAST_PX, MOST_PX),
        logo_fault=logo_fault,
        team_size=teams.TEAM_SIZE,
        day_count=_DAY_COUNT,
        start=start_of(client, portal.services.settings.issuer),
    )


def _change(portal: Portal, visit: Visit) -> Response:
    with portal.services.database.read() as stores:
        client = own_client(stores, visit)
        draft = stores.portal_sessions.draft(portal.session_digest(visit.session))
    waiting = read_fields(draft)
    is_waiting = visit.is_confirmed and waiting.get("client_id") == client.client_id
    form = form_of_fields(waiting) if is_waiting else form_of_client(client)
    return _render_form(portal, visit, form, client)


def _save_change(portal: Portal, visit: Visit, fields: Fields) -> Response:
    form = form_of_fields(fields)
    with portal.services.database.read() as stores:
        client = own_client(stores, visit)
    if faults := faults_of(form, client, portal.services.settings):
        return _render_form(portal, visit, form, client, faults)
    typed = {name: text for name in FIELDS if (text := fields.get(name))}
    draft = urlencode({**typed, "client_id": client.client_id})
    with changing_with_palm(portal, visit, "/change", draft) as (stores, client):
        try:
            wanted = metadata_of(form, client)
            registry.update(
                stores,
                client,
                wanted.name,
                wanted.redirect_uris,
                # Chosen by the operator only.
                replace(wanted.options, resource_server=client.resource_server),
                now=portal.services.clock(),
            )
        except ClientFault as fault:
            return _render_form(portal, visit, form, client, {"": str(fault)})
    return portal.redirect(f"/clients/{client.client_id}")


def _rotate(portal: Portal, visit: Visit, fields: Fields) -> Response:
    hours = fields.get("overlap")
    if hours not in OVERLAPS_H:
        raise FormRefused("this overlap is not offered")
    with changing_with_palm(portal, visit) as (stores, client):
        try:
            secret = secrets.rotate_secret(
                stores,
                client.client_id,
                now=portal.services.clock(),
                overlap=timedelta(hours=int(hours)),
            )
        except ClientRefused as fault:
            raise FormRefused(str(fault)) from fault
    validity = "ends now" if hours == "0" else f"stays valid for {hours} h"
    return _render_secret(portal, visit, client, secret, f"The old secret {validity}.")


def _confirm_remove(portal: Portal, visit: Visit) -> Response:
    with portal.services.database.read() as stores:
        client = _removable(portal, stores, visit)
    return portal.render(visit, "remove.html", client=client, refused=None)


def _remove(portal: Portal, visit: Visit, fields: Fields) -> Response:
    with changing_with_palm(portal, visit, "/remove") as (stores, _):
        client = _removable(portal, stores, visit)
        if fields.get("sure") != "yes":
            message = "Tick the box to confirm."
            return portal.render(
                visit, "remove.html", status=400, client=client, refused=message
            )
        registry.remove(stores, client.client_id, now=portal.services.clock())
    return portal.redirect()


def _removable(portal: Portal, stores: Stores, visit: Visit) -> Client:
    """Return the client in the URL, which its owner alone may remove."""
    client, now = own_client(stores, visit), portal.services.clock()
    teams.team_of(stores, client.client_id, now).require_owner(visit.require_developer())
    return client


def _require_below_limit(portal: Portal, present: int) -> None:
    limit = portal.services.settings.portal_clients
    if present >= limit:
        raise ClientRefused(
            f"you already have {limit} clients: remove one or ask for a higher limit"
        )


def _render_form(
    portal: Portal,
    visit: Visit,
    form: ClientForm,
    client: Client | None,
    faults: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    """Show the form, each fault at its field; one of no field is under the empty name."""
    return portal.render(
        visit,
        "client_form.html",
        status=400 if faults else 200,
        form=form,
        client=client,
        faults=faults,
    )


def _render_secret(
    portal: Portal,
    visit: Visit,
    client: Client,
    secret: str,
    message: str,
    *,
    status: int = 200,
) -> Response:
    """Show a secret once. It is in no URL, cookie or store."""
    return portal.render(
        visit,
        "secret.html",
        status=status,
        client=client,
        secret=secret,
        message=message,
        start=start_of(client, portal.services.settings.issuer, secret),
    )
