"""The authorization request: who may be redirected to, and what for."""

import pytest

from tests.support.service.sign_in import (
    CHALLENGE,
    MakeSignIn,
    SignIn,
    error_of,
    is_asked,
    response_of,
)  # fmt: skip

ISSUER = "https://id.example"

FINE = [
    {"scope": "openid profile email"},
    {"nonce": "n-0S6_WzA2Mj"},
    {"user_id": ""},
    {"code_challenge": CHALLENGE, "code_challenge_method": "S256"},
    {"prompt": "login consent"},
    {"response_mode": "query"},
    {"lang": "de", "theme": "dark", "unknown": "x"},
    {"display": "popup", "max_age": "1", "ui_locales": "de"},
    {"login_hint": "anna", "claims": "{}"},
    {"request": "", "prompt": "", "code_challenge": "", "code_challenge_method": ""},
]


@pytest.mark.parametrize("change", FINE)
def test_what_the_standard_tolerates_leads_to_the_consent_page(
    sign_in: SignIn, change: dict[str, str | None]
) -> None:
    """OpenID Connect Core §3.1.2.1: unknown parameters are ignored, empty ones are absent."""
    answer = sign_in.ask(**change)

    assert answer.status_code == 302
    assert answer.headers["location"].startswith(f"{ISSUER}/oauth/consent/")


@pytest.mark.parametrize(
    ("kind", "registered", "asked", "status"),
    [
        ("native", "127.0.0.1/cb", "http://127.0.0.1:51004/cb", 302),
        ("native", "[::1]:3000/cb?a=b", "http://[::1]:51004/cb?a=b", 302),
        ("native", "127.0.0.1:3000/cb", "http://127.0.0.1/cb", 302),
        ("web", "127.0.0.1/cb", "http://127.0.0.1:51004/cb", 400),
        ("native", "localhost/cb", "http://localhost:51004/cb", 400),
        ("native", "127.0.0.1/cb", "http://[::1]:51004/cb", 400),
        ("native", "127.0.0.1/cb", "http://127.0.0.1:51004/cb/", 400),
        ("native", "127.0.0.1/cb", "http://127.0.0.1:51004/cb?a=b", 400),
        ("native", "127.0.0.1/cb", "https://127.0.0.1:51004/cb", 400),
        ("native", "127.0.0.1/cb", "http://127.0.0.1:65536/cb", 400),
        ("native", "127.0.0.1/cb", "http://127.0.0.1:1@evil.example/cb", 400),
        ("native", "127.0.0.1", "http://127.0.0.1:1.evil.example", 400),
    ],
)
def test_on_loopback_a_native_client_listens_on_any_port(
    sign_in: SignIn, kind: str, registered: str, asked: str, status: int
) -> None:
    """RFC 8252 §7.3; everything else is compared exactly."""
    program = sign_in.another("Program", f"http://{registered}", native=kind == "native")
    answer = program.ask(redirect_uri=asked, scope="unknown")

    assert answer.status_code == status
    assert answer.headers.get("location", asked).startswith(asked)


def test_a_repeated_unknown_parameter_is_ignored(sign_in: SignIn) -> None:
    """Parameters that are not read cannot be misread."""
    assert is_asked(sign_in.authorize([*sign_in.request().items(), ("x", "1"), ("x", "2")]))


@pytest.mark.parametrize("query", [b"client_id=%ff%fe", b"&".join([b"a=1"] * 200)])
def test_a_query_that_cannot_be_read_is_shown(sign_in: SignIn, query: bytes) -> None:
    """Neither guessed nor a server error."""
    assert sign_in.browser.get(f"/oauth/authorize?{query.decode()}").status_code == 400


def test_an_operator_can_demand_pkce_of_clients_that_are_registered(
    make_sign_in: MakeSignIn,
) -> None:
    """Also of those that have a secret and were registered before."""
    strict = make_sign_in(require_pkce=True)

    assert not strict.shop.client.require_pkce
    assert "code_challenge" in response_of(strict.ask())["error_description"]
    assert error_of(strict.call("par", strict.request())) == (400, "invalid_request")
    assert is_asked(strict.ask(code_challenge=CHALLENGE, code_challenge_method="S256"))


def test_a_client_gets_only_the_scope_it_may_ask_for(sign_in: SignIn) -> None:
    """What is not allowed is left out and, by ``scope``, said so. RFC 6749 §3.3."""
    modest = sign_in.another("Modest", scope=["openid"])

    given = modest.tokens(scope="openid offline_access profile")

    assert given["scope"] == "openid"
    assert "refresh_token" not in given
