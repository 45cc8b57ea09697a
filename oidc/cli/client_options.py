"""The options of ``thenar client add`` and ``update``; what is left out stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from oidc.clients.registry import Options
from oidc.errors import ClientRefused
from oidc.types import ConfirmCode, Profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from oidc.types import Client

_NO_PKCE = (
    "Without PKCE, somebody who reads a code on its way (in a log, by another app) or slips "
    "one into another person's browser can use it. Let the app send PKCE if its library can."
)

_NAMES = {
    "pkce": "require_pkce",
    "id_token_alg": "id_token_algorithm",
    "par": "require_par",
    "dpop": "require_dpop",
    "post_logout_redirect_uri": "post_logout_redirect_uris",
}
"""What ``Options`` calls those that have another name there."""

RedirectUris = Annotated[
    list[str] | None, typer.Option(help="Exact URI that codes may be sent to. Repeatable.")
]


@dataclass(frozen=True, slots=True)
class Choices:
    """What was typed; each field is an option. None: not typed, an empty text: nothing."""

    scope: Annotated[
        str | None,
        typer.Option(help="Scopes the client may request, separated by spaces."),
    ] = None
    external_user_id: Annotated[
        bool | None, typer.Option(help="Repeat sub as external_user_id in ID tokens.")
    ] = None
    jwks: Annotated[
        Path | None,
        typer.Option(help="File with the client's public keys (JWK set), for private_key_jwt."),
    ] = None
    pkce: Annotated[
        bool | None,
        typer.Option(
            help="Refuse requests without PKCE (the default; always on for public and native"
            " clients). --no-pkce is for apps whose library cannot send it."
        ),
    ] = None
    id_token_alg: Annotated[
        str | None, typer.Option(help="Signature algorithm of ID tokens: RS256 or ES256.")
    ] = None
    par: Annotated[
        bool | None,
        typer.Option(help="Refuse authorization requests that were not pushed (RFC 9126)."),
    ] = None
    confirm_code: Annotated[
        ConfirmCode | None,
        typer.Option(help="When to require the confirmation code shown on the phone."),
    ] = None
    accept_palm_alone: Annotated[
        bool | None,
        typer.Option(help="Let a palm sign in on any device, if THENAR_OIDC_PALM_ALONE=allow."),
    ] = None
    accept_stations: Annotated[
        bool | None, typer.Option(help="Let a palm sign in at the operator's stations.")
    ] = None
    native: Annotated[
        bool | None,
        typer.Option(help="A program on people's devices: any port of a loopback address."),
    ] = None
    dpop: Annotated[
        bool | None,
        typer.Option(help="Refuse token requests without a DPoP proof (RFC 9449)."),
    ] = None
    profile: Annotated[
        Profile | None,
        typer.Option(help="fapi2 requires PAR, PKCE, DPoP, ES256 and private_key_jwt."),
    ] = None
    post_logout_redirect_uri: Annotated[
        list[str] | None,
        typer.Option(help="Exact URI for the browser after logout. Repeatable."),
    ] = None
    backchannel_logout_uri: Annotated[
        str | None,
        typer.Option(help="Receives logout tokens, by https."),
    ] = None
    backchannel_logout_session_required: Annotated[
        bool | None,
        typer.Option(help="Always include the session ID (sid) in logout tokens."),
    ] = None
    resource_server: Annotated[
        bool | None,
        typer.Option(help="An API that may introspect every client's access tokens."),
    ] = None

    def applied_to(self, base: Options) -> Options:
        """Return the options with what was typed. Raises ``ClientRefused``."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        named = {_NAMES.get(name, name): value for name, value in own.items()}
        named["scope"] = None if self.scope is None else self.scope.split()
        named["jwks"] = _read_jwks(self.jwks)
        typed = {name: _cleared(value) for name, value in named.items() if value is not None}
        return replace(base, **typed)  # type: ignore[arg-type]


def takes_choices(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of ``Choices``, handed on as its parameter ``choices``."""
    own = signature(command, eval_str=True).parameters.values()
    hints = get_type_hints(Choices, include_extras=True)
    shared = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in hints.items()
    ]

    @wraps(command)
    def called(*arguments: object, **options: object) -> None:
        typed: dict[str, Any] = {name: options.pop(name) for name in hints}
        command(*arguments, **options, choices=Choices(**typed))

    parameters = [*(each for each in own if each.name != "choices"), *shared]
    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


def options_of(client: Client) -> Options:
    """Return what an existing client has chosen."""
    return Options(**{each.name: getattr(client, each.name) for each in fields(Options)})


def _cleared(value: object) -> object:
    if isinstance(value, list):
        return [each for each in value if each]
    return None if value == "" else value


def warn_of_missing_pkce(client: Client) -> None:
    """Say what a client without PKCE risks. RFC 9700 §2.1.1."""
    if not client.require_pkce and client.redirect_uris:
        typer.echo(_NO_PKCE, err=True)


def _read_jwks(path: Path | None) -> str | None:
    """Return the text of a file. Raises ``ClientRefused``."""
    try:
        return None if path is None else path.read_text(encoding="utf-8")
    except (OSError, ValueError) as fault:
        raise ClientRefused(f"the JWK set in {path} cannot be read") from fault
