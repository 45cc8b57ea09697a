"""A browser without a screen reads pages as the one with a screen does."""

import httpx2
import pytest

from benchmarks.harness.browser import Browser, Callback, UnexpectedPage
from benchmarks.harness.html_page import read_page

CONSENT = """<!doctype html><body><p>Sign in to <b id="client-name">A &amp; <i>B</i></b><br></p>
<img id="qr" src="qr.svg"><a id="phone-link" href="/m#abc">open</a>
<form id="continue" method="post" action="continue"><input type="hidden" name="csrf" value="x">
<button>go</button></form></body>"""


def test_elements_are_found_by_their_id():
    """Text is joined, entities are resolved, void elements do not swallow what follows."""
    page = read_page("http://127.0.0.1:1/oauth/consent/7", 200, {}, CONSENT)

    assert page.element("client-name").text == "A & B"
    assert page.address("phone-link", "href") == "http://127.0.0.1:1/m#abc"
    assert page.element("continue").fields == {"csrf": "x"}


def test_a_missing_element_is_said_by_name():
    """A journey that fails should say what the page lacks."""
    page = read_page("http://127.0.0.1:1/", 404, {}, "<p>")

    with pytest.raises(LookupError, match="no element #qr on a page of status 404"):
        page.element("qr")


def provider(request: httpx2.Request) -> httpx2.Response:
    """Answer as a very small provider: a redirect to a page, a form that leads back."""
    answers = {
        "/oauth/authorize": httpx2.Response(
            302, headers={"location": "/page/1", "set-cookie": "half=secret; Path=/"}
        ),
        "/page/1": httpx2.Response(200, html=CONSENT),
        "/page/continue": httpx2.Response(
            303, headers={"location": "http://rp.test/cb?code=c&state=a%20b"}
        ),
        "/loop": httpx2.Response(302, headers={"location": "/loop"}),
    }
    if request.method == "POST":
        assert request.headers["cookie"] == "half=secret"
        assert request.headers["origin"] == "http://127.0.0.1:1"
        assert request.content == b"csrf=x"
    return answers[request.url.path]


def test_a_journey_ends_at_the_relying_party():
    """Redirects are followed with cookies; the one to the relying party is handed back."""
    with Browser("http://rp.test/cb", transport=httpx2.MockTransport(provider)) as browser:
        page = browser.open_page("http://127.0.0.1:1/oauth/authorize")
        callback = browser.finish(page)

    assert callback.parameters == {"code": "c", "state": "a b"}
    assert callback.status == 303


def test_an_unexpected_end_is_an_error():
    """A journey must not go on from a page it did not expect."""
    with Browser("http://rp.test/cb", transport=httpx2.MockTransport(provider)) as browser:
        with pytest.raises(UnexpectedPage, match="too many redirects"):
            browser.visit("http://127.0.0.1:1/loop")
        back = browser.visit("http://127.0.0.1:1/page/continue")
        assert isinstance(back, Callback)
