"""Whether a palm is needed: sessions of browsers, remembered consents, what overrules them."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from oidc.accounts import pseudonym
from oidc.clients.registry import RegisteredClient
from oidc.types import Claimant, NextStep, PairwiseSubject, SectorIdentifier
from tests.support.service.sign_in import ANNA, BERT, REDIRECT_URI, SignIn, query_of

MINUTES = 10
COOKIE = "__Host-thenar-session"
PALM = "https://id.example/acr/palm"
PALM_AND_PHONE = f"{PALM}-and-phone"
ALONE, TRUSTED = ("user",), ("user", "swk", "mfa")


@pytest.fixture
def shop(make_sign_in: Callable[..., SignIn]) -> SignIn:
    """Give a provider that remembers a palm."""
    return make_sign_in(session_minutes=MINUTES)


def log_in(shop: SignIn, account: Any = ANNA, **changes: str | None) -> dict[str, Any]:
    """Go all the way with a palm; return the tokens."""
    return shop.tokens(account, **changes)


def ask(
    shop: SignIn, registered: RegisteredClient | None = None, /, **changes: str | None
) -> Any:
    """Send an authorization request; return the answer."""
    return shop.authorize(shop.request(registered, **changes))


def told(answer: Any) -> dict[str, str]:
    """Return what reached the client."""
    location: str = answer.headers["location"]
    assert not location.startswith("https://id.example"), location
    return query_of(location)


def is_asked(answer: Any) -> bool:
    """Tell whether the browser was sent to the consent page."""
    return "/oauth/consent/" in answer.headers["location"]


def cookie_of(answer: Any) -> str:
    """Return the session cookie that an answer gives."""
    cookies = answer.headers.get_list("set-cookie")
    (cookie,) = [each for each in cookies if each.startswith(f"{COOKIE}=")]
    return str(cookie.partition(";")[0])


def essential(*values: str) -> str:
    """Return claims that demand one of these levels."""
    return json.dumps({"id_token": {"acr": {"essential": True, "values": values}}})


def log_in_by(shop: SignIn, amr: tuple[str, ...], **changes: str | None) -> dict[str, Any]:
    """Go all the way with a phone that is trusted or not; return the tokens."""
    page = shop.open_page(**changes)
    shop.approve(page, amr=amr)
    code = query_of(shop.proceed(page).headers["location"])["code"]
    tokens: dict[str, Any] = shop.redeem(code).json()
    return tokens


def acr_in(shop: SignIn, answer: dict[str, str]) -> str:
    """Return the level that the ID token of a code states."""
    tokens = shop.redeem(answer["code"]).json()
    return str(shop.opened(tokens["id_token"]).claims["acr"])


def subject_in(shop: SignIn, tokens: dict[str, Any]) -> str:
    """Return whom an ID token is about."""
    subject: str = shop.opened(tokens["id_token"]).claims["sub"]
    return subject


class TestWithoutSessions:
    """As long as the operator has not asked for them."""

    def test_nothing_is_remembered(self, sign_in: SignIn) -> None:
        """No cookie, and every login asks for a palm."""
        log_in(sign_in)

        assert not [name for name in sign_in.browser.cookies if "session" in name]
        assert is_asked(ask(sign_in))

    def test_a_silent_request_finds_nobody(self, sign_in: SignIn) -> None:
        """Also right after a login."""
        log_in(sign_in)

        assert told(ask(sign_in, prompt="none"))["error"] == "login_required"

    def test_a_cookie_of_better_times_opens_nothing(
        self, make_sign_in: Callable[..., SignIn]
    ) -> None:
        """Switched off is off, whatever browsers and database still hold."""
        before = make_sign_in(session_minutes=MINUTES)
        log_in(before)
        after = make_sign_in()
        after.shop, after.browser.cookies = before.shop, before.browser.cookies

        assert told(ask(after, prompt="none"))["error"] == "login_required"
        assert is_asked(ask(after))


class TestTheSession:
    """Its cookie, its beginning, its end."""

    def test_the_cookie_is_the_browsers_alone(self, shop: SignIn) -> None:
        """Only this host may set it; no script reads it; it ends with the session."""
        page = shop.open_page()
        shop.approve(page)

        cookies = shop.proceed(page).headers.get_list("set-cookie")

        (cookie,) = [each for each in cookies if each.startswith(f"{COOKIE}=")]
        value, *attributes = cookie.split("; ")
        assert len(value.partition("=")[2]) == 43
        assert {each.lower() for each in attributes} == {
            "httponly",
            "max-age=600",
            "path=/",
            "samesite=lax",
            "secure",
        }

    def test_its_secret_is_not_in_the_database(self, shop: SignIn) -> None:
        """A copied database signs nobody in."""
        log_in(shop)
        secret = shop.browser.cookies[COOKIE]

        with shop.database.engine.connect() as connection:
            rows = connection.exec_driver_sql("SELECT * FROM browser_sessions").all()

        assert len(rows) == 1
        assert secret not in str(rows)

    def test_an_ordinary_request_needs_no_palm(self, shop: SignIn) -> None:
        """Within the minutes: the same person, the same palm, another code."""
        first = log_in(shop)
        shop.clock.advance(60 * MINUTES - 1)

        answer = told(ask(shop))
        second = shop.redeem(answer["code"]).json()

        assert subject_in(shop, second) == subject_in(shop, first)
        assert answer["state"] == "af0ifjsldkj"

    def test_ends_at_a_fixed_time_after_the_palm(self, shop: SignIn) -> None:
        """Using it does not prolong it."""
        log_in(shop)
        shop.clock.advance(60 * MINUTES - 1)
        assert "code" in told(ask(shop))
        shop.clock.advance(1)

        assert is_asked(ask(shop))
        assert told(ask(shop, prompt="none"))["error"] == "login_required"

    def test_is_forgotten_when_it_is_over(self, shop: SignIn) -> None:
        """With the account in it."""
        log_in(shop)
        shop.clock.advance(60 * MINUTES)
        shop.sweep()

        with shop.database.engine.connect() as connection:
            assert not connection.exec_driver_sql("SELECT * FROM browser_sessions").all()

    def test_another_browser_is_a_stranger(self, shop: SignIn) -> None:
        """The session is where the palm's login was, and nowhere else."""
        log_in(shop)

        assert "code" not in told(
            shop.authorize(shop.request(prompt="none"), shop.new_browser())
        )

    @pytest.mark.parametrize("value", ["", "x", "ä\udcff", "a" * 5000])
    def test_a_cookie_that_is_none_of_ours_is_nobody(self, shop: SignIn, value: str) -> None:
        """Whatever a browser sends, it is at most not signed in."""
        header = f"{COOKIE}={value}".encode("utf-8", "surrogateescape")
        url = f"{shop.settings.auth_url}/oauth/authorize"

        answer = shop.new_browser().get(
            url, params=shop.request(prompt="none"), headers=[(b"cookie", header)]
        )

        assert told(answer)["error"] == "login_required"

    def test_its_secret_is_new_after_every_palm(self, shop: SignIn) -> None:
        """A secret that somebody planted or saw before is worth nothing afterwards."""
        log_in(shop)
        planted = shop.browser.cookies[COOKIE]
        log_in(shop, prompt="login")
        thief = shop.new_browser()
        thief.cookies.set(COOKIE, planted)

        assert shop.browser.cookies[COOKIE] != planted
        assert "code" not in told(shop.authorize(shop.request(prompt="none"), thief))

    def test_one_person_in_one_browser_has_one_sid_for_a_client(self, shop: SignIn) -> None:
        """Silently or with another palm: the client knows one session."""
        first = shop.opened(log_in(shop)["id_token"]).claims
        silent = shop.opened(shop.redeem(told(ask(shop))["code"]).json()["id_token"]).claims
        again = shop.opened(log_in(shop, prompt="login")["id_token"]).claims

        assert first["sid"] == silent["sid"] == again["sid"]

    def test_another_person_ends_the_session_before(self, shop: SignIn) -> None:
        """The browser is now the other's; and the client knows another session."""
        first = shop.opened(log_in(shop)["id_token"]).claims
        other = shop.opened(log_in(shop, BERT, prompt="login")["id_token"]).claims
        silent = shop.opened(shop.redeem(told(ask(shop))["code"]).json()["id_token"]).claims

        assert silent["sub"] == other["sub"] != first["sub"]
        assert silent["sid"] == other["sid"] != first["sid"]

    def test_no_two_clients_are_told_the_same_sid(self, shop: SignIn) -> None:
        """Or they could find out that they serve the same browser."""
        cafe = shop.register("Café", "https://cafe.example/callback")
        first = shop.opened(log_in(shop)["id_token"]).claims
        page = ask(shop, cafe).headers["location"]
        shop.approve(page)
        code = query_of(shop.proceed(page).headers["location"])["code"]
        second = shop.opened(
            shop.post_token(
                {
                    "grant_type": "authorization_code",
                    "code": code,
                    "redirect_uri": "https://cafe.example/callback",
                },
                headers=shop.basic(cafe),
            ).json()["id_token"]
        ).claims

        assert second["sid"] != first["sid"]
        assert len(first["sid"]) == 22
        with shop.database.read() as stores:
            sessions = {
                stores.grants.session_of(claims["aud"], claims["sid"])
                for claims in (first, second)
            }
        assert len(sessions) == 1, "one palm, one session"

    def test_a_refreshed_id_token_keeps_its_sid(self, shop: SignIn) -> None:
        """A client that refreshes can still be told of the logout."""
        tokens = log_in(shop, scope="openid offline_access")
        refreshed = shop.refresh(tokens["refresh_token"]).json()

        first, second = (shop.opened(each["id_token"]).claims for each in (tokens, refreshed))
        assert first["sid"] == second["sid"]
        assert first["acr"] == second["acr"] == PALM_AND_PHONE
        assert first["amr"] == second["amr"]

    def test_a_deleted_person_is_remembered_by_no_browser(self, shop: SignIn) -> None:
        """Deleting the account ends its sessions at once."""
        log_in(shop)
        shop.door.erase_account(ANNA)

        assert told(ask(shop, prompt="none"))["error"] == "login_required"

    def test_two_tabs_may_finish_at_once(self, shop: SignIn) -> None:
        """Each gets its code; the browser is left with one session that works."""
        log_in(shop)
        cafe = shop.register("Café", "https://cafe.example/callback")
        pages = [
            ask(shop, prompt="login").headers["location"],
            ask(shop, cafe, prompt="login").headers["location"],
        ]
        for page, phone in zip(pages, ("one", "two"), strict=True):
            claimant = Claimant(phone)
            shop.door.approve(shop.recognise(page, claimant=claimant), claimant)
        browsers = [shop.new_browser() for _ in pages]
        for browser in browsers:
            browser.cookies = shop.browser.cookies

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(shop.proceed, pages, browsers))

        assert all("code" in told(answer) for answer in answers)
        assert len({cookie_of(answer) for answer in answers}) == 2

    def test_a_linked_user_nobody_knows_is_told_by_its_own_error(self, shop: SignIn) -> None:
        """Specification §4.6, 3: also where no page may be shown and nobody is there."""
        unknown = ask(shop, prompt="none", user_id="vu-nobody")

        assert told(unknown)["error"] == "invalid_request"

    def test_a_session_that_ends_meanwhile_gives_nothing(self, shop: SignIn) -> None:
        """The decision is made inside the transaction that mints the code."""
        log_in(shop)
        with shop.database.engine.begin() as connection:
            connection.exec_driver_sql("DELETE FROM browser_sessions")

        assert told(ask(shop, prompt="none"))["error"] == "login_required"


class TestWhatOverrulesIt:
    """Prompts, ages, hints, claims."""

    @pytest.mark.parametrize("prompt", ["login", "consent", "select_account"])
    def test_a_prompt_asks_again(self, shop: SignIn, prompt: str) -> None:
        """A client that wants a palm gets one."""
        log_in(shop)

        assert is_asked(ask(shop, prompt=prompt))

    @pytest.mark.parametrize(("max_age", "silent"), [("30", True), ("29", False), ("0", False)])
    def test_an_age_may_ask_again(self, shop: SignIn, max_age: str, *, silent: bool) -> None:
        """The palm may be as old as the client says, to the second; zero asks always."""
        log_in(shop)
        shop.clock.advance(30)

        assert is_asked(ask(shop, max_age=max_age)) != silent
        answer = told(ask(shop, max_age=max_age, prompt="none"))
        assert ("code" in answer) == silent
        assert silent or answer["error"] == "login_required"

    def test_a_hint_of_somebody_else_finds_nobody(self, shop: SignIn) -> None:
        """The client asks for the other person, who is not there."""
        bert = log_in(shop, BERT)
        log_in(shop, ANNA, prompt="login")

        answer = told(ask(shop, prompt="none", id_token_hint=bert["id_token"]))

        assert answer["error"] == "login_required"

    def test_with_a_hint_only_that_persons_palm_is_good(self, shop: SignIn) -> None:
        """With a page the hint is a claim that the palm must prove."""
        bert = log_in(shop, BERT)
        log_in(shop, ANNA, prompt="login")

        page = ask(shop, id_token_hint=bert["id_token"]).headers["location"]

        claimed = shop.door.claim(shop.ticket_on(page), "phone")  # type: ignore[arg-type]
        assert claimed.account == BERT

    def test_a_hint_may_have_expired(self, shop: SignIn) -> None:
        """OpenID Connect Core §3.1.2.1."""
        first = log_in(shop)
        shop.clock.advance(7200)
        log_in(shop)

        assert "code" in told(ask(shop, prompt="none", id_token_hint=first["id_token"]))

    @pytest.mark.parametrize(
        "hint", ["x", "a.b.c", "é", "{access_token}", "{foreign}", "x" * 9000]
    )
    def test_a_hint_that_is_none_finds_nobody(self, shop: SignIn, hint: str) -> None:
        """Access tokens, other clients' tokens and nonsense alike: nobody is meant."""
        tokens = log_in(shop)
        cafe = shop.register("Café", "https://cafe.example/callback")
        page = ask(shop, cafe).headers["location"]
        shop.approve(page)
        code = query_of(shop.proceed(page).headers["location"])["code"]
        form = {"grant_type": "authorization_code", "code": code}
        form["redirect_uri"] = "https://cafe.example/callback"
        foreign = shop.post_token(form, headers=shop.basic(cafe)).json()["id_token"]
        sent = hint.replace("{access_token}", tokens["access_token"])
        sent = sent.replace("{foreign}", foreign)

        for prompt in ("none", None):
            answer = told(ask(shop, prompt=prompt, id_token_hint=sent))
            assert answer["error"] == "login_required"

    def test_a_hint_of_a_withdrawn_pseudonym_finds_nobody(self, shop: SignIn) -> None:
        """Nobody is called that any more."""
        tokens = log_in(shop)
        subject = PairwiseSubject(subject_in(shop, tokens))
        with shop.database.write() as stores:
            pseudonym.withdraw(stores, subject, shop.clock())

        for prompt in ("none", None):
            answer = told(ask(shop, prompt=prompt, id_token_hint=tokens["id_token"]))
            assert answer["error"] == "login_required"

    def test_a_demanded_subject_works_like_a_hint(self, shop: SignIn) -> None:
        """OpenID Connect Core §5.5.1: that person, or an error."""
        bert = subject_in(shop, log_in(shop, BERT))
        anna = subject_in(shop, log_in(shop, ANNA, prompt="login"))

        def silent(subject: str) -> dict[str, str]:
            claims = json.dumps({"id_token": {"sub": {"value": subject}}})
            return told(ask(shop, prompt="none", claims=claims))

        assert "code" in silent(anna)
        assert silent(bert)["error"] == "login_required"
        assert silent("vu-nobody")["error"] == "login_required"

    def test_two_persons_at_once_are_nobody(self, shop: SignIn) -> None:
        """A hint of one and a demand for another cannot both be met."""
        bert = log_in(shop, BERT)
        anna = log_in(shop, ANNA, prompt="login")
        claims = json.dumps({"userinfo": {"sub": {"value": subject_in(shop, bert)}}})

        answer = told(ask(shop, id_token_hint=anna["id_token"], claims=claims))
        linked = told(ask(shop, id_token_hint=anna["id_token"], user_id=subject_in(shop, bert)))

        assert answer["error"] == linked["error"] == "login_required"

    @pytest.mark.parametrize(
        ("values", "is_met"),
        [([PALM], True), (["x", PALM_AND_PHONE], True), (["x"], False), ([f"{PALM}/"], False)],
    )
    def test_an_essential_acr_is_met_or_refused(
        self, shop: SignIn, values: list[str], *, is_met: bool
    ) -> None:
        """OpenID Connect Core §5.5.1.1: an essential value is not a wish."""
        answer = ask(shop, claims=essential(*values))

        assert is_asked(answer) == is_met
        if not is_met:
            assert told(answer)["error"] == "unmet_authentication_requirements"

    @pytest.mark.parametrize(
        "changes", [{"max_age": "soon"}, {"claims": "["}, {"prompt": "none login"}]
    )
    def test_nonsense_is_refused(self, shop: SignIn, changes: dict[str, str]) -> None:
        """Before anything else is looked at."""
        assert told(ask(shop, **changes))["error"] == "invalid_request"


class TestTheLevel:
    """A palm alone, or with a trusted phone."""

    @pytest.mark.parametrize(
        ("amr", "changes", "expected"),
        [
            (ALONE, {}, PALM),
            (TRUSTED, {}, PALM_AND_PHONE),
            (ALONE, {"claims": [PALM_AND_PHONE]}, None),
            (ALONE, {"claims": [PALM_AND_PHONE, "x"]}, None),
            (ALONE, {"claims": [PALM_AND_PHONE, PALM]}, PALM),
            (ALONE, {"claims": [PALM]}, PALM),
            (TRUSTED, {"claims": [PALM_AND_PHONE]}, PALM_AND_PHONE),
            (TRUSTED, {"claims": [PALM_AND_PHONE, PALM]}, PALM_AND_PHONE),
            (TRUSTED, {"claims": [PALM]}, PALM),
            (ALONE, {"acr_values": PALM}, PALM),
            (ALONE, {"acr_values": f"{PALM} {PALM_AND_PHONE}"}, PALM),
            (ALONE, {"acr_values": "x"}, PALM),
            (TRUSTED, {"acr_values": PALM}, PALM_AND_PHONE),
        ],
    )
    def test_a_session_is_as_good_as_its_phone(
        self, shop: SignIn, amr: tuple[str, ...], changes: dict[str, Any], expected: str | None
    ) -> None:
        """Too weak a session is none; an essential palm alone is all that is said."""
        log_in_by(shop, amr)
        sent = (
            {**changes, "claims": essential(*changes["claims"])}
            if "claims" in changes
            else changes
        )

        asked, silent = ask(shop, **sent), told(ask(shop, **sent, prompt="none"))

        assert is_asked(asked) == (expected is None)
        if expected is None:
            assert silent["error"] == "login_required"
        else:
            assert acr_in(shop, told(asked)) == acr_in(shop, silent) == expected

    @pytest.mark.parametrize("wish", [PALM_AND_PHONE, f"x {PALM_AND_PHONE} {PALM}"])
    def test_a_wish_asks_again_but_never_fails(self, shop: SignIn, wish: str) -> None:
        """OpenID Connect Core §3.1.2.1: voluntary, in order of preference."""
        log_in_by(shop, ALONE)

        page = ask(shop, acr_values=wish)
        silent = told(ask(shop, acr_values=wish, prompt="none"))
        shop.approve(page.headers["location"], amr=ALONE)
        fresh = query_of(shop.proceed(page.headers["location"]).headers["location"])

        assert acr_in(shop, silent) == acr_in(shop, fresh) == PALM

    def test_a_client_that_requires_trusted_phones_takes_no_weaker_session(
        self, shop: SignIn
    ) -> None:
        """What was registered is a demand of every request."""
        log_in_by(shop, ALONE)
        with shop.database.write() as stores:
            stores.clients.replace(replace(shop.shop.client, require_trusted_phone=True))

        assert is_asked(ask(shop))
        assert told(ask(shop, prompt="none"))["error"] == "login_required"
        log_in_by(shop, TRUSTED, prompt="login")
        assert acr_in(shop, told(ask(shop, prompt="none"))) == PALM_AND_PHONE
        assert acr_in(shop, told(ask(shop, claims=essential(PALM)))) == PALM

    @pytest.mark.parametrize(
        ("values", "amr", "hint"),
        [
            ([PALM_AND_PHONE], ALONE, NextStep.PHONE_NOT_TRUSTED),
            ([PALM_AND_PHONE], TRUSTED, NextStep.WAIT_APPROVE),
            ([PALM_AND_PHONE, PALM], ALONE, NextStep.WAIT_APPROVE),
            ([PALM], TRUSTED, NextStep.WAIT_APPROVE),
        ],
    )
    def test_a_palm_meets_a_demand_or_ends_the_login(
        self, sign_in: SignIn, values: list[str], amr: tuple[str, ...], hint: NextStep
    ) -> None:
        """Also where nothing is remembered."""
        page = sign_in.open_page(claims=essential(*values))

        sign_in.recognise(page, amr=amr)

        assert sign_in.browser.get(f"{page}/state").json()["hint"] == hint

    def test_a_palm_alone_that_was_asked_for_leaves_a_session_as_good_as_its_phone(
        self, shop: SignIn
    ) -> None:
        """The client is told less; the next one is told what it demands."""
        tokens = log_in_by(shop, TRUSTED, claims=essential(PALM), scope="openid offline_access")
        refreshed = shop.refresh(tokens["refresh_token"]).json()

        for each in (tokens, refreshed):
            claims = shop.opened(each["id_token"]).claims
            assert (claims["acr"], claims["amr"]) == (PALM, ["user"])
        assert acr_in(shop, told(ask(shop, claims=essential(PALM_AND_PHONE)))) == PALM_AND_PHONE


class TestTheLinkedUser:
    """``user_id`` (specification §4.6) beside a session."""

    def test_wants_a_palm_even_so(self, shop: SignIn) -> None:
        """Verifying a linked user is the point of the parameter."""
        user_id = subject_in(shop, log_in(shop))

        assert is_asked(ask(shop, user_id=user_id))

    def test_is_found_silently_if_the_client_says_so(self, shop: SignIn) -> None:
        """With ``prompt=none``, and only if it is the person of the session."""
        bert = subject_in(shop, log_in(shop, BERT))
        anna = subject_in(shop, log_in(shop, ANNA, prompt="login"))

        assert "code" in told(ask(shop, prompt="none", user_id=anna))
        assert told(ask(shop, prompt="none", user_id=bert))["error"] == "login_required"
        assert told(ask(shop, prompt="none", user_id="vu-x"))["error"] == "invalid_request"


class TestConsent:
    """What the person allowed before, and what not."""

    def test_another_client_is_not_let_in(self, shop: SignIn) -> None:
        """A session is good only where the person has been before."""
        cafe = shop.register("Café", "https://cafe.example/callback")
        log_in(shop)

        assert is_asked(ask(shop, cafe))

    def test_a_client_the_person_never_met_learns_nothing(self, shop: SignIn) -> None:
        """It cannot find out whether anybody is signed in here."""
        cafe = shop.register("Café", "https://cafe.example/callback")
        before = told(ask(shop, cafe, prompt="none"))
        log_in(shop)

        assert told(ask(shop, cafe, prompt="none")) == before
        assert before["error"] == "login_required"

    def test_more_scope_is_asked_for(self, shop: SignIn) -> None:
        """And once allowed, it stays allowed."""
        log_in(shop)
        wider = {"scope": "openid offline_access"}

        assert told(ask(shop, prompt="none", **wider))["error"] == "consent_required"
        assert is_asked(ask(shop, **wider))
        log_in(shop, **wider, prompt="consent")
        assert "code" in told(ask(shop, prompt="none", **wider))
        assert "code" in told(ask(shop, prompt="none"))

    def test_less_scope_takes_nothing_back(self, shop: SignIn) -> None:
        """A narrower login does not forget the wider one."""
        wider = {"scope": "openid offline_access"}
        log_in(shop, **wider)
        log_in(shop, prompt="login")

        assert "code" in told(ask(shop, prompt="none", **wider))

    def test_a_client_that_changed_its_name_is_asked_for_again(self, shop: SignIn) -> None:
        """The person allowed it to somebody who called himself otherwise."""
        log_in(shop, scope="openid offline_access")
        with shop.database.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE clients SET name = 'Your Bank'")

        assert told(ask(shop, prompt="none"))["error"] == "consent_required"
        assert is_asked(ask(shop))
        log_in(shop, prompt="login")
        assert "code" in told(ask(shop, prompt="none"))
        answer = told(ask(shop, prompt="none", scope="openid offline_access"))
        assert answer["error"] == "consent_required", "what was allowed to the other name"

    def test_ends_with_the_pseudonym(self, shop: SignIn) -> None:
        """Who withdraws a pseudonym has to be asked again, under a new one."""
        first = subject_in(shop, log_in(shop))
        with shop.database.write() as stores:
            pseudonym.withdraw(stores, PairwiseSubject(first), shop.clock())

        assert told(ask(shop, prompt="none"))["error"] == "login_required"
        assert is_asked(ask(shop))
        assert subject_in(shop, log_in(shop, prompt="login")) != first

    def test_is_not_given_by_declining(self, shop: SignIn) -> None:
        """Only a yes on the phone is remembered."""
        cafe = shop.register("Café", "https://cafe.example/callback")
        log_in(shop)
        page = ask(shop, cafe).headers["location"]
        shop.door.decline(shop.recognise(page), "phone-of-anna")  # type: ignore[arg-type]
        shop.proceed(page)

        assert told(ask(shop, cafe, prompt="none"))["error"] == "login_required"

    def test_a_silent_answer_travels_as_it_was_asked_for(self, shop: SignIn) -> None:
        """By form, with its state and issuer."""
        log_in(shop)

        answer = ask(shop, prompt="none", response_mode="form_post")

        assert answer.status_code == 200
        assert REDIRECT_URI.replace("&", "&amp;") in answer.text
        assert 'name="code"' in answer.text

    def test_a_request_by_post_comes_once_more_with_the_cookie(self, shop: SignIn) -> None:
        """Another website's form brings no cookie; the request waits here, unseen."""
        log_in(shop)
        url, cookies = f"{shop.settings.auth_url}/oauth/authorize", shop.browser.cookies
        request = shop.request(prompt="none", id_token_hint="secret")

        posted = shop.new_browser().post(url, data=request)

        assert posted.status_code == 303
        assert posted.headers["location"].startswith(f"{url}?client_id=")
        assert "secret" not in posted.headers["location"]
        browser = shop.new_browser()
        browser.cookies = cookies
        again = browser.get(posted.headers["location"])
        assert told(again)["error"] == "login_required", "it is that request: a false hint"


def test_a_sector_of_another_client_has_another_subject(shop: SignIn) -> None:
    """Looking somebody up never makes a pseudonym."""
    log_in(shop)
    with shop.database.write() as stores:
        elsewhere = SectorIdentifier("elsewhere")

        assert pseudonym.subject_of(stores, ANNA, elsewhere) is None
        assert pseudonym.subject_of(stores, ANNA, shop.shop.client.sector) is not None
