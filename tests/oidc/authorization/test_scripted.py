"""Sandbox clients: every end without a palm, and no way between them and real people."""

from typing import Any

import pytest

from oidc.client import AuthorizationRequest
from oidc.errors import SandboxBreached
from oidc.login import issue_code
from oidc.login.issue_code import PEOPLE, REASONS, refusal_of
from oidc.types import AccountId, Authenticated, Level, Lifetimes, SessionId
from tests.support.service.sign_in import (
    ANNA,
    REDIRECT_URI,
    MakeSignIn,
    SignIn,
    essential,
    is_asked,
    response_of,
)

SANDBOX = "https://id.example/acr/sandbox"
OFFLINE = "openid offline_access"


@pytest.fixture
def shop(make_sign_in: MakeSignIn) -> SignIn:
    """Give a provider that remembers palms, and a client that is a sandbox."""
    return make_sign_in(session_minutes=10).another("Tests", REDIRECT_URI, sandbox=True)


@pytest.fixture
def bank(shop: SignIn) -> SignIn:
    """Give a real client."""
    return shop.another("Bank", REDIRECT_URI, require_pkce=False)


def ask(shop: SignIn, /, **changes: str | None) -> dict[str, str]:
    """Send an authorization request; return what reached the client at once."""
    return response_of(shop.ask(**changes))


def sign_in(shop: SignIn, /, **changes: str | None) -> dict[str, Any]:
    """Let a scripted person sign in; return tokens and, as ``sub``, who it was."""
    tokens: dict[str, Any] = shop.redeem(ask(shop, **changes)["code"]).json()
    return {**tokens, "sub": shop.subject(tokens)}


def test_ten_people_sign_in_and_each_comes_back_as_the_same(shop: SignIn) -> None:
    """Without a hint it is the first of them."""
    first = {name: sign_in(shop, login_hint=name)["sub"] for name in PEOPLE}

    assert len(set(first.values())) == len(PEOPLE) == 10
    assert sign_in(shop, login_hint="person-7")["sub"] == first["person-7"]
    assert sign_in(shop)["sub"] == first["person-1"]


@pytest.mark.parametrize("hint", REASONS)
def test_every_end_of_a_real_sign_in_can_be_requested(shop: SignIn, hint: Any) -> None:
    """With the very error that a real one gives."""
    said = ask(shop, login_hint=hint.value)

    refused = refusal_of(hint)
    assert (said["error"], said["error_description"]) == (refused.error, refused.description)


def test_a_person_disconnects_the_app(shop: SignIn) -> None:
    """All that the app holds ends; afterwards it is a new person."""
    held = sign_in(shop, login_hint="person-2", scope=OFFLINE)
    other = sign_in(shop, login_hint="person-3")

    assert ask(shop, login_hint="person-2-withdraws")["error"] == "access_denied"
    assert shop.refresh(held["refresh_token"]).json()["error"] == "invalid_grant"
    assert shop.userinfo(held["access_token"]).status_code == 401
    assert ask(shop, user_id=held["sub"])["error"] == "invalid_request"
    assert sign_in(shop, login_hint="person-2")["sub"] != held["sub"]
    assert shop.userinfo(other["access_token"]).status_code == 200


def test_a_hint_that_names_no_end_is_refused(shop: SignIn) -> None:
    """A misspelt test must not pass as a sign-in."""
    assert ask(shop, login_hint="person-11")["error"] == "invalid_request"


def test_a_named_person_is_that_one_or_no_match(shop: SignIn) -> None:
    """``user_id`` works as with a palm: another person's ends as a wrong palm."""
    sub = sign_in(shop, login_hint="person-4")["sub"]

    assert sign_in(shop, login_hint="person-4", user_id=sub)["sub"] == sub
    assert ask(shop, login_hint="person-5", user_id=sub)["error"] == "access_denied"


@pytest.mark.parametrize(
    ("hint", "accepts", "acr"),
    [
        ("person-1-at-station", {"accept_stations": True}, f"{SANDBOX}/palm-at-station"),
        ("person-1-palm-alone", {"accept_palm_alone": True}, f"{SANDBOX}/palm"),
        ("person-1-at-station", {"accept_palm_alone": True}, f"{SANDBOX}/palm"),
        ("person-1-at-station", {}, None),
        ("person-1-palm-alone", {"accept_stations": True}, None),
    ],
)
def test_every_level_is_played_and_refused_as_a_real_one(
    shop: SignIn, hint: str, accepts: dict[str, bool], acr: str | None
) -> None:
    """Whatever this operator allows; and no token of it reads as a real one."""
    lower = shop.another("Lower", REDIRECT_URI, sandbox=True, **accepts)

    if acr is None:
        assert ask(lower, login_hint=hint)["error"] == "unmet_authentication_requirements"
        return
    tokens = sign_in(lower, login_hint=hint, claims=essential(acr))
    claims = lower.claims(tokens)
    assert (claims["acr"], claims["amr"]) == (acr, ["sandbox"])
    assert lower.opened(tokens["access_token"]).claims["aud"].endswith("/sandbox")


def test_a_real_client_cannot_ask_for_a_script(bank: SignIn) -> None:
    """It is sent to the page, and a demand for the sandbox's level ends there."""
    assert is_asked(bank.ask(login_hint="person-1"))
    error = ask(bank, claims=essential(SANDBOX))["error"]
    assert error == "unmet_authentication_requirements"


def test_a_palms_session_is_not_used_and_not_ended(shop: SignIn, bank: SignIn) -> None:
    """Who is really signed in to this browser is nothing to a sandbox."""
    real = bank.tokens(ANNA)

    assert sign_in(shop)["sub"] != bank.subject(real)
    assert "code" in ask(bank)


@pytest.mark.parametrize("account", [ANNA, PEOPLE["person-1"]])
def test_no_code_leads_from_one_world_to_the_other(shop: SignIn, account: AccountId) -> None:
    """The last line: the one place that issues codes refuses every caller."""
    client, now = shop.shop.client, shop.clock()
    request = AuthorizationRequest(
        client.client_id, client.name, client.sector, client.redirect_uris[0], ("openid",),
        sandbox=account is ANNA,
    )  # fmt: skip
    person = Authenticated(account, now, Level.SANDBOX)

    with pytest.raises(SandboxBreached), shop.database.write() as stores:
        issue_code.issue(stores, "code", request, person, SessionId("s"), Lifetimes(), now)


@pytest.mark.parametrize("of_sandbox", [False, True])
def test_resource_servers_see_tokens_of_their_world(shop: SignIn, *, of_sandbox: bool) -> None:
    """A scripted person must not open a real handoff."""
    token = sign_in(shop)["access_token"]
    server = shop.another("API", None, resource_server=True, sandbox=of_sandbox)

    assert server.call("introspect", {"token": token}).json()["active"] is of_sandbox
