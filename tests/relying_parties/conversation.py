"""The conversation between a relying party and the test that watches it.

One JSON value a line, as in ``conversation.mjs``.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Settings:
    """What the test says first: who the provider is, and who we are.

    Attributes:
        issuer: the provider.
        client_id: who we are.
        client_secret: how we prove it; empty for clients that have none.
        redirect_uri: where the provider sends browsers back.
        private_key: a JWK, for clients that sign.
        post_logout_redirect_uri: where browsers come back to after a logout.
    """

    issuer: str
    client_id: str
    client_secret: str
    redirect_uri: str
    private_key: dict[str, Any] | None = None
    post_logout_redirect_uri: str = ""


class Refused(Exception):
    """The library got an error: its code and its description."""


class Library(Protocol):
    """A library of relying parties."""

    def begin(self, parameters: Mapping[str, str]) -> str:
        """Return an authorization request with some extra parameters."""

    def finish(self, callback: str) -> dict[str, Any]:
        """Return what was learned after the browser came to this address.

        Raises:
            Refused: the provider sent an error.
        """


class Leaver(Library, Protocol):
    """A library that can sign people out, and receives logouts of other apps."""

    def leave(self) -> str:
        """Return a logout request of the last login."""

    def hear_of_logout(self, form: str) -> str:
        """Return which of its sessions a back-channel logout request ends; or fail."""


def hear() -> Iterator[dict[str, Any]]:
    """Yield what the test says, to the end."""
    for line in sys.stdin:
        yield json.loads(line)


def say(message: Mapping[str, Any]) -> None:
    """Say one thing to the test."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def query_of(callback: str) -> dict[str, str]:
    """Return the query of an address."""
    return dict(parse_qsl(urlsplit(callback).query))


def play(make_library: Callable[[Settings], Library]) -> None:
    """Play a relying party until the test has heard enough."""
    heard = hear()
    library = make_library(Settings(**next(heard)))
    for asked in heard:
        if "logout" in asked:
            say({"visit": cast("Leaver", library).leave()})
            continue
        if "logout_form" in asked:
            say({"ended": cast("Leaver", library).hear_of_logout(asked["logout_form"])})
            continue
        say({"visit": library.begin(asked["parameters"])})
        try:
            say({"learned": library.finish(next(heard)["callback"])})
        except Refused as refusal:
            error, description = refusal.args
            say({"refused": {"error": error, "description": description}})
