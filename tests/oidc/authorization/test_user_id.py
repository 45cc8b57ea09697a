"""``user_id`` (specification §4.6): four ways of naming no account, one answer for all.

A client that could tell a withdrawn pseudonym from an unknown one would learn that a person was
here; one that could tell a foreign one, that two apps share a person.
"""

from uuid import uuid4

import pytest

from tests.support.databases.statements import statements
from tests.support.service.sign_in import ANNA, REDIRECT_URI, MakeSignIn, SignIn, response_of

STATE = "af0ifjsldkj"


@pytest.fixture(params=[0, 10], ids=["no sessions", "sessions"])
def sign_in(request: pytest.FixtureRequest, make_sign_in: MakeSignIn) -> SignIn:
    """Give a provider, with browser sessions and without."""
    return make_sign_in(session_minutes=request.param)


@pytest.fixture
def unknown(sign_in: SignIn) -> dict[str, str]:
    """Give a value of each kind that names no linked user of the shop."""
    other = sign_in.another()
    foreign = other.subject(other.tokens())
    revoked = sign_in.subject(sign_in.tokens())
    sign_in.disconnect(revoked)
    return {
        "unknown": f"vu-{uuid4()}",
        "revoked": revoked,
        "foreign": foreign,
        "malformed": "x" * 39,
        "of another case": f"VU-{uuid4()}",
        "empty of sense": " ",
        "an e-mail address": "anna@example.com",
        "an account": str(ANNA),
        "hostile": "vu-\x00' OR 1=1 --",
        "endless": "v" * 4000,
    }


def test_all_of_them_get_one_answer(sign_in: SignIn, unknown: dict[str, str]) -> None:
    """The same redirect to the letter, with the state, and no cookie."""
    answers = {
        kind: sign_in.ask(sign_in.new_browser(), user_id=value)
        for kind, value in unknown.items()
    }

    first = answers["unknown"]
    said = response_of(first)
    assert (said["error"], said["state"]) == ("invalid_request", STATE)
    assert said["error_description"]
    assert first.headers["location"].startswith(REDIRECT_URI)
    for kind, answer in answers.items():
        assert answer.status_code == 302, kind
        assert answer.headers == first.headers, kind
        assert answer.content == first.content, kind
    hinted = sign_in.ask(sign_in.new_browser(), user_id=str(ANNA), id_token_hint="x")
    assert hinted.headers["location"] == first.headers["location"], "before the hint is read"


def test_all_of_them_cost_the_same_queries(sign_in: SignIn, unknown: dict[str, str]) -> None:
    """Statement by statement: a query more would be a clock to read."""
    costs: dict[str, list[str]] = {}
    for kind, value in unknown.items():
        sign_in.ask(sign_in.new_browser(), user_id="warm")
        sign_in.app.state.error_log.flush()
        with statements(sign_in.app.state.database) as sent:
            sign_in.ask(sign_in.new_browser(), user_id=value)
            sign_in.app.state.error_log.flush()
        costs[kind] = sent

    assert sum("pseudonyms" in statement for statement in costs["unknown"]) == 1
    for kind, sent in costs.items():
        assert sent == costs["unknown"], kind


@pytest.mark.parametrize("kind", ["unknown", "revoked", "foreign", "malformed"])
def test_a_pushed_request_names_no_account_either(
    sign_in: SignIn, unknown: dict[str, str], kind: str
) -> None:
    """RFC 9126 §2.3: the client learns it before any person sees a page, alike for all."""
    pushed = sign_in.call("par", sign_in.request(user_id=unknown[kind]))

    assert pushed.status_code == 400
    assert pushed.json() == {
        "error": "invalid_request",
        "error_description": "user_id is not a linked user of this client",
    }
