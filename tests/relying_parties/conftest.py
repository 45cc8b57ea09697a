"""A running service with one drawn person, for the libraries of relying apps."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from benchmarks.datasets.manifest import PalmSet, read_palm_set
from benchmarks.harness.relying_party import RelyingParty
from benchmarks.harness.service import Service, free_port
from tests.support.servers.recording import recording
from tests.support.service.journey import World, people_of

pytest.register_assert_rewrite("tests.relying_parties.contract", "tests.relying_parties.stage")
from tests.relying_parties.stage import Stage, bye_of  # noqa: E402

WITHOUT_PAGES = "http://127.0.0.1:9/callback"
"""Redirect URI of libraries that are told the callback. Nobody listens there."""


@pytest.fixture(scope="session")
def person(tmp_path_factory: pytest.TempPathFactory) -> PalmSet:
    """Draw one person."""
    folder = tmp_path_factory.mktemp("hands")
    command = ["models", "draw", "--people", "1", "--shots", "4", "--out", str(folder)]
    subprocess.run(  # noqa: S603 -- our own command line
        [sys.executable, "-m", "mobile_api", *command], check=True
    )
    return read_palm_set(folder)


@pytest.fixture(scope="session")
def own_redirect_uri() -> str:
    """Give a redirect URI on a free port of loopback; Auth.js prescribes its path."""
    return f"http://127.0.0.1:{free_port()}/auth/callback/thenar"


@pytest.fixture(scope="session")
def stage(
    person: PalmSet, own_redirect_uri: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    """Give a running service, a registration, and somebody who can log in."""
    remembering = {"THENAR_OIDC_SESSION_MINUTES": "10"}
    service = Service(tmp_path_factory.mktemp("service"), settings=remembering)
    service.run("migrate")
    with ExitStack() as running, ExitStack() as closing:
        told = closing.enter_context(recording())
        options = ["--redirect-uri", own_redirect_uri, "--backchannel-logout-uri", told.address]
        for uri in (WITHOUT_PAGES, own_redirect_uri):
            options += ["--post-logout-redirect-uri", bye_of(uri)]
        added = service.add_client("Library", WITHOUT_PAGES, *options)
        running.enter_context(service.running())
        party = RelyingParty(service.issuer, added)
        closing.callback(party.http.close)
        world = World(service, party, party, people_of(person), None, running, closing)
        yield Stage(world, party, told)
