"""Relying apps in Python: Authlib's client, idpyoidc, pyoidc, requests-oauthlib."""

import sys
from collections.abc import Iterator

import pytest

from tests.relying_parties.contract import LibraryContract
from tests.relying_parties.program import Library, Program
from tests.relying_parties.stage import Stage

LIBRARIES = (
    Library("authlib_client"),
    Library("idpyoidc_client", signs_out=True, hears_logouts=True),
    Library("pyoidc_client", signs_out=True, hears_logouts=True),
    Library("requests_oauthlib_client"),
)


@pytest.fixture(scope="class", params=LIBRARIES, ids=str)
def app(
    request: pytest.FixtureRequest, stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Program]:
    """Give a relying app built on each library."""
    library: Library = request.param
    command = [sys.executable, "-m", f"tests.relying_parties.{library.name}"]
    settings = stage.settings(stage.party.registration.redirect_uri)
    log = tmp_path_factory.mktemp(library.name) / "complaints.log"
    with Program(command, settings, library, log) as program:
        yield program


class TestPythonLibraries(LibraryContract):
    """Each library in turn."""
