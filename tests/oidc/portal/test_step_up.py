"""Changes of what protects a client need a recent palm; its other developers get a notice."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from oidc.portal.system_clients import PORTAL
from oidc.types import ClientId, Level
from tests.support.service.portal_developer import Visitor, element, invite
from tests.support.service.sign_in import ANNA, BERT, PHONE, SignIn, onward, query_of

LATE_S = 301


@pytest.fixture
def page(dora: Visitor, emil: Visitor) -> str:
    """Give the page of a client of two developers, five minutes after their palms."""
    client_id, _ = dora.registered()
    page = f"/clients/{client_id}"
    link = element(dora.send(f"{page}/team/invite", page).text, "link")
    emil.send("/team", "/team", invitation=link)
    emil.send("/notices", latest="9")
    dora.send("/notices", latest="9")
    dora.sign_in.clock.advance(LATE_S)
    return page


def _stored(visitor: Visitor, page: str) -> object:
    client_id = ClientId(page.rpartition("/")[2])
    with visitor.sign_in.database.read() as stores:
        team = stores.client_teams
        found = stores.clients.find(client_id), team.members(client_id)
        return *found, team.count_open(client_id, visitor.sign_in.clock())


def _send(visitor: Visitor, page: str, path: str, **fields: str) -> Any:
    """Send a form with what each of the forms needs."""
    with visitor.sign_in.database.read() as stores:
        emil = stores.client_teams.members(ClientId(page.rpartition("/")[2]))
    usual = {
        "client_name": "Garden App",
        "redirect_uris": "https://new.example/",
        "token_endpoint_auth_method": "client_secret_basic",
        "overlap": "0",
        "sure": "yes",
        "developer": emil[0].developer_id if emil else "",
    }
    return visitor.send(page + path, page, **usual | fields)


@pytest.mark.parametrize(
    "path",
    [
        *("/change", "/secret", "/remove", "/logo/remove"),
        *("/team/invite", "/team/remove", "/team/withdraw"),
    ],
)
def test_a_session_alone_changes_nothing_that_protects_a_client(
    dora: Visitor, page: str, path: str
) -> None:
    """A person who finds the browser open, or copies its cookie, must show the palm."""
    before = _stored(dora, page)

    asked = _send(dora, page, path)

    sent = query_of(asked.headers["location"])
    acr = json.loads(sent["claims"])["id_token"]["acr"]
    assert (sent["client_id"], sent["prompt"]) == ("thenar-portal", "login")
    assert acr == {"essential": True, "value": "https://id.example/acr/palm-and-phone"}
    assert _stored(dora, page) == before


def test_a_palm_leads_back_to_what_was_typed_and_applies_nothing(
    dora: Visitor, page: str
) -> None:
    """The developer looks at it and presses the button again; a thief's copy has ended."""
    before, thief = _stored(dora, page), Visitor(dora.sign_in)
    thief.browser.cookies.update(dora.browser.cookies)

    back = dora.follow_login(_send(dora, page, "/change", redirect_uris="https://b.example/"))
    shown = dora.browser.get(back.headers["location"])
    unchanged = _stored(dora, page) == before
    saved = _send(dora, page, "/change", redirect_uris="https://b.example/")

    assert back.headers["location"] == f"{dora.portal}{page}/change?confirmed"
    assert "press the button again" in element(shown.text, "confirmed")
    assert "https://b.example/" in shown.text and unchanged
    assert saved.headers["location"] == f"{dora.portal}{page}/change?saved"
    assert "https://b.example/" in dora.get(f"{page}/change").text
    assert thief.get(page).status_code == 303


def test_a_thief_of_the_session_cannot_slip_in_a_form(dora: Visitor, page: str) -> None:
    """The developer would press the button of another redirect URI."""
    thief, asked = Visitor(dora.sign_in), _send(dora, page, "/change")
    thief.browser.cookies.update(dora.browser.cookies)
    _send(thief, page, "/change", redirect_uris="https://evil.example/")

    back = dora.follow_login(asked)

    assert "evil.example" not in dora.browser.get(back.headers["location"]).text


@pytest.mark.parametrize("whose", ["another person's", "another session's"])
def test_only_the_palm_of_this_session_counts(dora: Visitor, page: str, whose: str) -> None:
    """Not another person's, nor one that an earlier session of the browser requested."""
    before, asked = _stored(dora, page), _send(dora, page, "/secret")
    if whose == "another person's":
        dora.account = BERT
    else:
        kept = dict(dora.browser.cookies)
        dora.follow_login(dora.send("/sign-in"))
        dora.sign_in.clock.advance(LATE_S)
        flow = "__Host-thenar-portal-flow"
        dora.browser.cookies.set(flow, kept[flow], domain="id.example", path="/")

    refused = dora.follow_login(asked)

    assert refused.status_code == 400
    assert "another session or person" in element(refused.text, "reason")
    dora.account = ANNA
    assert _send(dora, page, "/secret").status_code == 303
    assert _stored(dora, page) == before


def test_the_other_developers_see_it_until_they_dismiss_it(
    dora: Visitor, emil: Visitor, page: str
) -> None:
    """Who, what and on which day; never what the secret is. The one who acts gets none."""
    dora.follow_login(_send(dora, page, "/secret"))
    secret = element(_send(dora, page, "/secret").text, "client-secret")
    _send(dora, page, "/secret")
    _send(dora, page, "/change")
    _send(dora, page, "/team/remove")
    _send(dora, page, "/remove")

    shown = emil.get().text
    latest = shown.split('name="latest" value="')[1].split('"')[0]
    emil.send("/notices", latest=latest)

    assert shown.count("dora@dev.example") == 3
    for said in ("replaced the secret of", "changed", "removed a developer from"):
        assert said in shown
    assert secret not in shown
    assert 'id="notices"' not in dora.get().text
    assert 'id="notices"' not in emil.get().text


def test_no_row_lets_a_palm_alone_in(make_sign_in: Callable[..., SignIn]) -> None:
    """Also where client and operator would, and the request asks for less than the portal."""
    visitor = Visitor(make_sign_in(palm_alone="allow"))
    sign_in, invitation = visitor.sign_in, invite(visitor.sign_in)
    with sign_in.database.write() as stores:
        client = stores.clients.find(PORTAL)
        assert client is not None
        stores.clients.replace(replace(client, accept_palm_alone=True))
    asked = query_of(visitor.send("/join", "/join", invitation=invitation).headers["location"])
    del asked["claims"]

    sent = visitor.browser.get(f"{sign_in.settings.auth_url}/oauth/authorize", params=asked)
    page = sent.headers["location"]
    sign_in.say_yes(page, sign_in.recognise(page, ANNA, PHONE, visitor.browser, Level.PALM))
    answer = visitor.browser.get(onward(sign_in.proceed(page, visitor.browser)))

    assert answer.status_code == 400
    assert "the ID token is not valid" in answer.text


def test_without_palms_a_new_link_is_needed(make_sign_in: Callable[..., SignIn]) -> None:
    """Within five minutes of entering by it."""
    visitor = Visitor(make_sign_in(portal_palm=False))
    visitor.send("/join", "/join", invitation=invite(visitor.sign_in))
    page = f"/clients/{visitor.registered()[0]}"
    in_time = _send(visitor, page, "/secret").status_code
    visitor.sign_in.clock.advance(LATE_S)
    before = _stored(visitor, page)

    late = _send(visitor, page, "/secret")

    assert (in_time, late.status_code) == (200, 403)
    assert "Enter by a new link first" in late.text
    assert _stored(visitor, page) == before
