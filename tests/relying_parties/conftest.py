"""A running service with one drawn person, for the libraries of relying apps."""

from collections.abc import Iterator

import pytest

from tests.support.servers.recording import recording
from tests.support.service.journey import Serve
from tests.support.service.process import free_port
from tests.support.service.relying_party import RelyingParty

pytest.register_assert_rewrite("tests.relying_parties.contract", "tests.relying_parties.stage")
from tests.relying_parties.stage import Stage, bye_of  # noqa: E402

WITHOUT_PAGES = "http://127.0.0.1:9/callback"
"""Redirect URI of libraries that are handed the callback. No server listens there."""


@pytest.fixture(scope="session")
def own_redirect_uri() -> str:
    """Give a redirect URI on a free port of loopback; Auth.js prescribes its path."""
    return f"http://127.0.0.1:{free_port()}/auth/callback/thenar"


@pytest.fixture(scope="session")
def stage(serve: Serve, own_redirect_uri: str) -> Iterator[Stage]:
    """Give a running service, a registration, and a person who can log in."""
    with recording() as recorder, serve(THENAR_OIDC_SESSION_MINUTES="10") as world:
        options = [
            "--redirect-uri",
            own_redirect_uri,
            "--backchannel-logout-uri",
            recorder.address,
        ]
        for uri in (WITHOUT_PAGES, own_redirect_uri):
            options += ["--post-logout-redirect-uri", bye_of(uri)]
        added = world.service.add_client("Library", WITHOUT_PAGES, *options)
        party = RelyingParty(world.service.issuer, added)
        world.closing.callback(party.http.close)
        yield Stage(world, party, recorder)
