"""The page for a request that cannot go back to its app, and that of the portal."""

import pytest
from starlette.testclient import TestClient

from mobile_api.observability.access_log import AccessLog
from tests.support.service.sign_in import SignIn


@pytest.mark.parametrize("path", ["/oauth/authorize", "/portal/callback"])
def test_it_tells_the_name_under_which_the_request_was_logged(
    sign_in: SignIn, path: str
) -> None:
    """Support finds the line; without an access log there is no name."""
    logged = TestClient(AccessLog(sign_in.app, lambda: "abcd"), base_url="https://id.example")

    named, unnamed = (each.get(path) for each in (logged, sign_in.browser))

    assert (named.status_code, unnamed.status_code) == (400, 400)
    assert '<p id="request">Mention this number: abcd</p>' in named.text
    assert 'id="request"' not in unnamed.text
