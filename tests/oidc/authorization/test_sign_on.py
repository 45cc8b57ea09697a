"""Whether a palm is needed: sessions of browsers, remembered consents, what overrules them."""

import json
from typing import Any

import pytest

from oidc.client import Authentication
from oidc.settings import OidcSettings
from oidc.types import Level
from tests.support.service.sign_in import (
    ANNA,
    BERT,
    PHONE,
    REDIRECT_URI,
    MakeSignIn,
    SignIn,
    essential,
    is_asked,
    response_of,
)

MINUTES: int = OidcSettings.model_fields["session_minutes"].default
COOKIE = "__Host-thenar-session"
PALM = "https://id.example/acr/palm"
PALM_AND_PHONE = f"{PALM}-and-phone"
ALONE, TRUSTED = Level.PALM, Level.PALM_AND_PHONE


@pytest.fixture
def shop(make_sign_in: MakeSignIn) -> SignIn:
    """Give a provider that remembers a palm."""
    return make_sign_in(session_minutes=MINUTES)


@pytest.fixture
def lenient(make_sign_in: MakeSignIn) -> SignIn:
    """Give a client that accepts a palm alone, of an operator who allows it."""
    provider = make_sign_in(session_minutes=MINUTES, palm_alone="allow")
    return provider.another(accept_palm_alone=True)


@pytest.fixture
def cafe(shop: SignIn) -> SignIn:
    """Give another client of the same provider, in the same browser."""
    return shop.another("Café")


def silent(shop: SignIn, **changes: str | None) -> str:
    """Ask without a page; return the client's error, or ``code``."""
    said = response_of(shop.ask(**{"prompt": "none", **changes}))
    return said.get("error", "code")


def silent_tokens(shop: SignIn) -> dict[str, Any]:
    """Sign in without a palm; return the tokens."""
    tokens: dict[str, Any] = shop.redeem(response_of(shop.ask())["code"]).json()
    return tokens


def cookie_of(answer: Any) -> str:
    """Return the session cookie that an answer gives."""
    cookies = answer.headers.get_list("set-cookie")
    (cookie,) = [each for each in cookies if each.startswith(f"{COOKIE}=")]
    return str(cookie)


def sessions_in(shop: SignIn) -> list[Any]:
    """Return the rows of sessions."""
    with shop.database.engine.connect() as connection:
        return list(connection.exec_driver_sql("SELECT * FROM browser_sessions").all())


def acr_in(shop: SignIn, answer: dict[str, str]) -> str:
    """Return the level that the ID token of a code states."""
    return str(shop.claims(shop.redeem(answer["code"]).json())["acr"])


def test_without_sessions_nothing_is_remembered(
    sign_in: SignIn, make_sign_in: MakeSignIn
) -> None:
    """No cookie; switched off is off, whatever browsers and database still hold."""
    before = make_sign_in(session_minutes=MINUTES)
    before.tokens()
    after = make_sign_in().at(before.shop)
    after.browser.cookies = before.browser.cookies
    sign_in.tokens()

    assert not [name for name in sign_in.browser.cookies if "session" in name]
    for each in (sign_in, after):
        assert silent(each) == "login_required"
        assert is_asked(each.ask())


class TestTheSession:
    """Its cookie, its beginning, its end."""

    def test_the_cookie_is_the_browsers_alone(self, shop: SignIn) -> None:
        """Only this host sets it, no script reads it, the database does not help; it ends."""
        page = shop.open_page()
        shop.approve(page)

        value, *attributes = cookie_of(shop.proceed(page)).split("; ")

        secret = value.partition("=")[2]
        assert len(secret) == 43
        expected = {"httponly", "path=/", "samesite=lax", "secure"}
        assert {each.lower() for each in attributes} == expected
        assert len(sessions_in(shop)) == 1
        assert secret not in str(sessions_in(shop))

    def test_it_ends_at_a_fixed_time_after_the_palm(self, shop: SignIn) -> None:
        """Within the minutes the same person without a palm; using it does not prolong it."""
        first = shop.subject(shop.tokens())
        shop.clock.advance(60 * MINUTES - 1)
        second = shop.subject(silent_tokens(shop))
        shop.clock.advance(1)

        assert first == second
        assert is_asked(shop.ask())
        assert silent(shop) == "login_required"
        shop.sweep()
        assert not sessions_in(shop), "with the account in it"

    @pytest.mark.parametrize("value", [None, "", "x", "ä\udcff", "a" * 5000, "{planted}"])
    def test_no_other_cookie_is_the_session(self, shop: SignIn, value: str | None) -> None:
        """Of another browser, malformed, or of before the last palm: not signed in."""
        shop.tokens()
        planted = shop.browser.cookies[COOKIE]
        shop.tokens(prompt="login")
        sent = f"{COOKIE}={value}".format(planted=planted).encode("utf-8", "surrogateescape")
        thief = shop.new_browser()
        thief.headers = {} if value is None else [(b"cookie", sent)]

        assert shop.browser.cookies[COOKIE] != planted
        assert response_of(shop.ask(thief, prompt="none"))["error"] == "login_required"

    def test_one_person_in_one_browser_has_one_sid_for_a_client(self, shop: SignIn) -> None:
        """Silently or with another palm it is one session; another person has another."""
        ours = [shop.tokens(), silent_tokens(shop), shop.tokens(prompt="login")]
        theirs = [shop.tokens(BERT, prompt="login"), silent_tokens(shop)]

        names = [
            {(c["sub"], c["sid"]) for c in map(shop.claims, each)} for each in (ours, theirs)
        ]
        assert [len(each) for each in names] == [1, 1]
        assert not {value for each in names[0] for value in each} & set(*names[1])

    def test_no_two_clients_get_the_same_sid(self, shop: SignIn, cafe: SignIn) -> None:
        """Or they could find out that they serve the same browser."""
        first, second = shop.claims(shop.tokens()), cafe.claims(cafe.tokens())

        assert second["sid"] != first["sid"]
        assert len(first["sid"]) == 22
        with shop.database.read() as stores:
            sessions = {
                stores.grants.session_of(claims["aud"], claims["sid"])
                for claims in (first, second)
            }
        assert len(sessions) == 1, "one palm, one session"


class TestWhatOverrulesIt:
    """Prompts, ages, hints, claims."""

    @pytest.mark.parametrize("prompt", ["login", "consent", "select_account", "login consent"])
    def test_a_prompt_asks_again(self, shop: SignIn, prompt: str) -> None:
        """A client that wants a palm gets one."""
        shop.tokens()

        assert is_asked(shop.ask(prompt=prompt))

    def test_the_time_of_the_palm_is_kept_until_another_one(self, shop: SignIn) -> None:
        """OpenID Connect Core §2: silently the same ``auth_time``, by palm a new one."""
        tokens = [shop.tokens()]
        for sign_in_again in (silent_tokens, lambda it: it.tokens(prompt="login")):
            shop.clock.advance(2)
            tokens.append(sign_in_again(shop))

        first, silently, again = (shop.claims(each)["auth_time"] for each in tokens)
        assert (silently - first, again - first) == (0, 4)

    @pytest.mark.parametrize(("max_age", "young"), [("30", True), ("29", False), ("0", False)])
    def test_an_age_may_ask_again(self, shop: SignIn, max_age: str, *, young: bool) -> None:
        """The palm may be as old as the client says, to the second; zero asks always."""
        shop.tokens()
        shop.clock.advance(30)

        assert is_asked(shop.ask(max_age=max_age)) != young
        assert silent(shop, max_age=max_age) == ("code" if young else "login_required")

    def test_a_hint_means_one_person(self, shop: SignIn) -> None:
        """Silently it is found or not, also expired; with a page the palm must prove it."""
        bert = shop.tokens(BERT)
        shop.clock.advance(7200)
        anna = shop.tokens(ANNA)

        page = shop.ask(id_token_hint=bert["id_token"]).headers["location"]

        assert shop.handoff.claim(shop.ticket_on(page), PHONE).account == BERT
        assert silent(shop, id_token_hint=bert["id_token"]) == "login_required"
        shop.clock.advance(7200)
        shop.tokens(ANNA)
        assert silent(shop, id_token_hint=anna["id_token"]) == "code"

    @pytest.mark.parametrize(
        "hint", ["x", "a.b.c", "é", "{access_token}", "{foreign}", "{disconnected}", "x" * 9000]
    )
    def test_an_invalid_hint_finds_no_account(
        self, shop: SignIn, cafe: SignIn, hint: str
    ) -> None:
        """Access tokens, others' tokens, old names and nonsense alike: no account is meant."""
        disconnected = shop.tokens()
        shop.disconnect(shop.subject(disconnected))
        shop.tokens(prompt="login")
        sent = hint.format(
            access_token=disconnected["access_token"],
            foreign=cafe.tokens()["id_token"],
            disconnected=disconnected["id_token"],
        )

        for prompt in ("none", None):
            said = response_of(shop.ask(prompt=prompt, id_token_hint=sent))
            assert said["error"] == "login_required"

    def test_a_demanded_subject_works_like_a_hint(self, shop: SignIn) -> None:
        """OpenID Connect Core §5.5.1: that person, or an error; two at once are no account."""
        bert = shop.subject(shop.tokens(BERT))
        anna = shop.tokens(ANNA, prompt="login")

        def demand(subject: str, part: str = "id_token") -> str:
            return json.dumps({part: {"sub": {"value": subject}}})

        for subject, expected in (
            (shop.subject(anna), "code"),
            (bert, "login_required"),
            ("vu-unknown", "login_required"),
        ):
            assert silent(shop, claims=demand(subject)) == expected
        for second in ({"claims": demand(bert, "userinfo")}, {"user_id": bert}):
            said = response_of(shop.ask(id_token_hint=anna["id_token"], **second))
            assert said["error"] == "login_required"


class TestTheLevel:
    """A palm alone, or with a trusted phone."""

    @pytest.mark.parametrize(
        ("level", "changes", "expected"),
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
        self, lenient: SignIn, level: Level, changes: dict[str, Any], expected: str | None
    ) -> None:
        """Too weak a session is none; an essential palm alone is all that is said."""
        lenient.tokens(level=level)
        sent = dict(changes)
        if "claims" in changes:
            sent["claims"] = essential(*changes["claims"])

        answer = lenient.ask(**sent)

        assert is_asked(answer) == (expected is None)
        if expected is None:
            assert silent(lenient, **sent) == "login_required"
        else:
            quiet = response_of(lenient.ask(**sent, prompt="none"))
            assert acr_in(lenient, response_of(answer)) == acr_in(lenient, quiet) == expected

    @pytest.mark.parametrize("wish", [PALM_AND_PHONE, f"x {PALM_AND_PHONE} {PALM}"])
    def test_a_wish_asks_again_but_never_fails(self, lenient: SignIn, wish: str) -> None:
        """OpenID Connect Core §3.1.2.1: voluntary, in order of preference."""
        lenient.tokens(level=ALONE)

        page = lenient.ask(acr_values=wish).headers["location"]
        quiet = response_of(lenient.ask(acr_values=wish, prompt="none"))
        fresh = {"code": lenient.code_on(page, level=ALONE)}

        assert acr_in(lenient, quiet) == acr_in(lenient, fresh) == PALM

    def test_a_requested_palm_alone_leaves_a_session_as_good_as_its_phone(
        self, lenient: SignIn
    ) -> None:
        """The client gets less; the next one gets the level that it demands."""
        asked = {"claims": essential(PALM), "scope": "openid offline_access"}
        tokens = lenient.tokens(level=TRUSTED, **asked)

        for each in (tokens, lenient.refresh(tokens["refresh_token"]).json()):
            claims = lenient.claims(each)
            assert (claims["acr"], claims["amr"]) == (PALM, ["user"])
        again = response_of(lenient.ask(claims=essential(PALM_AND_PHONE)))
        assert acr_in(lenient, again) == PALM_AND_PHONE


def test_a_linked_user_shows_a_palm_unless_the_client_wants_no_page(shop: SignIn) -> None:
    """Specification §4.6: verifying is the point; silently it must be the session's person."""
    bert = shop.subject(shop.tokens(BERT))
    anna = shop.subject(shop.tokens(ANNA, prompt="login"))

    assert is_asked(shop.ask(user_id=anna))
    expected = {anna: "code", bert: "login_required", "vu-x": "invalid_request"}
    assert {user: silent(shop, user_id=user) for user in expected} == expected


class TestConsent:
    """What the person allowed before, and what not."""

    def test_another_client_is_not_let_in_and_learns_nothing(
        self, shop: SignIn, cafe: SignIn
    ) -> None:
        """Not whether anybody is signed in here; a no on the phone is no consent."""
        before = response_of(cafe.ask(prompt="none"))
        shop.tokens()

        assert before["error"] == "login_required"
        assert response_of(cafe.ask(prompt="none")) == before
        page = cafe.ask().headers["location"]
        assert "/oauth/consent/" in page
        shop.handoff.decline(shop.recognise(page), PHONE)
        shop.proceed(page)
        assert response_of(cafe.ask(prompt="none")) == before

    def test_more_scope_needs_consent(self, shop: SignIn) -> None:
        """Once allowed it stays allowed; a narrower login does not forget it."""
        shop.tokens()
        wider = {"scope": "openid offline_access"}

        assert silent(shop, **wider) == "consent_required"
        assert is_asked(shop.ask(**wider))
        shop.tokens(**wider, prompt="consent")
        assert silent(shop, **wider) == silent(shop) == "code"
        shop.tokens(prompt="login")
        assert silent(shop, **wider) == "code"

    def test_a_client_that_any_program_can_be_asks_again(self, shop: SignIn) -> None:
        """RFC 8252 §8.6: it has no secret, and any program can take its address."""
        app = shop.another("App", "com.example.app:/cb", authentication=Authentication.NONE)
        app.tokens()

        assert is_asked(app.ask())
        assert silent(app) == "consent_required"

    def test_a_changed_client_name_needs_consent_again(self, shop: SignIn) -> None:
        """The person allowed it to a client with another name."""
        wider = {"scope": "openid offline_access"}
        shop.tokens(**wider)
        with shop.database.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE clients SET name = 'Your Bank'")

        assert silent(shop) == "consent_required"
        assert is_asked(shop.ask())
        shop.tokens(prompt="login")
        assert silent(shop) == "code"
        assert silent(shop, **wider) == "consent_required", "allowed to the other name"

    def test_another_shown_host_needs_consent_again(self, shop: SignIn) -> None:
        """The person allowed it to a client that returns to another one."""
        shop.tokens()
        with shop.database.engine.begin() as connection:
            connection.exec_driver_sql(
                "UPDATE clients SET redirect_uris = replace(redirect_uris, 'shop.', 'bank.')"
            )

        assert silent(shop, redirect_uri=REDIRECT_URI.replace("shop.", "bank.")) == (
            "consent_required"
        )


def test_a_request_by_post_comes_once_more_with_the_cookie(shop: SignIn) -> None:
    """Another website's form brings no cookie; the request waits here, unseen."""
    shop.tokens()
    url, cookies = f"{shop.settings.auth_url}/oauth/authorize", shop.browser.cookies
    request = shop.request(prompt="none", id_token_hint="secret")

    posted = shop.new_browser().post(url, data=request)

    assert posted.status_code == 303
    assert posted.headers["location"].startswith(f"{url}?client_id=")
    assert "secret" not in posted.headers["location"]
    browser = shop.new_browser()
    browser.cookies = cookies
    again = browser.get(posted.headers["location"])
    assert response_of(again)["error"] == "login_required", "it is that request: a false hint"
