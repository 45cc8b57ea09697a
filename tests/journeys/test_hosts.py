"""Issuer, consent page and tokens on https hosts, with paths, behind a TLS gateway."""

import pytest

from tests.support.service.journey import Serve

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


@pytest.mark.parametrize("settings", [THREE_HOSTS, ONE_HOST_WITH_PATHS], ids=["hosts", "paths"])
def test_a_login_across_hosts(serve: Serve, settings: dict[str, str]) -> None:
    """“`{auth_url}` is the host of the consent page”, `{base_url}` the API, and the issuer."""
    base = settings["THENAR_OIDC_BASE_URL"]
    with serve(**settings) as world:
        signed_in = world.log_in(world.person(ADA), scope="openid offline_access")
        access = signed_in.party.read_token(signed_in.tokens["access_token"])
        userinfo = world.shop.userinfo(signed_in.tokens["access_token"])
        refreshed = world.shop.refresh(signed_in.tokens["refresh_token"])

    assert signed_in.claims["iss"] == settings["THENAR_OIDC_ISSUER"]
    assert access.claims["aud"] in (base, [base])
    assert [userinfo.status_code, refreshed.status_code] == [200, 200]
