"""Issuer, consent page and tokens on three https hosts, with paths, behind a TLS gateway."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest

from benchmarks.harness.service import Service
from tests.support.servers.tls_gateway import Gateway
from tests.support.service.journey import Serve, SignedIn, World

pytestmark = [pytest.mark.journey, pytest.mark.hands]

ADA = 0

THREE_HOSTS = {
    "THENAR_OIDC_ISSUER": "https://id.example.test/thenar",
    "THENAR_OIDC_AUTH_URL": "https://consent.example.test",
    "THENAR_OIDC_BASE_URL": "https://api.example.test/oauth2",
    "THENAR_MOBILE_PUBLIC_URL": "https://consent.example.test",
}
ONE_HOST_WITH_PATHS = {
    "THENAR_OIDC_ISSUER": "https://example.test/oauth2",
    "THENAR_OIDC_AUTH_URL": "https://example.test/login",
    "THENAR_OIDC_BASE_URL": "https://example.test/oauth2",
    "THENAR_MOBILE_PUBLIC_URL": "https://example.test/login",
}


@pytest.fixture(
    scope="module", params=[THREE_HOSTS, ONE_HOST_WITH_PATHS], ids=["hosts", "paths"]
)
def abroad(request: pytest.FixtureRequest, serve: Serve) -> Iterator[World]:
    """Give a service that is reached under https names."""
    with serve(**request.param) as world:
        yield world


def test_a_login_across_hosts(abroad):
    """“`{auth_url}` is the host of the consent page”, `{base_url}` the API, and the issuer."""
    settings = abroad.service.settings
    signed_in = abroad.log_in(abroad.person(ADA), scope="openid offline_access")
    access = signed_in.party.read_token(signed_in.tokens["access_token"])
    found = abroad.shop.discovery

    assert signed_in.claims["iss"] == found["issuer"] == settings["THENAR_OIDC_ISSUER"]
    assert access.claims["aud"] in (
        settings["THENAR_OIDC_BASE_URL"],
        [settings["THENAR_OIDC_BASE_URL"]],
    )
    assert found["authorization_endpoint"].startswith(settings["THENAR_OIDC_AUTH_URL"])
    assert found["token_endpoint"].startswith(settings["THENAR_OIDC_BASE_URL"])
    assert found["userinfo_endpoint"].startswith(settings["THENAR_OIDC_BASE_URL"])
    assert abroad.shop.refresh(signed_in.tokens["refresh_token"]).status_code == 200


@pytest.mark.parametrize("path", ["/token", "/oauth/token"])
def test_both_token_paths_lie_under_the_base_url(abroad, path):
    """“`{base_url}/token` … `{base_url}/oauth/token`”: with a path in the base URL too."""
    with abroad.begin() as login:
        login.answer(abroad.person(ADA))
        code = login.finish().parameters["code"]
    base = abroad.service.settings["THENAR_OIDC_BASE_URL"]
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": abroad.shop.registration.redirect_uri,
    }
    answer = abroad.shop.request_tokens(fields, endpoint=base + path)
    tokens = SignedIn(abroad.shop, answer).tokens
    endpoint = base + path.replace("token", "userinfo")

    assert abroad.shop.userinfo(tokens["access_token"], endpoint=endpoint).status_code == 200


def test_the_base_url_forwards_to_the_consent_host(abroad):
    """“also listed as `{base_url}/oauth/authorize`”: forwarded before any cookie is set."""
    settings = abroad.service.settings
    query = urlsplit(abroad.shop.authorization_url()).query
    http = httpx2.Client(transport=abroad.transport)
    answer = http.get(f"{settings['THENAR_OIDC_BASE_URL']}/oauth/authorize?{query}")
    target = f"{settings['THENAR_OIDC_AUTH_URL']}/oauth/authorize?{query}"

    assert answer.status_code in {302, 307}
    assert answer.headers["location"] == target
    assert "set-cookie" not in answer.headers


def test_cookies_are_bound_to_the_host(abroad):
    """On https the browser's half is in a ``__Host-`` cookie: Secure, HttpOnly, Lax, path /."""
    http = httpx2.Client(transport=abroad.transport)
    cookie = http.get(abroad.shop.authorization_url()).headers["set-cookie"]
    attributes = {part.strip().lower() for part in cookie.split(";")[1:]}

    assert cookie.startswith("__Host-thenar-login-")
    assert {"secure", "httponly", "samesite=lax", "path=/"} <= attributes
    assert not any(attribute.startswith("domain") for attribute in attributes)


def test_a_strangers_host_builds_no_address(abroad):
    """Links come from the settings: a forged Host header must not appear in any of them."""
    issuer = urlsplit(abroad.service.settings["THENAR_OIDC_ISSUER"])
    answer = httpx2.get(
        f"{abroad.service.local_url}{issuer.path}/.well-known/openid-configuration",
        headers={"Host": "evil.test", "X-Forwarded-Host": "evil.test"},
    )

    assert "evil.test" not in answer.text


def test_plain_http_beyond_loopback_does_not_start(tmp_path):
    """Cookies and tokens would travel in the open: it refuses to start, and says why."""
    service = Service(tmp_path, settings={"THENAR_OIDC_ISSUER": "http://id.example.test"})

    with pytest.raises(Exception, match="loopback"):
        service.run("migrate")
        with service.running():
            pass


def test_gateway_is_honest():
    """The fake gateway answers for its own hosts only: tests cannot leak to the network."""
    http = httpx2.Client(transport=Gateway(frozenset({"a.test"}), 1))

    for url in ("https://b.test/", "http://a.test/"):
        with pytest.raises(httpx2.ConnectError, match="no such host"):
            http.get(url)
