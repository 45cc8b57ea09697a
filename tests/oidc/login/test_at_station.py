"""A sign-in that begins in a station's browser: where it is offered, and what is left there."""

import json
from typing import Any

import pytest

from oidc.client import ConfirmCode
from oidc.protocol import digest_of
from oidc.types import Authenticated, Level
from tests.support.service.sign_in import ANNA, PHONE, MakeSignIn, SignIn, response_of
from tests.support.service.signing_out import LOGOUT, agree

SECRET = "s" * 43
COOKIE = "__Host-thenar-station"
OFFER = "Show your palm here"
ACR = "https://id.example/acr/palm-at-station"
PALM_AND_PHONE = json.dumps(
    {"id_token": {"acr": {"essential": True, "value": "https://id.example/acr/palm-and-phone"}}}
)


@pytest.fixture
def shop(make_sign_in: MakeSignIn) -> SignIn:
    """Give a client that accepts stations, in a station's browser, where sessions are kept."""
    provider = make_sign_in(session_minutes=10)
    provider.browser.cookies.set(COOKIE, SECRET)
    return provider.another(accept_stations=True, confirm_code=ConfirmCode.ALWAYS)


def kept(shop: SignIn) -> list[int]:
    """Count what the provider keeps of browsers."""
    tables = "browser_sessions", "known_browsers"
    with shop.database.engine.connect() as connection:
        counts = [connection.exec_driver_sql(f"SELECT count(*) FROM {t}") for t in tables]  # noqa: S608
        return [each.scalar_one() for each in counts]


def tokens_at(shop: SignIn, method: str = "GET") -> dict[str, Any]:
    """Sign in by a palm at the station."""
    page = shop.send(method, shop.request()).headers["location"]
    if method == "POST":  # without SameSite cookies, so it is asked again
        page = shop.browser.get(page).headers["location"]
    claimed = shop.handoff.claim(shop.ticket_on(page), PHONE, None, digest_of(SECRET))
    outcome = Authenticated(ANNA, shop.clock(), Level.PALM_AT_STATION)
    shop.handoff.record_outcome(claimed.login_id, PHONE, outcome)
    shop.say_yes(page, claimed.login_id)
    tokens: dict[str, Any] = shop.redeem(response_of(shop.proceed(page))["code"]).json()
    return tokens


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nothing_of_a_person_stays_in_the_browser(shop: SignIn, method: str) -> None:
    """The next one is another person: no session, no known browser, and no code to type."""
    claims = shop.claims(tokens_at(shop, method))

    assert (claims["acr"], claims["amr"]) == (ACR, ["user"])
    assert kept(shop) == [0, 0]
    assert response_of(shop.ask(prompt="none"))["error"] == "login_required"


@pytest.mark.parametrize(("where", "status"), [(SECRET, 401), ("t" * 43, 200), (None, 200)])
def test_an_app_signs_its_person_out_at_the_station_of_the_sign_in(
    shop: SignIn, where: str | None, status: int
) -> None:
    """Nothing is kept in the browser: what was given there says where that was."""
    tokens, browser = tokens_at(shop), shop.new_browser()
    if where is not None:
        browser.cookies.set(COOKIE, where)

    agree(browser, browser.get(LOGOUT, params={"id_token_hint": tokens["id_token"]}))

    assert shop.userinfo(tokens["access_token"]).status_code == status


def test_no_session_of_before_signs_in_at_a_station(make_sign_in: MakeSignIn) -> None:
    """Of a person who used the computer before it became one."""
    provider = make_sign_in(session_minutes=10)
    provider.tokens()
    before = response_of(provider.ask(prompt="none"))
    provider.browser.cookies.set(COOKIE, SECRET)

    assert "code" in before
    assert response_of(provider.ask(prompt="none"))["error"] == "login_required"


def test_it_is_offered_where_the_client_accepts_it(shop: SignIn) -> None:
    """Not in other browsers, and not where a trusted device is essential."""
    deaf = shop.another("Deaf", "https://deaf.example/cb")
    pages = [
        shop.browser.get(shop.open_page()),
        shop.browser.get(shop.open_page(claims=PALM_AND_PHONE)),
        shop.browser.get(deaf.open_page()),
    ]
    outsider = shop.new_browser()
    pages.append(outsider.get(shop.open_page(outsider)))

    assert [OFFER in page.text for page in pages] == [True, False, False, False]
    assert SECRET not in pages[0].text
