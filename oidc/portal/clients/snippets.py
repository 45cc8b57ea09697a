"""The examples of ``oidc/examples``, filled in for one client.

They read what is secret from the environment, so that it stays out of the code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oidc.types import Authentication

if TYPE_CHECKING:
    from oidc.types import Client

_EXAMPLES: Final = Path(__file__).parents[2] / "examples"

_FILES: Final = {
    Authentication.CLIENT_SECRET: {
        "Python: FastAPI": "app.py",
        "Python: Django": "app_django.py",
        "Node": "app.mjs",
        "Java: Spring Boot": "App.java",
        "Go": "app.go",
        "PHP": "app.php",
        ".NET: ASP.NET Core": "Program.cs",
    },
    Authentication.NONE: {"iOS: AppAuth": "SignIn.swift", "Android: AppAuth": "SignIn.kt"},
    Authentication.PRIVATE_KEY_JWT: {},
}
"""By how a client authenticates: the example of each framework."""

_SHOWN_ONCE: Final = "(shown once, when it was made)"


@dataclass(frozen=True, slots=True)
class Snippet:
    """An example for one framework."""

    framework: str
    text: str


@dataclass(frozen=True, slots=True)
class Start:
    """What a developer needs for the first sign-in; ``environment`` may hold the secret."""

    issuer: str
    environment: str = field(repr=False)
    snippets: tuple[Snippet, ...]


def start_of(client: Client, issuer: str, secret: str = "") -> Start:
    """Return everything filled in; without the secret a word about where it is."""
    has_secret = client.authentication is Authentication.CLIENT_SECRET
    lines = [f"ISSUER={issuer}", f"CLIENT_ID={client.client_id}"]
    lines += [f"CLIENT_SECRET={secret or _SHOWN_ONCE}"] if has_secret else []
    snippets = (
        Snippet(framework, _filled(name, client, issuer))
        for framework, name in _FILES[client.authentication].items()
    )
    return Start(issuer, "\n".join(lines), tuple(snippets))


def _filled(name: str, client: Client, issuer: str) -> str:
    text = (_EXAMPLES / name).read_text("utf-8")
    for example, own in (
        ("https://id.example", issuer),
        ("your-client-id", client.client_id),
        ("https://shop.example/callback", next(iter(client.redirect_uris), "")),
    ):
        text = text.replace(example, own)
    return text
