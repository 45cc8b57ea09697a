"""The options of ``thenar client add`` and ``update``; what is left out stays as it is."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oidc.clients.registry import Options
from oidc.errors import ClientRefused
from oidc.types import ConfirmCode, Profile

if TYPE_CHECKING:
    from oidc.types import Client

_NO_PKCE = (
    "Without PKCE, somebody who reads a code on its way (in a log, by another app) or slips "
    "one into another person's browser can use it. Let the app send PKCE if its library can."
)

RedirectUris = Annotated[
    list[str] | None, typer.Option(help="Exact URI that codes may be sent to. Repeatable.")
]
Scope = Annotated[
    str | None, typer.Option(help="Scopes the client may request, separated by spaces.")
]
ExternalUserId = Annotated[
    bool | None, typer.Option(help="Repeat sub as external_user_id in ID tokens.")
]
Jwks = Annotated[
    Path | None,
    typer.Option(help="File with the client's public keys (JWK set), for private_key_jwt."),
]
Pkce = Annotated[
    bool | None,
    typer.Option(
        help="Refuse requests without PKCE (the default; always on for public clients). "
        "--no-pkce is for apps whose library cannot send it."
    ),
]
IdTokenAlg = Annotated[
    str | None, typer.Option(help="Signature algorithm of ID tokens: RS256 or ES256.")
]
Par = Annotated[
    bool | None,
    typer.Option(help="Refuse authorization requests that were not pushed (RFC 9126)."),
]
ConfirmCodes = Annotated[
    ConfirmCode | None,
    typer.Option(help="When to require the confirmation code shown on the phone."),
]
TrustedPhone = Annotated[
    bool | None, typer.Option(help="Let nobody sign in with a palm on a new phone.")
]
Dpop = Annotated[
    bool | None, typer.Option(help="Refuse token requests without a DPoP proof (RFC 9449).")
]
Profiles = Annotated[
    Profile | None,
    typer.Option(help="fapi2 requires PAR, PKCE, DPoP, ES256 and private_key_jwt."),
]
PostLogoutUris = Annotated[
    list[str] | None, typer.Option(help="Exact URI for the browser after logout. Repeatable.")
]
BackchannelUri = Annotated[
    str | None, typer.Option(help="Receives logout tokens. https, or http on loopback.")
]
BackchannelSession = Annotated[
    bool | None, typer.Option(help="Always include the session ID (sid) in logout tokens.")
]
ResourceServer = Annotated[
    bool | None, typer.Option(help="An API that may introspect every client's access tokens.")
]


def options_of(client: Client) -> Options:
    """Return what an existing client has chosen."""
    return Options(**{each.name: getattr(client, each.name) for each in fields(Options)})


def with_choices(base: Options, **chosen: object) -> Options:
    """Return the options with what was typed; None: not typed, an empty text: nothing."""
    typed = {
        name: _without_blanks(value) for name, value in chosen.items() if value is not None
    }
    return replace(base, **typed)  # type: ignore[arg-type]


def _without_blanks(value: object) -> object:
    if isinstance(value, list):
        return [each for each in value if each]
    return None if value == "" else value


def split(scope: str | None) -> list[str] | None:
    """Return scopes as a list."""
    return None if scope is None else scope.split()


def warn_of_missing_pkce(client: Client) -> None:
    """Say what a client without PKCE risks. RFC 9700 §2.1.1."""
    if not client.require_pkce and client.redirect_uris:
        typer.echo(_NO_PKCE, err=True)


def read_jwks(path: Path | None) -> str | None:
    """Return the text of a file. Raises ``ClientRefused``."""
    try:
        return None if path is None else path.read_text(encoding="utf-8")
    except (OSError, ValueError) as fault:
        raise ClientRefused(f"the JWK set in {path} cannot be read") from fault
