"""The session's cookie and the logout page in a real browser: what SameSite and CSP allow."""

from collections.abc import Iterator
from html import escape

import pytest
from playwright.sync_api import Browser, Page

from oidc.clients.registry import RegisteredClient
from tests.support.service.sign_in import SignIn, query_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.parametrize("served", [{"session_minutes": 10}], indirect=True),
]

COOKIE = "thenar-session"


@pytest.fixture
def registered(served: SignIn, shop: str) -> RegisteredClient:
    """Give a client whose person may come back to one address, signed in or out."""
    served.shop = served.register("Corner Bookshop", shop, post_logout_redirect_uris=[shop])
    return served.shop


@pytest.fixture
def page(served: SignIn, registered: RegisteredClient, chromium: Browser) -> Iterator[Page]:
    """Give a browser in which the person has just signed in, as our own answer set it up."""
    login = served.open_page()
    served.approve(login)
    cookies = served.proceed(login).headers.get_list("set-cookie")
    (given,) = [each for each in cookies if each.startswith(f"{COOKIE}=")]
    value = given.partition("=")[2].partition(";")[0]
    assert "samesite=lax" in given.lower()
    context = chromium.new_context()
    context.add_cookies(
        [
            {
                "name": COOKIE,
                "value": value,
                "url": served.settings.auth_url,
                "httpOnly": True,
                "sameSite": "Lax",
            }
        ]
    )
    yield context.new_page()
    context.close()


def post_from_another_site(page: Page, address: str, fields: dict[str, str]) -> None:
    """Submit a form of another website."""
    inputs = "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in fields.items()
    )
    page.set_content(
        f'<form method="post" action="{address}">{inputs}<button>x</button></form>'
    )
    page.click("button")


def test_a_request_that_another_website_posts_finds_the_session(
    served: SignIn, page: Page, registered: RegisteredClient, shop: str
) -> None:
    """The cookie does not come with the form, but it comes with the visit after it."""
    request = served.request(registered, prompt="none")

    post_from_another_site(page, f"{served.settings.auth_url}/oauth/authorize", request)
    page.wait_for_url(f"{shop}?*")

    assert "code" in query_of(page.url)


def test_a_logout_that_another_website_posts_is_asked_and_leads_back(
    served: SignIn, page: Page, registered: RegisteredClient, shop: str
) -> None:
    """The page finds the session; its policy lets its own form lead on to the client."""
    complaints = list[str]()
    page.on("console", lambda message: complaints.append(message.text))
    fields = {
        "client_id": registered.client.client_id,
        "post_logout_redirect_uri": shop,
        "state": "ä &",
    }

    post_from_another_site(page, f"{served.settings.auth_url}/oauth/logout", fields)
    page.wait_for_selector("#sign-out button")
    asked = page.inner_text("#client-name")
    page.click("#sign-out button")
    page.wait_for_url(f"{shop}?*")

    assert "Corner Bookshop" in asked
    assert query_of(page.url) == {"state": "ä &"}
    assert not [each for each in page.context.cookies() if each.get("name") == COOKIE]
    assert complaints == []
