"""A website behind Apache's mod_auth_openidc."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.relying_parties.apache import Apache, is_installed, running
from tests.relying_parties.contract import LibraryContract
from tests.relying_parties.stage import Stage
from tests.support.service.process import free_port


@pytest.fixture(scope="class")
def app(request: pytest.FixtureRequest, stage: Stage) -> Iterator[Apache]:
    """Give an Apache with its own registration, configured as the class says."""
    if not is_installed():
        pytest.skip("not installed: apt-get install libapache2-mod-auth-openidc")
    redirect_uri = f"http://127.0.0.1:{free_port()}/callback"
    known = stage.register_for_logouts("Website", redirect_uri, "/callback?logout=backchannel")
    # Not a folder of pytest's: those are closed to others, and Apache runs as another user.
    with (
        tempfile.TemporaryDirectory(prefix="thenar-apache-") as folder,
        running(Path(folder), known, request.cls.response_mode) as apache,
    ):
        yield apache


class TestAnswersInTheQuery(LibraryContract):
    """The module as it is configured most often.

    Version 2.4.12 takes an error for a login begun by another browser as soon as it carries
    ``iss``, as RFC 9207 §2 demands: no account is signed in, but its page shows another reason.
    """

    response_mode = "query"
    tells_errors = False


class TestAnswersByForm(LibraryContract):
    """With ``OIDCResponseMode form_post`` the module tells every error as it is."""

    response_mode = "form_post"
