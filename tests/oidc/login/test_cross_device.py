"""The measures of RFC 10027: a code on risk, a new code in time, one login at a time."""

import logging
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.testclient import TestClient

from oidc.client import ConfirmCode
from oidc.errors import LoginGone, TicketStale
from oidc.protocol import digest_of
from oidc.types import (
    AccountId,
    Authenticated,
    Claimant,
    Level,
    LoginId,
    LoginState,
    Network,
    NextStep,
)
from tests.support.clock import FakeClock
from tests.support.service.sign_in import ANNA, BERT, PHONE, MakeSignIn, SignIn, response_of

HOME, DISTANT = "203.0.113.7", "198.51.100.9"
OTHER = Claimant("another phone")


def at(sign_in: SignIn, address: str) -> TestClient:
    """Return a browser at that address."""
    url = sign_in.settings.auth_url
    return TestClient(sign_in.app, url, follow_redirects=False, client=(address, 50_000))


def begin(
    sign_in: SignIn, browser: TestClient, confirm_code: ConfirmCode = ConfirmCode.ON_RISK
) -> str:
    """Open the page of a new client that asks for codes like this."""
    return sign_in.another("Shop", confirm_code=confirm_code).open_page(browser)


def approve(
    sign_in: SignIn,
    page: str,
    browser: TestClient,
    address: str = HOME,
    account: AccountId = ANNA,
) -> tuple[LoginId, str | None]:
    """Scan with a phone at that address, show the palm, say yes; return the code it shows."""
    handoff = sign_in.handoff
    claimed = handoff.claim(sign_in.ticket_on(page, browser), PHONE, address)
    handoff.record_outcome(
        claimed.login_id, PHONE, Authenticated(account, sign_in.clock(), Level.PALM_AND_PHONE)
    )
    return claimed.login_id, handoff.approve(claimed.login_id, PHONE).confirmation_code


def enter(
    sign_in: SignIn,
    browser: TestClient,
    address: str = DISTANT,
    *,
    account: AccountId = ANNA,
    policy: ConfirmCode = ConfirmCode.ON_RISK,
) -> tuple[LoginId, bool]:
    """Sign in from beginning to end; return whether a code was demanded."""
    page = begin(sign_in, browser, policy)
    login_id, code = approve(sign_in, page, browser, address, account)
    browser.post(f"{page}/code", data={"code": code}) if code else browser.post(
        f"{page}/continue"
    )
    return login_id, code is not None


@dataclass
class Coded:
    """A login that waits for the code that the phone shows."""

    sign_in: SignIn
    browser: TestClient
    page: str
    login_id: LoginId
    code: str

    @property
    def hint(self) -> NextStep:
        """The messages to the phone."""
        return self.sign_in.handoff.get_state(self.login_id, PHONE).hint

    def type(self, code: str) -> Any:
        """Send a code by the page's form."""
        return self.browser.post(f"{self.page}/code", data={"code": code})


@pytest.fixture
def coded(sign_in: SignIn) -> Coded:
    """Give a login of a client that always asks for a code."""
    browser = at(sign_in, HOME)
    page = begin(sign_in, browser, ConfirmCode.ALWAYS)
    login_id, code = approve(sign_in, page, browser)
    return Coded(sign_in, browser, page, login_id, str(code))


class TestConfirmationCode:
    """Shown on the phone after the palm, typed in the browser that began."""

    @pytest.mark.parametrize(
        ("policy", "phone_at", "asked"),
        [
            (ConfirmCode.NEVER, DISTANT, False),
            (ConfirmCode.ALWAYS, HOME, True),
            (ConfirmCode.ON_RISK, HOME, True),
            (ConfirmCode.ON_RISK, DISTANT, True),
        ],
    )
    def test_it_is_demanded_by_policy_and_risk(
        self, sign_in: SignIn, policy: ConfirmCode, phone_at: str, *, asked: bool
    ) -> None:
        """Risk: an unknown browser, whatever its network: carriers share theirs."""
        browser = at(sign_in, HOME)
        page = begin(sign_in, browser, policy)

        login_id, code = approve(sign_in, page, browser, phone_at)

        assert (code is not None) is asked
        expected = NextStep.WAIT_CODE if asked else NextStep.GO
        assert sign_in.handoff.get_state(login_id, PHONE).hint is expected
        assert browser.get(f"{page}/state").json()["is_over"] is not asked

    def test_the_right_one_finishes_at_once(self, coded: Coded) -> None:
        """And the code is gone from the phone, which may go to sleep."""
        said = response_of(coded.type(f" {coded.code} "))
        state = coded.sign_in.handoff.get_state(coded.login_id, PHONE)

        assert "code" in said
        assert (state.hint, state.confirmation_code) == (NextStep.GO, None)

    def test_a_repeated_form_has_the_same_answer_until_the_code_is_used(
        self, coded: Coded
    ) -> None:
        """The first answer was lost on its way, and with it that the cookie is over."""
        cookies = dict(coded.browser.cookies)
        answers = []
        for _ in range(2):
            coded.browser.cookies.update(cookies)
            answers.append(response_of(coded.type(coded.code)))
        with coded.sign_in.database.write() as stores:
            stores.codes.spend(digest_of(answers[0]["code"]), coded.sign_in.clock())
        coded.browser.cookies.update(cookies)

        assert answers[0] == answers[1]
        assert coded.type(coded.code).status_code == 403

    def test_continue_does_not_go_round_it(self, coded: Coded) -> None:
        """The page's other button leads back to the page."""
        assert coded.browser.post(f"{coded.page}/continue").headers["location"] == coded.page

    def test_three_wrong_ones_end_the_login(self, coded: Coded) -> None:
        """Then the right one is worth nothing; the client gets the reason."""
        hints = []
        for _ in range(3):
            coded.type(f"{(int(coded.code) + 1) % 10_000:04}")
            hints.append(coded.hint)

        coded.type(coded.code)
        said = response_of(coded.browser.post(f"{coded.page}/continue"))

        assert hints == [NextStep.CODE_RETRY, NextStep.CODE_RETRY, NextStep.CODE_LOCKED]
        assert said["error"] == "access_denied"
        assert said["error_description"] == "the wrong confirmation code was entered too often"
        assert said["state"] == "af0ifjsldkj"

    @pytest.mark.parametrize("typed", ["", "0", "ä" * 4, "\x00", "12345", "９９９９"])
    def test_anything_else_is_a_wrong_code(self, coded: Coded, typed: str) -> None:
        """Never a fault of ours, and never a free try."""
        answer = coded.type(typed)

        assert (answer.status_code, answer.headers["location"]) == (303, coded.page)
        assert coded.hint is NextStep.CODE_RETRY

    def test_no_other_browser_can_type_it(self, coded: Coded) -> None:
        """A relayed code is worth nothing without the cookie of this browser."""
        coded.browser = at(coded.sign_in, HOME)

        assert coded.type(coded.code).status_code == 403

    def test_a_browser_is_known_after_its_first_login(self, sign_in: SignIn) -> None:
        """On risk the code is demanded once per browser and account, not at every login."""
        browser, other = at(sign_in, HOME), at(sign_in, HOME)

        asked = [enter(sign_in, each)[1] for each in (browser, browser, other)]

        assert asked == [True, False, True]
        assert enter(sign_in, browser, account=BERT)[1], "it is not known to another account"

    @pytest.mark.parametrize("unknown", ["127.0.0.1", "unix:"])
    def test_an_unknown_network_is_a_risk_in_a_known_browser_too(
        self, sign_in: SignIn, unknown: str
    ) -> None:
        """A proxy that no setting names makes everybody come from loopback."""
        browser = at(sign_in, HOME)

        assert enter(sign_in, browser)[1]
        assert enter(sign_in, browser, unknown)[1]

    def test_it_is_in_no_log_and_no_answer_to_the_browser(
        self, caplog: pytest.LogCaptureFixture, request: pytest.FixtureRequest
    ) -> None:
        """It travels from phone to person to browser, and no other way."""
        caplog.set_level(logging.DEBUG)
        coded: Coded = request.getfixturevalue("coded")
        with coded.sign_in.database.read() as stores:
            row = stores.logins.find(coded.login_id)

        shown = "".join(coded.browser.get(coded.page + end).text for end in ("", "/state"))
        assert f">{coded.code}<" not in shown
        assert f'"{coded.code}"' not in shown
        assert coded.code not in caplog.text
        assert coded.code not in repr(row)


class TestNewCode:
    """Time ran out before anybody scanned: another code, in the same browser."""

    def test_a_new_code_is_a_new_login(self, sign_in: SignIn, clock: FakeClock) -> None:
        """The old ticket and the old page are dead; the new one finishes."""
        page = sign_in.open_page(state="kept", nonce="n")
        old = sign_in.ticket_on(page)
        clock.advance(180)
        offered = sign_in.browser.get(page).text
        renewed = sign_in.browser.post(f"{page}/renew").headers["location"]
        sign_in.approve(renewed)

        said = response_of(sign_in.proceed(renewed))

        assert 'id="renew-form"' in offered
        assert renewed != page
        assert (said["state"], "code" in said) == ("kept", True)
        with pytest.raises(LoginGone) as caught:
            sign_in.handoff.claim(old, PHONE)
        assert caught.value.hint is NextStep.SUPERSEDED
        assert sign_in.browser.get(page).status_code == 403

    def test_a_linked_user_is_still_the_one_who_is_meant(
        self, sign_in: SignIn, clock: FakeClock
    ) -> None:
        """Another person's palm must not do after a renewal, swept or not."""
        page = sign_in.open_page(user_id=sign_in.subject(sign_in.tokens()))
        clock.advance(180)
        sign_in.sweep()
        renewed = sign_in.browser.post(f"{page}/renew").headers["location"]

        login_id = sign_in.recognise(renewed, BERT)

        assert sign_in.handoff.get_state(login_id, PHONE).hint is NextStep.PALM_RETRY

    def test_a_linked_user_who_is_known_no_longer_is_not_waited_for(
        self, sign_in: SignIn, clock: FakeClock
    ) -> None:
        """A withdrawal at this very moment cannot see the login that is being made."""
        subject = sign_in.subject(sign_in.tokens())
        page = sign_in.open_page(user_id=subject)
        clock.advance(180)
        sign_in.disconnect(subject)

        renewed = sign_in.browser.post(f"{page}/renew")
        assert response_of(renewed)["error"] == "access_denied"


class TestOneAtATime:
    """A newer login of a browser or a phone replaces the older one."""

    def test_a_browser_that_begins_again_ends_what_it_began(self, sign_in: SignIn) -> None:
        """The forgotten tab says so, and tells the client if it is asked to."""
        first = sign_in.open_page()
        second = sign_in.open_page()

        shown = sign_in.browser.get(first).text
        said = response_of(sign_in.proceed(first))

        assert 'data-hint="superseded"' in shown
        assert said["error_description"] == "a newer sign-in has replaced this one"
        sign_in.approve(second)
        assert "code" in response_of(sign_in.proceed(second))

    def test_another_client_and_another_browser_go_on(self, sign_in: SignIn) -> None:
        """Two apps in two tabs both finish; no browser ends another's login."""
        first = sign_in.open_page()
        sign_in.another("Bank").open_page()
        sign_in.open_page(sign_in.new_browser())

        assert 'data-hint="wait_scan"' in sign_in.browser.get(first).text

    def test_a_phone_that_scans_another_code_leaves_the_first(self, sign_in: SignIn) -> None:
        """One palm is for one login: the one the person sees on the phone."""
        other = sign_in.new_browser()
        first = sign_in.recognise(sign_in.open_page())
        sign_in.handoff.claim(sign_in.ticket_on(sign_in.open_page(other), other), PHONE)

        assert sign_in.handoff.get_state(first, PHONE).hint is NextStep.SUPERSEDED

    @pytest.mark.parametrize("cookie", ["", "x", "%EF%BF%BD", "a" * 43])
    def test_a_forged_cookie_ends_nothing(self, sign_in: SignIn, cookie: str) -> None:
        """Only the browser's own secret counts."""
        page = sign_in.open_page()
        name = f"__Host-thenar-login-{page.rpartition('/')[2]}"
        outsider = sign_in.new_browser()
        url = f"{sign_in.settings.auth_url}/oauth/authorize"
        outsider.get(url, params=sign_in.request(), headers={"Cookie": f"{name}={cookie}"})

        assert 'data-hint="wait_scan"' in sign_in.browser.get(page).text


class TestWhatThePhoneSees:
    """Who asks, for what, from where and since when."""

    def test_it_sees_where_it_is_asked_from(self, sign_in: SignIn, clock: FakeClock) -> None:
        """As the browser says of itself; the address itself stays here."""
        browser = at(sign_in, HOME)
        browser.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Firefox/153"
        page = sign_in.open_page(browser)
        began = clock()
        clock.advance(10)

        seen = sign_in.handoff.claim(sign_in.ticket_on(page, browser), PHONE, DISTANT)

        assert (seen.client_name, seen.client_host) == ("Corner Bookshop", "shop.example")
        assert (seen.origin.browser, seen.origin.system) == ("Firefox", "Linux")
        assert (seen.network, seen.opened_at) == (Network.DIFFERENT, began)
        assert seen.scope == ("openid",)
        assert seen.page_url == page
        assert HOME.rpartition(".")[0] not in repr(seen)

    def test_an_old_picture_of_the_code_is_refused_as_that(
        self, sign_in: SignIn, clock: FakeClock
    ) -> None:
        """A screenshot after 25 seconds; and the code on the screen is good all the while."""
        page = sign_in.open_page()
        screenshot = sign_in.ticket_on(page)
        clock.advance(25)

        with pytest.raises(TicketStale):
            sign_in.handoff.claim(screenshot, PHONE)
        assert sign_in.handoff.claim(sign_in.ticket_on(page), OTHER).hint is NextStep.WAIT_PALM

    def test_the_phone_that_holds_it_may_show_the_old_ticket_again(
        self, sign_in: SignIn, clock: FakeClock
    ) -> None:
        """An interrupted person reloads the page that the link opened, and gains no time."""
        ticket = sign_in.ticket_on(sign_in.open_page())
        first = sign_in.handoff.claim(ticket, PHONE)
        clock.advance(60)

        again = sign_in.handoff.claim(ticket, PHONE)

        assert (again.hint, again.expires_at) == (NextStep.WAIT_PALM, first.expires_at)


class TestReport:
    """The person on the phone says: this was not me."""

    @pytest.mark.parametrize("steps", [0, 1, 2])
    def test_it_ends_the_login_at_any_step(self, sign_in: SignIn, steps: int) -> None:
        """The client gets its own description, the operator a line in the log."""
        page = sign_in.open_page()
        login_id = sign_in.handoff.claim(sign_in.ticket_on(page), PHONE).login_id
        if steps:
            outcome = Authenticated(ANNA, sign_in.clock(), Level.PALM_AND_PHONE)
            sign_in.handoff.record_outcome(login_id, PHONE, outcome)
        if steps == 2:
            sign_in.handoff.approve(login_id, PHONE)

        reported = sign_in.handoff.report(login_id, PHONE)
        said = response_of(sign_in.proceed(page))

        assert reported.hint is NextStep.REPORTED
        assert sign_in.handoff.report(login_id, PHONE).state is LoginState.REPORTED
        assert said["error"] == "access_denied"
        assert said["error_description"] == (
            "the person reported that another person started this sign-in"
        )

    def test_the_browser_is_known_no_longer(self, sign_in: SignIn) -> None:
        """It was another account's: its next login asks a code again."""
        browser = at(sign_in, HOME)
        login_id, _ = enter(sign_in, browser, policy=ConfirmCode.NEVER)

        sign_in.handoff.report(login_id, PHONE)

        assert enter(sign_in, browser)[1]

    def test_the_session_ends_although_the_grant_was_revoked_before(
        self, make_sign_in: MakeSignIn
    ) -> None:
        """The attacker who began the login may have used its code twice to avoid the grant."""
        sign_in = make_sign_in(session_minutes=10)
        page = sign_in.open_page()
        login_id = sign_in.recognise(page)
        sign_in.handoff.approve(login_id, PHONE)
        code = response_of(sign_in.proceed(page))["code"]
        sign_in.redeem(code)
        sign_in.redeem(code)

        sign_in.handoff.report(login_id, PHONE)

        assert response_of(sign_in.ask(prompt="none"))["error"] == "login_required"

    def test_what_was_allowed_is_asked_again(self, make_sign_in: MakeSignIn) -> None:
        """Another person's consent must not open the client to silent sign-ins."""
        sign_in = make_sign_in(session_minutes=10)
        mine, theirs = sign_in.new_browser(), sign_in.new_browser()
        silent, logins = sign_in.request(prompt="none"), []
        for browser in (mine, theirs):
            page = sign_in.open_page(browser)
            logins.append(sign_in.recognise(page, browser=browser))
            sign_in.handoff.approve(logins[-1], PHONE)
            sign_in.proceed(page, browser)
        assert "code" in response_of(sign_in.authorize(silent, mine))

        sign_in.handoff.report(logins[-1], PHONE)

        said = response_of(sign_in.authorize(silent, mine))
        assert said["error"] == "login_required"  # as at a client that was never met


def test_the_stores_hold_no_browser_and_no_account_together(make_sign_in: MakeSignIn) -> None:
    """Of a known browser a digest is kept: of its mark and an account, both unreadable."""
    sign_in = make_sign_in()
    sign_in.tokens()
    with sign_in.database.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM known_browsers").all()

    mark = next(each for each in sign_in.browser.cookies.jar if "browser" in each.name)
    assert len(rows) == 1
    assert str(mark.value) not in str(rows)
    assert str(ANNA) not in str(rows)


def test_an_operator_may_remember_no_browser(make_sign_in: MakeSignIn) -> None:
    """Then there is no lasting cookie either."""
    sign_in = make_sign_in(known_browser_days=0)
    sign_in.tokens()

    assert not any("browser" in each.name for each in sign_in.browser.cookies.jar)
