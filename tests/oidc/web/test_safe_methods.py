"""HEAD, other names of this machine, and a database that is away."""

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from mobile_api.observability.access_log import AccessLog
from tests.support.clock import FakeClock
from tests.support.service.sign_in import MakeSignIn, SignIn

LOOPBACK = {"issuer": "http://127.0.0.1:8080"}


class TestHead:
    """RFC 9110 §9.3.2: wherever GET answers."""

    @pytest.mark.parametrize(
        ("path", "served"),
        [
            ("/oauth/authorize", "GET, HEAD, POST"),
            ("/oauth/logout", "GET, HEAD, POST"),
            ("/register/x", "GET, PUT, DELETE"),
        ],
    )
    def test_an_unknown_method_is_answered_with_the_served_ones(
        self, sign_in: SignIn, path: str, served: str
    ) -> None:
        """RFC 9110 §15.5.6."""
        answer = sign_in.new_browser().options(path)

        assert (answer.status_code, answer.headers["allow"]) == (405, served)

    def test_a_look_at_the_authorization_endpoint_begins_nothing(self, sign_in: SignIn) -> None:
        """Link checkers and chat programs look at every address they see."""
        good = sign_in.browser.head("/oauth/authorize", params=sign_in.request())
        bad = sign_in.browser.head("/oauth/authorize", params={"client_id": "x"})

        assert (good.status_code, bad.status_code) == (200, 400)
        assert "set-cookie" not in good.headers


class TestOtherNames:
    """``localhost`` and ``127.0.0.1``: one machine, two cookie jars."""

    @pytest.mark.parametrize("host", ["localhost:8080", "LOCALHOST:8080", "[::1]:8080"])
    @pytest.mark.parametrize("method", ["GET", "POST"])
    def test_another_name_is_led_to_the_configured_one_before_any_cookie(
        self, make_sign_in: MakeSignIn, host: str, method: str
    ) -> None:
        """A developer opened the wrong one of two: the login works all the same."""
        sign_in = make_sign_in(**LOOPBACK)
        browser = TestClient(sign_in.app, base_url=f"http://{host}", follow_redirects=False)
        asked = sign_in.request()
        part = {"data": asked} if method == "POST" else {"params": asked}

        led = browser.request(method, "/oauth/authorize", **part)  # type: ignore[arg-type]

        location = led.headers["location"]
        assert location.startswith("http://127.0.0.1:8080/oauth/authorize?")
        assert "set-cookie" not in led.headers
        page = sign_in.browser.get(location).headers["location"]
        assert sign_in.browser.get(page).status_code == 200

    @pytest.mark.parametrize(
        "host", ["127.0.0.1:8080", "127.0.0.1:9999", "evil.example:8080", "a:b:c", ""]
    )
    def test_no_other_host_is_led_anywhere(self, make_sign_in: MakeSignIn, host: str) -> None:
        """A proxy may have rewritten it: leading would go round in circles."""
        sign_in = make_sign_in(**LOOPBACK)

        answer = sign_in.browser.get(
            "/oauth/authorize", params=sign_in.request(), headers={"Host": host}
        )

        assert "/oauth/consent/" in answer.headers["location"]


@pytest.fixture
def lose_database(
    sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], None]]:
    """Give a function that lets every transaction fail as without a server."""
    engine = sign_in.app.state.database.engine

    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("SELECT secret", {}, ConnectionError())

    def lose() -> None:
        sign_in.app.state.database.close()
        monkeypatch.setattr(engine.pool, "_do_get", refuse)

    yield lose
    monkeypatch.undo()


class TestDatabaseAway:
    """RFC 6749 §4.1.2.1 for browsers, 503 for programs, and no 500 for anybody."""

    @pytest.mark.parametrize("path", ["/token", "/revoke", "/introspect", "/par"])
    def test_programs_get_a_time_to_try_again(
        self, sign_in: SignIn, lose_database: Callable[[], None], path: str
    ) -> None:
        """And nothing about the database."""
        fields = {**sign_in.token_request(code="c"), "token": "t"}
        lose_database()

        answer = sign_in.new_browser().post(path, data=fields)

        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.json()["error"] == "temporarily_unavailable"
        assert "secret" not in answer.text

    def test_userinfo_is_no_judge_of_a_token_it_cannot_look_up(
        self, sign_in: SignIn, lose_database: Callable[[], None]
    ) -> None:
        """401 would make clients throw a good token away."""
        token = sign_in.tokens()["access_token"]
        lose_database()

        assert sign_in.userinfo(token).status_code == 503

    def test_a_browser_that_cannot_be_placed_sees_a_page(
        self, sign_in: SignIn, lose_database: Callable[[], None]
    ) -> None:
        """Without the database no redirect URI can be trusted."""
        lose_database()

        page = sign_in.browser.get(
            "/oauth/authorize", params=sign_in.request(), headers={"Accept": "text/html"}
        )

        assert (page.status_code, page.headers["retry-after"]) == (503, "5")
        assert "<html" in page.text
        assert sign_in.ask().json()["error"] == "temporarily_unavailable"

    def test_keys_that_are_known_are_published_all_the_same(
        self, sign_in: SignIn, lose_database: Callable[[], None], clock: FakeClock
    ) -> None:
        """Resource servers verify on while the provider recovers."""
        lose_database()
        clock.advance(3600)

        answer = sign_in.browser.get("/.well-known/jwks.json")

        assert {key["alg"] for key in answer.json()["keys"]} == {"RS256", "ES256"}


@pytest.mark.parametrize("path", ["/oauth/authorize", "/portal/callback"])
def test_it_tells_the_name_under_which_the_request_was_logged(
    sign_in: SignIn, path: str
) -> None:
    """Support finds the line; without an access log there is no name."""
    logged = TestClient(AccessLog(sign_in.app, lambda: "abcd"), base_url="https://id.example")

    named, unnamed = (each.get(path) for each in (logged, sign_in.browser))

    assert (named.status_code, unnamed.status_code) == (400, 400)
    assert '<p id="request">Mention this number: abcd</p>' in named.text
    assert 'id="request"' not in unnamed.text
