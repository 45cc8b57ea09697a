"""The consent page: what it shows, who may use it, and where it leads."""

import re
from collections.abc import Callable

import pytest

from oidc.types import LoginLimits, Mismatched
from tests.support.clock import FakeClock
from tests.support.service.sign_in import PHONE, SignIn, response_of

ACTIONS = ("continue", "cancel")


def test_authorize_sets_a_cookie_for_this_login_only(sign_in: SignIn) -> None:
    """``__Host-``: no other host can set it; HttpOnly, Lax, and gone when it can be."""
    answer = sign_in.ask()

    cookie = answer.headers["set-cookie"]
    login_id = answer.headers["location"].rpartition("/")[2]
    assert cookie.startswith(f"__Host-thenar-login-{login_id}=")
    for attribute in ("Secure", "HttpOnly", "SameSite=lax", "Path=/", "Max-Age="):
        assert attribute in cookie
    assert "Domain" not in cookie


def test_cookies_of_old_logins_do_not_pile_up(sign_in: SignIn) -> None:
    """A browser that starts a hundred logins must still fit its cookies into a header."""
    for _ in range(20):
        sign_in.open_page()

    logins = [name for name in sign_in.browser.cookies if "-login-" in name]
    assert len(logins) == 8


def test_the_page_shows_who_asks_and_what_they_get(sign_in: SignIn) -> None:
    """RFC 10027: name and host of the client, before the person does anything."""
    html = sign_in.browser.get(sign_in.open_page(scope="openid offline_access")).text

    assert '<h1><bdi id="client-name">Corner Bookshop</bdi>' in html
    assert 'id="client-host" dir="ltr">shop.example<' in html
    assert "keep you signed in" in html
    assert 'data-seconds="180">3:00<' in html
    assert "keep you signed in" not in sign_in.browser.get(sign_in.open_page()).text


def test_a_name_cannot_become_markup(sign_in: SignIn) -> None:
    """Names come from operators, and are escaped all the same."""
    html = sign_in.browser.get(sign_in.another("<b onclick=x>Evil & Co").open_page()).text

    assert "<b onclick" not in html
    assert "&lt;b onclick=x&gt;Evil &amp; Co" in html


def test_the_headers_leave_a_browser_no_choice(sign_in: SignIn) -> None:
    """No third party, no frame, no referrer; a form leads to us and to no client."""
    headers = sign_in.browser.get(sign_in.open_page()).headers

    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


def test_the_page_has_nothing_inline_and_nothing_from_other_hosts(sign_in: SignIn) -> None:
    """Or the policy above would break it."""
    html = sign_in.browser.get(sign_in.open_page()).text

    assert re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=", html) is None
    hosts = set(re.findall(r'(?:src|href|action)="(https?://[^/"]+)', html))
    assert hosts == {"https://id.example"}


def test_scripts_and_styles_are_served_by_content(sign_in: SignIn) -> None:
    """Cached for ever, because another content has another address."""
    html = sign_in.browser.get(sign_in.open_page()).text
    found = set(re.findall(r'(?:src|href)="(https://[^"]+/static/[^"]+)"', html))

    answers = [sign_in.browser.get(url) for url in found]

    assert len(found) == 4  # two styles, script, icon
    assert {answer.status_code for answer in answers} == {200}
    assert all("immutable" in answer.headers["cache-control"] for answer in answers)
    assert sign_in.browser.get("/oauth/static/nothing.js").status_code == 404
    assert sign_in.browser.get("/oauth/static/..%2fapp.py").status_code == 404


class TestAnotherBrowser:
    """Seeing the QR code, or knowing the address, is not owning the login."""

    @pytest.mark.parametrize("path", ["", "/state", "/events"])
    def test_it_sees_nothing(self, sign_in: SignIn, path: str) -> None:
        """403 and not a word about the login."""
        page = sign_in.open_page()

        answer = sign_in.new_browser().get(page + path)

        assert answer.status_code == 403
        assert "Bookshop" not in answer.text

    @pytest.mark.parametrize("action", ACTIONS)
    def test_it_can_neither_collect_nor_cancel(self, sign_in: SignIn, action: str) -> None:
        """Session fixation: an approved login waits for the browser that began it."""
        page = sign_in.open_page()
        sign_in.approve(page)

        outsider = sign_in.new_browser().post(f"{page}/{action}")

        assert (outsider.status_code, "location" in outsider.headers) == (403, False)
        assert "code" in response_of(sign_in.proceed(page))

    def test_neither_its_own_cookie_nor_the_ticket_opens_the_login(
        self, sign_in: SignIn
    ) -> None:
        """Each login has its own secret; seeing the QR code is not owning the browser."""
        page, other = sign_in.open_page(), sign_in.new_browser()
        sign_in.open_page(other)
        name = f"__Host-thenar-login-{page.rpartition('/')[2]}"
        by_ticket = sign_in.new_browser()
        by_ticket.headers["Cookie"] = f"{name}={sign_in.ticket_on(page)}"

        for browser in (other, by_ticket):
            answers = [browser.get(page), *(browser.post(f"{page}/{end}") for end in ACTIONS)]
            assert {answer.status_code for answer in answers} == {403}

    @pytest.mark.parametrize("login_id", ["f" * 32, "%00", "..", "x" * 500])
    def test_an_unknown_login_looks_the_same(self, sign_in: SignIn, login_id: str) -> None:
        """No caller can tell which logins exist."""
        answer = sign_in.browser.get(f"/oauth/consent/{login_id}/state")

        assert answer.status_code in (403, 404)

    @pytest.mark.parametrize(
        "headers",
        [
            *({"Origin": each} for each in ("https://evil.example", "null")),
            *({"Sec-Fetch-Site": each} for each in ("cross-site", "same-site")),
        ],
    )
    def test_another_sites_form_is_refused(
        self, sign_in: SignIn, headers: dict[str, str]
    ) -> None:
        """The second lock behind SameSite."""
        page = sign_in.open_page()

        assert sign_in.browser.post(f"{page}/cancel", headers=headers).status_code == 403


class TestEndings:
    """Every way out leads back to the client, with its state."""

    def test_success_brings_code_state_and_iss_once(self, sign_in: SignIn) -> None:
        """The cookie is taken back, and the button works once."""
        page = sign_in.open_page()
        sign_in.approve(page)

        answer = sign_in.proceed(page)

        assert response_of(answer).keys() == {"tenant", "code", "state", "iss"}
        assert "Max-Age=0" in answer.headers["set-cookie"]
        assert sign_in.proceed(page).status_code == 403

    def test_too_early_means_back_to_the_page(self, sign_in: SignIn) -> None:
        """No code before the person's yes, not even after the palm."""
        page = sign_in.open_page()
        first = sign_in.proceed(page)
        sign_in.recognise(page)
        second = sign_in.proceed(page)

        assert [first.headers["location"], second.headers["location"]] == [page, page]
        assert first.status_code == second.status_code == 303

    def test_each_ending_has_its_own_description(self, sign_in: SignIn) -> None:
        """``access_denied`` for all; the description tells which. RFC 6749 §4.1.2.1."""
        ended = {}
        for name, end in ENDS.items():
            page = sign_in.open_page(state=f"state of {name}")
            end(sign_in, page)
            ended[name] = response_of(sign_in.proceed(page))

        assert {each["error"] for each in ended.values()} == {"access_denied"}
        assert all(each["state"] == f"state of {name}" for name, each in ended.items())
        assert len({each["error_description"] for each in ended.values()}) == 4
        assert all(each["iss"] == "https://id.example" for each in ended.values())
        assert not any("code" in each for each in ended.values())


@pytest.mark.alone
def test_a_polling_page_gets_the_state(sign_in: SignIn, clock: FakeClock) -> None:
    """The fallback where streams do not pass."""
    page = sign_in.open_page()
    clock.advance(30)
    shown = sign_in.ticket_on(page)
    first = sign_in.browser.get(f"{page}/state").json()
    sign_in.approve(page)
    second = sign_in.browser.get(f"{page}/state").json()
    other = sign_in.open_page()
    _mismatch(sign_in, other, 1)
    failed = sign_in.browser.get(f"{other}/state").json()

    assert (first["state"], first["hint"], first["is_over"]) == ("pending", "wait_scan", False)
    assert (first["expires_at"], first["expires_in"]) == ("2026-11-20T12:03:00+00:00", 150)
    assert (failed["hint"], failed["tries_left"]) == ("palm_retry", 2)
    assert first["code"]["here"] == f"https://id.example/m#{shown}&here"
    assert (second["state"], second["hint"], second["is_over"]) == ("approved", "go", True)


def _cancel_in_another_tab(sign_in: SignIn, page: str) -> None:
    # Its answer is lost: this browser keeps the cookie.
    name = f"__Host-thenar-login-{page.rpartition('/')[2]}"
    headers = {"Cookie": f"{name}={sign_in.browser.cookies[name]}"}
    sign_in.new_browser().post(f"{page}/cancel", headers=headers)


def _mismatch(sign_in: SignIn, page: str, times: int) -> None:
    claimed = sign_in.handoff.claim(sign_in.ticket_on(page), PHONE)
    for _ in range(times):
        sign_in.handoff.record_outcome(claimed.login_id, PHONE, Mismatched())


ENDS: dict[str, Callable[[SignIn, str], object]] = {
    "declined": lambda sign_in, page: sign_in.handoff.decline(sign_in.recognise(page), PHONE),
    "locked": lambda sign_in, page: _mismatch(sign_in, page, 3),
    "expired": lambda sign_in, page: sign_in.clock.advance(LoginLimits().pending_s),
    "cancelled": _cancel_in_another_tab,
}
