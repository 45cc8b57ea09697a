"""Every page and form of the portal, by any sender with any content: never a fault of ours."""

from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oidc.portal.forms import FIELDS
from oidc.portal.sessions import PROOF
from tests.support.service.portal_developer import Visitor, invite
from tests.support.service.sign_in import MakeSignIn

NAMES = (*FIELDS, "invitation", "latest", "overlap", "q", "sure", "developer", "code", "state")
VALUES = st.text() | st.sampled_from(["yes", "24", "none", "{}", "https://app.example/cb"])
FOREIGN = {"Origin": "https://evil.example"}
FEWEST = 40
"""Pages and forms there are."""


@pytest.fixture
def developer(make_sign_in: MakeSignIn) -> Visitor:
    """Give a developer who has joined."""
    sign_in = make_sign_in(portal_clients=10_000)
    visitor = Visitor(sign_in)
    visitor.join(invite(sign_in))
    return visitor


def routes_of(visitor: Visitor) -> list[tuple[str, str]]:
    """Return methods and paths under the portal's."""
    found = [
        (method, str(each.path).removeprefix("/portal"))
        for each in iter_route_contexts(visitor.sign_in.app.routes)
        for method in each.methods or ()
        if str(each.path).startswith("/portal") and each.path != "/portal/sign-out"
    ]
    assert len(found) >= FEWEST
    return sorted(found)


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(NAMES), VALUES), st.sampled_from(["real", "unknown"]))
def test_nothing_that_is_sent_fails(
    developer: Visitor, fields: dict[str, str], client: str
) -> None:
    """Forms of a visitor who is not signed in and of another website are refused."""
    client_id = developer.registered()[0] if client == "real" else client
    visitor = developer.sign_in.new_browser()
    for method, path in routes_of(developer):
        address = developer.portal + path.format(client_id=client_id)
        ours = {**fields, PROOF: developer.proof()}
        sent: dict[str, Any] = {"data": ours} if method == "POST" else {"params": fields}
        joined = developer.browser.request(method, address, **sent)
        unknown = visitor.request(method, address, **sent)

        assert joined.status_code in (200, 201, 303, 400, 403, 404), (method, path)
        expected = (403,) if method == "POST" else (200, 303, 400)
        assert unknown.status_code in expected, (method, path)
        if method == "POST":
            guessed = developer.browser.post(address, data={**ours, PROOF: "0" * 64})
            foreign = developer.browser.post(address, data=ours, headers=FOREIGN)
            assert (guessed.status_code, foreign.status_code) == (403, 403), path
