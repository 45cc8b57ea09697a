"""Scripts of public clients in browsers: which may read what. Fetch standard §3.2."""

from typing import Any

import pytest

from oidc.client import Authentication
from oidc.web.cors import origin_of
from tests.support.clock import FakeClock
from tests.support.service.sign_in import SignIn

ORIGIN = "https://browser.example"
SHARED = ("token", "oauth/token", "revoke", "oauth/revoke", "userinfo", "oauth/userinfo", "par")


@pytest.fixture(autouse=True)
def public(sign_in: SignIn) -> SignIn:
    """Give a client that lives in a browser."""
    return sign_in.another("Browser App", f"{ORIGIN}/cb", authentication=Authentication.NONE)


def preflight(sign_in: SignIn, path: str, origin: str = ORIGIN, method: str = "POST") -> Any:
    """Ask as a browser asks before it sends a proof."""
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization,content-type,dpop",
    }
    return sign_in.new_browser().options(f"/{path}", headers=headers)


@pytest.mark.parametrize("path", SHARED)
def test_a_script_of_a_public_client_may_send_and_read(sign_in: SignIn, path: str) -> None:
    """The whole answer, the refusal too: otherwise it could not renew its nonce or token."""
    asked = preflight(sign_in, path)
    answer = sign_in.new_browser().post(f"/{path}", headers={"Origin": ORIGIN})

    assert asked.status_code == 204
    assert "POST" in asked.headers["access-control-allow-methods"]
    assert "DPoP" in asked.headers["access-control-allow-headers"]
    assert answer.status_code in {400, 401}
    assert "DPoP-Nonce" in answer.headers["access-control-expose-headers"]
    for each in (asked, answer):
        assert each.headers["access-control-allow-origin"] == ORIGIN
        assert each.headers["vary"] == "Origin"
        assert "access-control-allow-credentials" not in each.headers


@pytest.mark.parametrize(
    "origin",
    [
        "https://shop.example",  # a client with a secret: nothing of it lives in a browser
        "https://evil.example",
        "http://browser.example",
        "https://browser.example:8443",
        "https://browser.example.evil.example",
        "null",
        "",
    ],
)
def test_another_script_learns_nothing(sign_in: SignIn, origin: str) -> None:
    """Exactly the origins of public clients, and no prefix of them."""
    asked = preflight(sign_in, "token", origin)
    answer = sign_in.new_browser().post("/token", headers={"Origin": origin})

    for each in (asked, answer):
        assert "access-control-allow-origin" not in each.headers
        assert each.headers["vary"] == "Origin"


@pytest.mark.parametrize("path", ["oauth/authorize", "introspect"])
def test_navigation_and_servers_need_no_sharing(sign_in: SignIn, path: str) -> None:
    """A script that could read the authorization endpoint could read codes."""
    for method in ("GET", "POST"):
        answer = sign_in.new_browser().request(method, f"/{path}", headers={"Origin": ORIGIN})
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "access-control-allow-origin" not in preflight(sign_in, path).headers


@pytest.mark.parametrize(
    "name", ["openid-configuration", "oauth-authorization-server", "jwks.json"]
)
def test_what_is_public_is_public_to_every_script(sign_in: SignIn, name: str) -> None:
    """With any header a library may add."""
    path = f".well-known/{name}"
    asked = preflight(sign_in, path, "https://anyone.example", "GET")
    answer = sign_in.new_browser().get(f"/{path}", headers={"Origin": "https://a.example"})

    assert asked.status_code == 204
    assert asked.headers["access-control-allow-headers"] == "*"
    for each in (asked, answer):
        assert each.headers["access-control-allow-origin"] == "*"


def test_a_new_client_is_known_within_seconds(sign_in: SignIn, clock: FakeClock) -> None:
    """To every process, without asking the database for each unknown origin."""
    new = "https://new.example"
    assert "access-control-allow-origin" not in preflight(sign_in, "token", new).headers
    sign_in.another("New", f"{new}/cb", authentication=Authentication.NONE)

    clock.advance(5)

    assert preflight(sign_in, "token", new).headers["access-control-allow-origin"] == new


@pytest.mark.parametrize(
    ("uri", "origin"),
    [
        ("https://a.example/cb?x=1", "https://a.example"),
        ("https://A.example:443/cb", "https://a.example"),
        ("http://127.0.0.1:8000/cb", "http://127.0.0.1:8000"),
        ("http://[::1]:8000/cb", "http://[::1]:8000"),
        ("http://localhost:80/", "http://localhost"),
        ("com.example.app:/cb", None),
    ],
)
def test_an_origin_is_written_as_browsers_write_it(uri: str, origin: str | None) -> None:
    """RFC 6454 §6.2: lower case, no default port, no path."""
    assert origin_of(uri) == origin
