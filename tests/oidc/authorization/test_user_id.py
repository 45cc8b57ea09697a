"""``user_id`` (specification §4.6): four ways of being nobody, one answer for all.

Whoever could tell a withdrawn pseudonym from an unknown one would learn that somebody was
here; whoever could tell a foreign one, that two apps share a person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import event

from oidc.accounts import pseudonym
from oidc.types import PairwiseSubject
from tests.support.service.sign_in import SignIn, query_of

STATE = "af0ifjsldkj"


@pytest.fixture(params=[0, 10], ids=["no sessions", "sessions"])
def sign_in(request: pytest.FixtureRequest, make_sign_in: Callable[..., SignIn]) -> SignIn:
    """Give a provider, with browser sessions and without."""
    return make_sign_in(session_minutes=request.param)


@pytest.fixture
def nobody(sign_in: SignIn) -> dict[str, str]:
    """Give a value of each kind that names no linked user of the shop."""
    other = sign_in.register("Other", "https://other.example/cb")
    page = sign_in.authorize(sign_in.request(other)).headers["location"]
    sign_in.approve(page)
    code = query_of(sign_in.proceed(page).headers["location"])["code"]
    named = {"client_id": other.client.client_id, "client_secret": other.secret}
    foreign = sign_in.redeem(code, redirect_uri="https://other.example/cb", **named).json()
    revoked = sign_in.opened(sign_in.tokens()["id_token"]).claims["sub"]
    with sign_in.database.write() as stores:
        assert pseudonym.withdraw(stores, PairwiseSubject(revoked), sign_in.clock())
    return {
        "unknown": f"vu-{uuid4()}",
        "revoked": revoked,
        "foreign": sign_in.opened(foreign["id_token"]).claims["sub"],
        "malformed": "x" * 39,
        "empty of sense": " ",
        "an e-mail address": "anna@example.com",
        "hostile": "vu-\x00' OR 1=1 --",
        "endless": "v" * 4000,
    }


@contextmanager
def counted(sign_in: SignIn) -> Iterator[list[str]]:
    """Write down every statement that the provider sends to its database."""
    sent: list[str] = []

    def note(*arguments: Any) -> None:
        sent.append(arguments[2])

    engine = sign_in.app.state.database.engine
    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)


def test_all_of_them_get_one_answer(sign_in: SignIn, nobody: dict[str, str]) -> None:
    """The same redirect to the letter, with the state, and no cookie."""
    answers = {
        kind: sign_in.authorize(sign_in.request(user_id=value), sign_in.new_browser())
        for kind, value in nobody.items()
    }

    first = answers["unknown"]
    told = query_of(first.headers["location"])
    assert (told["error"], told["state"]) == ("invalid_request", STATE)
    for kind, answer in answers.items():
        assert answer.status_code == 302, kind
        assert answer.headers == first.headers, kind
        assert answer.content == first.content, kind


def test_all_of_them_cost_the_same_queries(sign_in: SignIn, nobody: dict[str, str]) -> None:
    """Statement by statement: a query more would be a clock to read."""
    costs: dict[str, list[str]] = {}
    for kind, value in nobody.items():
        sign_in.authorize(sign_in.request(user_id="warm"), sign_in.new_browser())
        with counted(sign_in) as sent:
            sign_in.authorize(sign_in.request(user_id=value), sign_in.new_browser())
        costs[kind] = sent

    assert sum("pseudonyms" in statement for statement in costs["unknown"]) == 1
    for kind, sent in costs.items():
        assert sent == costs["unknown"], kind


def test_a_linked_user_is_none_of_them(sign_in: SignIn) -> None:
    """The test above could not fail otherwise."""
    linked = sign_in.opened(sign_in.tokens()["id_token"]).claims["sub"]

    answer = sign_in.authorize(sign_in.request(user_id=linked), sign_in.new_browser())

    assert "/oauth/consent/" in answer.headers["location"]


@pytest.mark.parametrize("kind", ["unknown", "revoked", "foreign", "malformed"])
def test_a_pushed_request_names_nobody_either(
    sign_in: SignIn, nobody: dict[str, str], kind: str
) -> None:
    """RFC 9126 §2.3: the client learns it before any person sees a page, alike for all."""
    pushed = sign_in.new_browser().post(
        "/par", data=sign_in.request(user_id=nobody[kind]), headers=sign_in.basic()
    )

    assert pushed.status_code == 400
    assert pushed.json() == {
        "error": "invalid_request",
        "error_description": "user_id is not a linked user of this client",
    }
