"""Every fault of the client form at once, each at its field.

A field is judged in a form that is otherwise right, together with those that it depends on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oidc.clients import registry
from oidc.errors import ClientFault
from oidc.portal.forms import ClientForm, empty_form, metadata_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oidc.settings import OidcSettings
    from oidc.types import Client

_RIGHT: Final = {"client_name": "App", "redirect_uris": "https://app.example/"}

_DEPENDENT: Final = (
    ("client_name",),
    ("redirect_uris",),
    ("jwks", "token_endpoint_auth_method"),
    ("id_token_signed_response_alg",),
    ("confirm_code",),
    ("profile", "jwks", "token_endpoint_auth_method"),
    ("accept_palm_alone", "sandbox"),
    ("post_logout_redirect_uris",),
    ("backchannel_logout_uri", "backchannel_logout_session_required"),
)
"""The field that a fault is shown at, and what it depends on; in the order of the page."""


def faults_of(
    form: ClientForm, client: Client | None, settings: OidcSettings
) -> dict[str, str]:
    """Return the reason for each field that cannot be accepted, in the order of the page."""
    faults: dict[str, str] = {}
    for fields in _DEPENDENT:
        if faults.keys() & set(fields):
            continue
        if reason := _reason(form, fields, client, settings):
            faults[fields[0]] = reason
    return faults


def _reason(
    form: ClientForm, fields: Sequence[str], client: Client | None, settings: OidcSettings
) -> str | None:
    """Return what is wrong with these fields alone, or None."""
    texts = {**empty_form().texts, **_RIGHT}
    texts |= {name: text for name, text in form.texts.items() if name in fields}
    try:
        wanted = metadata_of(ClientForm(texts, form.ticked & set(fields)), client)
        registry.require_reachable(
            wanted.options, allows_private_hosts=settings.allows_private_hosts
        )
        registry.require_allowed_level(
            wanted.options, palm_alone=settings.allows_palm_alone, present=client
        )
        registry.require_acceptable(wanted.name, wanted.redirect_uris, wanted.options)
    except ClientFault as fault:
        return str(fault)
    return None
