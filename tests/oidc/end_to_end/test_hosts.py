"""Three addresses, any path, and a Host header that decides nothing but a forward."""

from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from tests.support.service.sign_in import REDIRECT_URI, MakeSignIn, query_of

LAYOUTS = {
    "one host": {"issuer": "https://id.example"},
    "one path": {"issuer": "https://id.example/oauth2"},
    "three hosts": {
        "issuer": "https://id.example",
        "auth_url": "https://auth.example",
        "base_url": "https://api.example/oauth2",
    },
    "three hosts without paths": {
        "issuer": "https://id.example",
        "auth_url": "https://auth.example",
        "base_url": "https://api.example",
    },
    "one host, three paths": {
        "issuer": "https://id.example/op",
        "auth_url": "https://id.example/login",
        "base_url": "https://id.example/oauth2",
    },
    "a port": {"issuer": "https://id.example:8443/a/b"},
    "loopback": {"issuer": "http://127.0.0.1:8080"},
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_the_whole_flow_works_in_every_layout(
    make_sign_in: MakeSignIn, layout: dict[str, str]
) -> None:
    """From authorize to userinfo, by the addresses that discovery names."""
    sign_in = make_sign_in(**layout)
    described = sign_in.new_browser().get(
        f"{sign_in.settings.issuer}/.well-known/openid-configuration"
    )

    body = sign_in.tokens()

    claims = sign_in.claims(body)
    access = sign_in.opened(body["access_token"]).claims
    assert described.json()["issuer"] == claims["iss"] == sign_in.settings.issuer
    assert described.json()["token_endpoint"] == f"{sign_in.settings.base_url}/token"
    assert access["aud"] == sign_in.settings.base_url
    assert sign_in.userinfo(body["access_token"]).json() == {"sub": claims["sub"]}


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "layout", ["three hosts", "three hosts without paths", "one host, three paths"]
)
def test_the_api_address_forwards_to_the_auth_host_before_any_cookie(
    make_sign_in: MakeSignIn, layout: str, method: str
) -> None:
    """A cookie of the wrong host would be lost; a form smuggles no line into the header."""
    sign_in = make_sign_in(**LAYOUTS[layout])
    query = urlencode({**sign_in.request(), "state": "a b&c"})
    api = TestClient(sign_in.app, base_url=sign_in.settings.base_url, follow_redirects=False)
    url, there = (
        f"{base}/oauth/authorize"
        for base in (sign_in.settings.base_url, sign_in.settings.auth_url)
    )
    form = {"Content-Type": "application/x-www-form-urlencoded"}

    if method == "GET":
        answer = api.get(f"{url}?{query}")
    else:
        answer = api.post(url, content=query + "&x=\r\nSet-Cookie: a=b", headers=form)

    location = answer.headers["location"]
    assert answer.status_code == (302 if method == "GET" else 303)
    assert location.startswith(f"{there}?")
    assert method == "POST" or location == f"{there}?{query}"
    assert "set-cookie" not in answer.headers
    page = sign_in.browser.get(location).headers["location"]
    assert page.startswith(f"{sign_in.settings.auth_url}/oauth/consent/")


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "127.0.0.1:9", "API.EXAMPLE.evil.example"),
        *("[::1", "[[[[", "a]b", "id.example:99999", "\u0663"),
    ],
)
def test_a_strange_host_header_builds_no_address(make_sign_in: MakeSignIn, host: str) -> None:
    """Behind a proxy, or sent by an attacker: every address comes from settings."""
    sign_in = make_sign_in(**LAYOUTS["three hosts without paths"])
    headers: dict[bytes, bytes] = dict.fromkeys((b"Host", b"X-Forwarded-Host"), host.encode())
    headers[b"X-Forwarded-Proto"] = b"http"

    answer = sign_in.browser.get("/oauth/authorize", params=sign_in.request(), headers=headers)
    refused = sign_in.browser.get(
        "/oauth/authorize", params=sign_in.request(prompt="none"), headers=headers
    )

    assert answer.headers["location"].startswith("https://auth.example/oauth/consent/")
    assert refused.headers["location"].startswith(REDIRECT_URI)
    assert query_of(refused.headers["location"])["iss"] == "https://id.example"
    assert host not in str(answer.headers) + str(refused.headers)
