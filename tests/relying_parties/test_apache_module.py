"""A website behind Apache's mod_auth_openidc."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.load.service import free_port
from tests.relying_parties import apache
from tests.relying_parties.contract import LibraryContract
from tests.relying_parties.conversation import Settings
from tests.relying_parties.stage import Stage


@pytest.fixture(scope="class")
def app(stage: Stage) -> Iterator[apache.Apache]:
    """Give an Apache, with a registration of its own."""
    if not apache.is_installed():
        pytest.skip("not installed: apt-get install libapache2-mod-auth-openidc")
    redirect_uri = f"http://127.0.0.1:{free_port()}/callback"
    added = stage.world.service.add_client("Website", redirect_uri)
    known = Settings(stage.party.issuer, added.client_id, added.client_secret, redirect_uri)
    # Not a folder of pytest's: those are closed to everybody else, and Apache is nobody.
    with tempfile.TemporaryDirectory(prefix="thenar-apache-") as folder:
        running = apache.Apache(Path(folder), known)
        yield running
        running.close()


class TestApacheModule(LibraryContract):
    """The module of Debian, with a small configuration of its own.

    Version 2.4.12 takes an error for a login begun by somebody else as soon as it carries
    ``iss``, as RFC 9207 §2 demands: nobody is let in, but its page tells another reason.
    """

    tells_errors = False
