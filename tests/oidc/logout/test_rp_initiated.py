"""Signing out: who may end what, who is notified, and which redirects are refused."""

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from oidc.accounts import sessions
from oidc.types import SessionSecret
from tests.support.servers.recording import Recorder
from tests.support.service.sign_in import (
    ANNA,
    BERT,
    PHONE,
    REDIRECT_URI,
    MakeSignIn,
    SignIn,
    onward,
    response_of,
)
from tests.support.service.signing_out import (
    BYE,
    LOGOUT,
    agree,
    is_signed_in,
    page_of,
    sign_out,
)

COOKIE = "__Host-thenar-session"
EVENT = "http://schemas.openid.net/event/backchannel-logout"


@pytest.fixture
def make_shop(make_sign_in: MakeSignIn, logouts: Recorder) -> MakeSignIn:
    """Give a function that builds a provider and registers the shop for logouts."""

    def make(**changes: object) -> SignIn:
        shop = make_sign_in(private_logout_hosts=True, **changes)
        shop.shop = shop.register(
            "Corner Bookshop",
            REDIRECT_URI,
            post_logout_redirect_uris=[BYE, "com.example.shop:/bye"],
            backchannel_logout_uri=logouts.address,
        )
        return shop

    return make


@pytest.fixture
def shop(make_shop: MakeSignIn) -> SignIn:
    """Give a provider that remembers a palm."""
    return make_shop(session_minutes=10)


@pytest.fixture
def cafe(shop: SignIn, logouts: Recorder) -> SignIn:
    """Give another client of the same provider that wants to be logouts."""
    return shop.another("Café", backchannel_logout_uri=logouts.address)


def notices(shop: SignIn) -> list[tuple[str, str, str | None]]:
    """Return the notices that are left: client, subject, session."""
    query = "SELECT client_id, subject, sid FROM logout_notices"
    with shop.database.engine.connect() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]


class TestTheProof:
    """When the person need not be asked, and when they must be."""

    @pytest.mark.parametrize("method", ["GET", "POST"])
    @pytest.mark.parametrize("which", [0, 1], ids=["by palm", "silently"])
    def test_a_hint_of_the_session_is_enough(
        self, make_shop: MakeSignIn, which: int, method: str
    ) -> None:
        """Also one that has expired, and one of a client that was let in silently."""
        shop = make_shop(session_minutes=10, id_token_lifetime_s=60)
        by_palm = shop.tokens()
        silent = response_of(shop.ask(prompt="none"))
        hints = by_palm["id_token"], shop.redeem(silent["code"]).json()["id_token"]
        shop.clock.advance(300)

        fields = {"id_token_hint": hints[which], "post_logout_redirect_uri": BYE}
        part = {"data" if method == "POST" else "params": fields}
        answer = shop.browser.request(method, LOGOUT, **part)  # type: ignore[arg-type]

        assert onward(answer) == BYE
        assert not is_signed_in(shop)

    def test_a_hint_that_is_not_of_this_session_is_not(self, shop: SignIn) -> None:
        """Earlier, another person's, unsigned or forged: any website could keep or make one."""
        old, bert = shop.tokens()["id_token"], shop.tokens(BERT, prompt="login")["id_token"]
        shop.clock.advance(7200)
        own = shop.opened(shop.tokens(prompt="login")["id_token"])
        forged = jwt.encode({**own.header}, own.claims, RSAKey.generate_key(2048))
        unsigned = f"eyJhbGciOiJub25lIn0.{forged.split('.')[1]}."

        for hint in (old, bert, forged, unsigned):
            answer = sign_out(shop, id_token_hint=hint, post_logout_redirect_uri=BYE)
            assert answer.status_code == 400 or "sign-out" in page_of(answer).elements
            assert is_signed_in(shop)

    def test_without_a_hint_no_website_redirects_by_us(self, shop: SignIn) -> None:
        """Who is not signed in has nothing to confirm: a page says so."""
        client_id = shop.shop.client.client_id

        answer = sign_out(shop, client_id=client_id, post_logout_redirect_uri=BYE)

        assert page_of(answer).status == 200

    def test_without_the_browsers_session_a_hint_ends_one_clients_grants_after_asking(
        self, shop: SignIn, cafe: SignIn, logouts: Recorder
    ) -> None:
        """In a browser where its person has signed in before; other clients hear nothing."""
        lasting = shop.tokens(scope="openid offline_access")
        tokens = shop.tokens(prompt="login")
        cafe.tokens()
        kept = shop.browser.cookies[COOKIE]
        del shop.browser.cookies[COOKIE]
        fields = {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": BYE}

        asked = shop.browser.get(LOGOUT, params=fields)
        before = shop.userinfo(tokens["access_token"]).status_code, len(logouts.tokens)
        done = agree(shop.browser, asked)

        assert "Other apps are not affected" in asked.text
        assert before == (200, 0)
        assert onward(done) == BYE
        assert shop.userinfo(tokens["access_token"]).status_code == 401
        assert shop.refresh(lasting["refresh_token"]).status_code == 200
        shop.browser.cookies.set(COOKIE, kept)
        assert is_signed_in(shop)
        heard = [shop.opened(token).claims["aud"] for token in logouts.tokens]
        assert heard == [shop.shop.client.client_id]

    def test_a_leaked_id_token_ends_nothing(
        self, make_shop: MakeSignIn, logouts: Recorder
    ) -> None:
        """Neither in its thief's browser nor by another person's who has signed in there."""
        shop = make_shop()
        leaked = shop.tokens()
        thief = shop.new_browser()
        page = shop.open_page(thief)
        shop.handoff.approve(shop.recognise(page, BERT, browser=thief), PHONE)
        shop.proceed(page, thief)

        asked = thief.get(LOGOUT, params={"id_token_hint": leaked["id_token"]})
        agree(thief, asked)
        agree(shop.new_browser(), asked)

        assert shop.userinfo(leaked["access_token"]).status_code == 200
        assert not logouts.tokens

    def test_the_person_reads_who_asks(self, shop: SignIn) -> None:
        """And is sent back after saying yes, wherever the client may send the browser on."""
        shop.tokens()
        client_id = shop.shop.client.client_id

        asked = sign_out(shop, client_id=client_id, post_logout_redirect_uri=BYE, state="ä &")
        done = agree(shop.browser, asked)

        assert "Corner Bookshop" in page_of(asked).element("client-name").text
        assert "form-action 'self'" in asked.headers["content-security-policy"].split("; ")
        assert onward(done) == f"{BYE}&state=%C3%A4%20%26"
        assert not is_signed_in(shop)

    @pytest.mark.parametrize(
        ("headers", "proof"),
        [
            ({"Origin": "https://evil.example"}, None),
            ({"Sec-Fetch-Site": "cross-site"}, None),
            ({}, "guessed"),
            ({}, ""),
        ],
    )
    def test_a_hostile_website_signs_no_account_out(
        self, shop: SignIn, headers: dict[str, str], proof: str | None
    ) -> None:
        """Neither from another site nor without what only our page holds."""
        shop.tokens()
        form = page_of(sign_out(shop)).element("sign-out")
        fields = form.fields if proof is None else {**form.fields, "proof": proof}

        answer = shop.browser.post(form.attributes["action"], data=fields, headers=headers)

        assert answer.status_code in (400, 403)
        assert is_signed_in(shop)

    @pytest.mark.parametrize("is_another", [True, False])
    def test_a_page_is_of_one_session(self, shop: SignIn, *, is_another: bool) -> None:
        """Another browser has no session; a person who signed in since is asked again."""
        shop.tokens()
        asked = sign_out(shop)
        if not is_another:
            shop.tokens(prompt="login")

        answer = agree(shop.new_browser() if is_another else shop.browser, asked)

        assert answer.status_code == 400
        assert is_signed_in(shop)


class TestTheRequest:
    """What contradicts itself or what is registered."""

    @pytest.mark.parametrize(
        "changes",
        [
            {"client_id": "unknown"},
            {"client_id": "{cafe}"},
            {"post_logout_redirect_uri": "https://evil.example/"},
            {"post_logout_redirect_uri": "https://shop.example/bye"},
            {"post_logout_redirect_uri": REDIRECT_URI},
            {"state": "s" * 2001},
        ],
    )
    def test_one_wrong_thing_ends_nothing(
        self, shop: SignIn, cafe: SignIn, changes: dict[str, str]
    ) -> None:
        """An error page, and no account is signed out or redirected."""
        fields = {
            "id_token_hint": shop.tokens()["id_token"],
            "client_id": shop.shop.client.client_id,
            "post_logout_redirect_uri": BYE,
            "state": "x",
        }
        other = cafe.shop.client.client_id
        changed = {name: value.replace("{cafe}", other) for name, value in changes.items()}

        answer = sign_out(shop, **fields | changed)

        assert answer.status_code == 400
        assert "location" not in answer.headers
        assert "evil.example" not in answer.text
        assert is_signed_in(shop)

    def test_a_parameter_twice_is_refused(self, shop: SignIn) -> None:
        """Two readers could believe different ones."""
        answer = shop.browser.get(LOGOUT, params=[("client_id", "a"), ("client_id", "b")])

        assert answer.status_code == 400

    @pytest.mark.parametrize("body", [b"\xff", b"a=%ff", b"x" * 20_000])
    def test_a_malformed_form_is_refused(self, shop: SignIn, body: bytes) -> None:
        """At both forms of the endpoint."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        for path in (LOGOUT, f"{LOGOUT}/confirm"):
            answer = shop.browser.post(path, content=body, headers=headers)
            assert answer.status_code in (400, 403)

    def test_looking_signs_no_account_out(self, shop: SignIn) -> None:
        """HEAD is safe, whatever comes with it."""
        hint = shop.tokens()["id_token"]

        answer = shop.browser.head(LOGOUT, params={"id_token_hint": hint})

        assert (answer.status_code, answer.text) == (200, "")
        assert is_signed_in(shop)

    def test_an_app_may_be_returned_to_by_its_own_scheme(self, shop: SignIn) -> None:
        """As with redirect URIs. RFC 8252 §7.1."""
        hint = shop.tokens()["id_token"]
        uri = "com.example.shop:/bye"

        answer = sign_out(shop, id_token_hint=hint, post_logout_redirect_uri=uri, state="x")

        assert answer.headers["location"] == f"{uri}?state=x"

    @pytest.mark.parametrize("scope", ["openid", "openid offline_access"])
    def test_a_form_of_another_website_comes_once_more_with_the_cookie(
        self, shop: SignIn, scope: str
    ) -> None:
        """SameSite keeps the cookie from it; no address holds an ID token."""
        hint = shop.tokens(scope=scope)["id_token"]
        form = {"id_token_hint": hint, "post_logout_redirect_uri": BYE, "state": "x"}

        answered = shop.new_browser().post(LOGOUT, data=form)
        assert is_signed_in(shop)
        done = agree(shop.browser, answered, form="answer")

        assert onward(done) == f"{BYE}&state=x"
        assert not is_signed_in(shop)

    def test_a_foreign_form_takes_no_cookie_away(self, shop: SignIn) -> None:
        """The hint is the attacker's own: it ends his session, not that of this browser."""
        attackers = shop.tokens(BERT)["id_token"]

        posted = shop.new_browser().post(LOGOUT, data={"id_token_hint": attackers})

        assert "set-cookie" not in posted.headers


class TestTheEnd:
    """What ends with a session, and what does not."""

    def test_the_cookie_is_taken_back_and_was_worth_nothing(self, shop: SignIn) -> None:
        """The holder of a copy is an attacker, too."""
        hint = shop.tokens()["id_token"]
        kept = shop.browser.cookies[COOKIE]

        sign_out(shop, id_token_hint=hint)

        assert COOKIE not in shop.browser.cookies
        shop.browser.cookies.set(COOKIE, kept)
        assert not is_signed_in(shop)
        with shop.database.read() as stores:
            assert sessions.find(stores, SessionSecret(kept), shop.clock()) is None

    def test_access_ends_with_the_session_unless_it_was_to_last(self, shop: SignIn) -> None:
        """``offline_access`` is for while the person is away. Back-Channel Logout 1.0 §2.7."""
        lasting = shop.tokens(scope="openid offline_access")
        short = shop.tokens(prompt="login")

        sign_out(shop, id_token_hint=short["id_token"])

        assert shop.userinfo(short["access_token"]).status_code == 401
        assert shop.userinfo(lasting["access_token"]).status_code == 200
        assert shop.refresh(lasting["refresh_token"]).status_code == 200

    def test_every_client_of_the_session_is_notified_once_with_its_own_sid(
        self, shop: SignIn, cafe: SignIn, logouts: Recorder
    ) -> None:
        """By its pseudonym and its name of the session, however many codes were given in it."""
        at_shop, at_cafe = shop.claims(shop.tokens()), cafe.claims(cafe.tokens())
        shop.another("Quiet").tokens()
        hint = shop.tokens(prompt="login")["id_token"]
        assert is_signed_in(shop)

        sign_out(shop, id_token_hint=hint)

        opened = [shop.opened(token) for token in logouts.tokens]
        heard = [each.claims for each in opened]
        for each in heard:
            assert each["iss"] == shop.settings.issuer
            assert each["exp"] - each["iat"] <= 120
            assert each["events"] == {EVENT: {}}
            assert "nonce" not in each
        assert {each.header["typ"] for each in opened} == {"logout+jwt"}
        assert sorted((each["aud"], each["sub"], each["sid"]) for each in heard) == sorted(
            (each["aud"], each["sub"], each["sid"]) for each in (at_shop, at_cafe)
        )
        assert len({each["jti"] for each in heard}) == 2

    def test_other_sessions_go_on(self, shop: SignIn) -> None:
        """The same person in another browser stays signed in there."""
        browser = shop.new_browser()
        page = shop.open_page(browser)
        shop.handoff.approve(shop.recognise(page, browser=browser), PHONE)
        shop.proceed(page, browser)
        hint = shop.tokens()["id_token"]

        sign_out(shop, id_token_hint=hint)

        assert not is_signed_in(shop)
        assert is_signed_in(shop, browser)


class TestOtherEnds:
    """A withdrawn pseudonym, a deleted account, a login of another account."""

    def test_a_client_is_notified_of_a_withdrawal(self, shop: SignIn, cafe: SignIn) -> None:
        """Of all its sessions at once, by the pseudonym; other clients hear nothing."""
        first = shop.subject(shop.tokens())
        shop.clock.advance(7200)
        shop.tokens()
        cafe.tokens()

        shop.disconnect(first)

        assert notices(shop) == [(shop.shop.client.client_id, first, None)]

    def test_a_client_that_needs_names_gets_them(self, shop: SignIn) -> None:
        """One notice for each session, where the client was registered so."""
        named = shop.another(
            backchannel_logout_uri="https://cafe.example/out",
            backchannel_logout_session_required=True,
        )
        first = named.claims(named.tokens())
        shop.clock.advance(7200)
        second = named.claims(named.tokens())

        shop.disconnect(first["sub"])

        assert {sid for _, _, sid in notices(shop)} == {first["sid"], second["sid"]}

    def test_every_client_is_notified_of_a_deletion(self, shop: SignIn, cafe: SignIn) -> None:
        """Each by its own pseudonym; a client without an address gets nothing."""
        at_both = [each.claims(each.tokens()) for each in (shop, cafe)]
        shop.another("Quiet").tokens()

        shop.handoff.delete_account(ANNA)

        assert sorted(notices(shop)) == sorted(
            (claims["aud"], claims["sub"], None) for claims in at_both
        )
        assert not is_signed_in(shop)

    def test_a_reported_login_takes_its_session_along(
        self, shop: SignIn, caplog: pytest.LogCaptureFixture
    ) -> None:
        """RFC 10027: nothing that the browser was given stays; the log names no account."""
        page = shop.open_page(scope="openid offline_access")
        login_id = shop.recognise(page)
        shop.handoff.approve(login_id, PHONE)
        tokens = shop.redeem(response_of(shop.proceed(page))["code"]).json()
        assert is_signed_in(shop)

        shop.handoff.report(login_id, PHONE)

        assert not is_signed_in(shop)
        assert shop.refresh(tokens["refresh_token"]).status_code == 400
        assert shop.userinfo(tokens["access_token"]).status_code == 401
        assert [name for _, _, name in notices(shop)] == [shop.claims(tokens)["sid"]]
        assert "reported" in caplog.text
        assert str(ANNA) not in caplog.text
