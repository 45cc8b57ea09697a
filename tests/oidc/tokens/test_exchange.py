"""From a code to tokens, and from a refresh token to its successor: used once, or ended."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from oidc.storage.stores.grants import Code, RefreshToken
from oidc.tokens.refresh import Verdict, decide
from oidc.types import Authentication, ClientId, GrantId
from tests.support.at_once import at_once
from tests.support.clock import FakeClock
from tests.support.service.sign_in import CHALLENGE, REDIRECT_URI, VERIFIER, SignIn, error_of

OFFLINE = "openid offline_access"
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
GONE = (400, "invalid_grant")

NOW = FakeClock()()
SOON, PAST = NOW + timedelta(seconds=1), NOW - timedelta(seconds=1)
CODE = Code(b"c", GrantId("g"), ClientId("shop"), REDIRECT_URI, None, expires_at=SOON)
TOKEN = RefreshToken(b"t", GrantId("g"), ClientId("shop"), expires_at=SOON, family_ends_at=SOON)
SPENT = replace(TOKEN, spent=True, sealed_successor=b"sealed", sealed_until=SOON)
NEXT = replace(TOKEN, digest=b"n")

Presented = Code | RefreshToken
DECISIONS: dict[str, tuple[Presented, RefreshToken | None, Verdict]] = {
    "a code in time": (CODE, None, Verdict.USE),
    "a code at its end": (replace(CODE, expires_at=NOW), None, Verdict.EXPIRED),
    "a spent code": (replace(CODE, spent=True), None, Verdict.REPLAY),
    "a spent code, late": (replace(CODE, spent=True, expires_at=PAST), None, Verdict.REPLAY),
    "a token in time": (TOKEN, None, Verdict.USE),
    "a token at its end": (replace(TOKEN, expires_at=NOW), None, Verdict.EXPIRED),
    "a spent token within the grace": (SPENT, NEXT, Verdict.SAME_SUCCESSOR),
    "a spent token, over by now": (replace(SPENT, expires_at=NOW), NEXT, Verdict.EXPIRED),
    "the grace is over": (replace(SPENT, sealed_until=NOW), NEXT, Verdict.REPLAY),
    "the successor was used": (SPENT, replace(NEXT, spent=True), Verdict.REPLAY),
    "the successor was erased": (SPENT, None, Verdict.REPLAY),
    "without a grace": (replace(SPENT, sealed_until=None), NEXT, Verdict.REPLAY),
}


@pytest.mark.parametrize(
    ("presented", "successor", "verdict"), DECISIONS.values(), ids=DECISIONS
)
def test_what_a_presented_code_or_token_is_worth(
    presented: Presented, successor: RefreshToken | None, verdict: Verdict
) -> None:
    """RFC 6749 §4.1.2, RFC 9700 §4.14.2."""
    assert decide(presented, NOW, successor) is verdict


def test_a_code_becomes_tokens_and_a_refresh_token_its_successor(sign_in: SignIn) -> None:
    """The whole flow: code, refresh, and a replay that ends both."""
    # Given a person who allowed a client with PKCE to come back without them
    code = sign_in.code(scope=OFFLINE, **PKCE)

    # When the client exchanges the code, then it gets tokens about that person
    first = sign_in.redeem(code, code_verifier=VERIFIER).json()
    assert sign_in.userinfo(first["access_token"]).json() == {"sub": sign_in.subject(first)}

    # When it uses the refresh token, then it gets new tokens about the same person
    second = sign_in.refresh(first["refresh_token"]).json()
    assert sign_in.subject(second) == sign_in.subject(first)
    assert second["refresh_token"] != first["refresh_token"]

    # When the code is shown again, then it is refused, and everything it gave has ended
    assert error_of(sign_in.redeem(code, code_verifier=VERIFIER)) == GONE
    assert sign_in.userinfo(first["access_token"]).status_code == 401
    assert sign_in.userinfo(second["access_token"]).status_code == 401
    assert error_of(sign_in.refresh(second["refresh_token"])) == GONE


@pytest.mark.parametrize("options", [{}, {"authentication": Authentication.NONE}])
def test_another_client_can_neither_use_nor_burn_a_code(
    sign_in: SignIn, options: dict[str, Any]
) -> None:
    """RFC 6749 §4.1.3, §10.5: bound to its client, with a secret or public."""
    other = sign_in.another(redirect_uri=REDIRECT_URI, **options)
    code = sign_in.code(**PKCE)

    assert error_of(other.redeem(code, code_verifier=VERIFIER)) == GONE
    assert sign_in.redeem(code, code_verifier=VERIFIER).status_code == 200


def test_of_concurrent_exchanges_of_a_code_one_succeeds(anywhere: SignIn) -> None:
    """It is in several hands: the others end what the one got."""
    code = anywhere.code(scope=OFFLINE)

    answers = at_once(*[lambda: anywhere.redeem(code)] * 4)

    given = [each.json() for each in answers if each.status_code == 200]
    assert [error_of(each) for each in answers if each.status_code != 200] == [GONE] * 3
    assert anywhere.userinfo(given[0]["access_token"]).status_code == 401


def test_concurrent_refreshes_get_the_same_successor(anywhere: SignIn) -> None:
    """Two tabs that wake up together stay signed in."""
    token = anywhere.tokens(scope=OFFLINE)["refresh_token"]

    answers = at_once(*[lambda: anywhere.refresh(token)] * 4)

    (successor,) = {each.json()["refresh_token"] for each in answers}
    assert anywhere.refresh(successor).status_code == 200
