"""Signing in silently and signing out at the same moment: nothing outlives the session."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from oidc import logout
from oidc.opening import open_database
from oidc.protocol import digest_of
from oidc.storage.database import Database
from oidc.storage.stores.sessions import BrowserSession
from tests.support.service.sign_in import MakeSignIn, SignIn, query_of

COOKIE = "__Host-thenar-session"


@pytest.fixture
def anywhere(make_anywhere: MakeSignIn) -> SignIn:
    """Give a provider on either database that remembers a palm."""
    return make_anywhere(session_minutes=10)


@pytest.fixture
def other_process(anywhere: SignIn) -> Iterator[Database]:
    """Give the database as another process opens it."""
    database = open_database(anywhere.settings)
    yield database
    database.close()


def session_of(sign_in: SignIn) -> BrowserSession:
    """Return the session of the browser."""
    digest = digest_of(sign_in.browser.cookies[COOKIE])
    with sign_in.database.read() as stores:
        session = stores.sessions.find(digest)
    assert session is not None
    return session


def test_a_silent_request_waits_for_a_logout_and_finds_no_account(
    anywhere: SignIn, other_process: Database
) -> None:
    """The session was there when the request came, and is not when the code would be made."""
    anywhere.tokens()
    session = session_of(anywhere)

    with ThreadPoolExecutor(1) as pool:
        with other_process.write() as stores:
            logout.end_session(stores, session.session_id, anywhere.clock())
            asked = pool.submit(anywhere.authorize, anywhere.request(prompt="none"))
            time.sleep(0.3)
        response = query_of(asked.result(30).headers["location"])

    assert response["error"] == "login_required"
