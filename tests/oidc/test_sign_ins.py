"""What a person sees of past sign-ins, and how what one phone signed in is ended."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from oidc import logout
from oidc.app import open_handoff
from oidc.linked_clients import LinkedClients, SignIns
from oidc.plumbing.columns import day_of
from oidc.protocol import digest_of
from oidc.types import Claimant, Level
from tests.support.at_once import at_once
from tests.support.clock import FakeClock
from tests.support.service.sign_in import (
    ANNA,
    BERT,
    PHONE,
    MakeSignIn,
    SignIn,
    onward,
    query_of,
    response_of,
)

OFFLINE = "openid offline_access"
NEW_PHONE = Claimant("a new phone")


@pytest.fixture
def sign_ins(anywhere: SignIn) -> Iterator[SignIns]:
    """Give the sign-ins, as another process opens them."""
    opened = open_handoff(anywhere.settings, anywhere.clock)
    yield opened.sign_ins
    opened.close()


def tokens_by(sign_in: SignIn, claimant: Claimant) -> dict[str, Any]:
    """Sign Anna in with a phone, in another browser."""
    sign_in.browser = sign_in.new_browser()
    return sign_in.tokens(scope=OFFLINE, claimant=claimant)


def test_a_person_sees_where_when_and_with_which_phone(
    anywhere: SignIn, sign_ins: SignIns, clock: FakeClock
) -> None:
    """The newest first; not a subject in sight, and of no other account."""
    day = day_of(clock())
    tokens_by(anywhere, PHONE)
    clock.advance(60)
    last = tokens_by(anywhere, NEW_PHONE)

    found = sign_ins.of(ANNA)

    assert [(each.claimant, each.level) for each in found] == [
        (NEW_PHONE, Level.PALM_AND_PHONE),
        (PHONE, Level.PALM_AND_PHONE),
    ]
    assert {(each.client_name, each.client_host) for each in found} == {
        ("Corner Bookshop", "shop.example")
    }
    assert found[1].at == day
    assert anywhere.subject(last) not in repr(found)
    assert sign_ins.of(BERT) == []


def test_what_one_phone_signed_in_ends_and_nothing_else(
    anywhere: SignIn, sign_ins: SignIns
) -> None:
    """Access and refresh tokens; the other phone's, and other people's, go on."""
    stolen = tokens_by(anywhere, NEW_PHONE)
    own = tokens_by(anywhere, PHONE)

    assert (sign_ins.end(BERT, NEW_PHONE), sign_ins.end(ANNA, NEW_PHONE)) == (0, 1)

    assert anywhere.userinfo(stolen["access_token"]).status_code == 401
    assert anywhere.refresh(stolen["refresh_token"]).status_code == 400
    assert anywhere.userinfo(own["access_token"]).status_code == 200
    assert anywhere.refresh(own["refresh_token"]).status_code == 200


def test_a_withdrawn_pseudonym_and_a_deleted_account_leave_no_sign_in(
    anywhere: SignIn, sign_ins: SignIns
) -> None:
    """Whom they were about is not to be found afterwards, in the rows either."""
    anywhere.tokens(ANNA)
    anywhere.tokens(BERT)
    connections = LinkedClients(anywhere.database, anywhere.clock)

    connections.disconnect(ANNA, connections.of(ANNA)[0].handle)
    anywhere.handoff.delete_account(BERT)

    with anywhere.database.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT * FROM sign_ins").all() == []
    assert sign_ins.of(ANNA) == []


@pytest.mark.parametrize("round_", range(4))
def test_tokens_collected_while_a_phone_is_removed_are_revoked(
    anywhere: SignIn, sign_ins: SignIns, round_: int
) -> None:
    """Either order, no deadlock: the login is cancelled, or what it gave is revoked."""
    page = anywhere.open_page(scope=OFFLINE)
    anywhere.approve(page, ANNA, NEW_PHONE)

    def remove() -> None:
        anywhere.handoff.cancel_claims(NEW_PHONE)
        sign_ins.end(ANNA, NEW_PHONE)

    collected, _ = at_once(lambda: anywhere.proceed(page), remove)

    response_of = query_of(onward(collected))
    assert "code" not in response_of or anywhere.redeem(response_of["code"]).status_code == 400


class TestWithSessions:
    """Where a palm is remembered for some minutes."""

    @pytest.fixture
    def shop(self, make_anywhere: MakeSignIn) -> SignIn:
        """Give a provider that remembers a palm."""
        return make_anywhere(session_minutes=10)

    def test_a_silent_code_is_no_sign_in_but_ends_with_it(self, shop: SignIn) -> None:
        """The session is the phone's doing, so is whatever the browser got from it."""
        sign_ins = SignIns(shop.database, shop.clock)
        tokens_by(shop, NEW_PHONE)
        silent = shop.redeem(response_of(shop.ask(prompt="none"))["code"]).json()
        assert len(sign_ins.of(ANNA)) == 1

        sign_ins.end(ANNA, NEW_PHONE)

        assert shop.userinfo(silent["access_token"]).status_code == 401
        assert response_of(shop.ask(prompt="none"))["error"] == "login_required"

    def test_consent_is_requested_again(self, shop: SignIn) -> None:
        """It may be an attacker's who held a picture of the palm."""
        tokens_by(shop, NEW_PHONE)
        SignIns(shop.database, shop.clock).end(ANNA, NEW_PHONE)
        shop.another("Bank").tokens()

        assert response_of(shop.ask(prompt="none"))["error"] == "login_required"

    def test_a_silent_request_waits_for_a_logout_and_finds_no_account(
        self, shop: SignIn
    ) -> None:
        """The session was there when the request came, and is not when the code would be."""
        shop.tokens()
        digest = digest_of(shop.browser.cookies["__Host-thenar-session"])

        with ThreadPoolExecutor(1) as pool:
            with shop.database.write() as stores:
                session = stores.sessions.find(digest)
                assert session is not None
                logout.end_session(stores, session.session_id, shop.clock())
                asked = pool.submit(shop.ask, prompt="none")
                time.sleep(0.3)
            assert response_of(asked.result(30))["error"] == "login_required"
