"""A developer's day at the portal of a real service, with a real palm each time."""

import json
import re
from collections.abc import Iterator

import httpx2
import pytest

from benchmarks.harness.relying_party import Registration, RelyingParty
from tests.support.service.journey import Person, World
from tests.support.service.portal_developer import element

pytestmark = [pytest.mark.journey, pytest.mark.hands]

ADA, BEN = 0, 1
CALLBACK = "http://127.0.0.1:9/garden/callback"


class Desk:
    """A developer's browser, followed redirect by redirect; the phone lies beside it."""

    def __init__(self, world: World, http: httpx2.Client, person: Person) -> None:
        self.http = http
        self.person = person
        self.portal = f"{world.service.issuer}/portal"
        self.own = {"Origin": world.service.issuer, "Sec-Fetch-Site": "same-origin"}

    def send(self, path: str, page: str, **fields: str) -> httpx2.Response:
        """Send a form of a page, and follow where it leads."""
        html = self.http.get(self.portal + page).text
        found = re.search(r'name="proof" value="([0-9a-f]+)"', html)
        assert found is not None, html
        data = {"proof": found[1], **fields}
        return self.http.post(self.portal + path, data=data, headers=self.own)

    def sign_in(self, consent: httpx2.Response) -> httpx2.Response:
        """Scan the consent page, show the palm, approve, type the code; back to the portal."""
        found = re.search(r'id="phone-link" href="([^"]+)&amp;here"', consent.text)
        phone = self.person.phone
        assert found is not None and phone is not None, consent.text
        claimed = phone.claim(found[1])
        assert phone.show(claimed.login_id, self.person.palm).hint == "wait_approve"
        code = {"code": phone.reference.approve(claimed.login_id).confirmation_code}
        return self.http.post(f"{consent.url}/code", data=code, headers=self.own)


@pytest.fixture
def desk(world: World) -> Iterator[Desk]:
    """Give the desk of a developer who was invited on the command line, and has joined."""
    printed = world.service.run("portal", "invite", "--email", "ada@dev.example", "--json")
    with httpx2.Client(follow_redirects=True, timeout=60) as http:
        desk = Desk(world, http, world.person(ADA))
        invited = desk.send("/join", "/join", invitation=json.loads(printed)["link"])
        front = desk.sign_in(invited)
        assert "Your clients" in front.text, front.text
        yield desk


def test_a_developers_day(world: World, desk: Desk) -> None:
    """Register, let somebody sign in, rotate, try a login, read an error, remove."""
    made = desk.send(
        "/clients",
        "/clients/new",
        client_name="Garden App",
        redirect_uris=CALLBACK,
        offline_access="yes",
        token_endpoint_auth_method="client_secret_basic",
        confirm_code="never",
    )
    client_id, secret = element(made.text, "client-id"), element(made.text, "client-secret")
    page = f"/clients/{client_id}"
    party = RelyingParty(world.service.issuer, Registration(client_id, secret, CALLBACK))
    world.closing.callback(party.http.close)
    signed_in = world.log_in(world.person(BEN), party)

    rotated = desk.send(f"{page}/secret", page, overlap="24")
    renewed = element(rotated.text, "client-secret")
    new = RelyingParty(world.service.issuer, Registration(client_id, renewed, CALLBACK))
    world.closing.callback(new.http.close)
    errors = [each.exchange("no-such-code").json()["error"] for each in (party, new)]

    trial = desk.sign_in(desk.send("/trial", "/trial"))
    shown = desk.http.get(desk.portal + page).text
    desk.send(f"{page}/remove", f"{page}/remove", sure="yes")
    token = signed_in.tokens["access_token"]

    assert signed_in.claims["aud"] == client_id
    assert errors == ["invalid_grant", "invalid_grant"]
    assert "The login worked" in trial.text and "thenar-sandbox" in trial.text
    assert "invalid_grant" in shown[shown.index("<tbody>") :]
    assert party.userinfo(token).status_code == 401
    assert desk.http.get(desk.portal + page).status_code == 404


def test_no_log_holds_an_invitation(world: World) -> None:
    """The link's secret never reaches the server in an address."""
    printed = world.service.run("portal", "invite", "--email", "bo@dev.example", "--json")
    link = json.loads(printed)["link"]
    httpx2.get(link)

    assert link.partition("#")[2] not in world.service.log.read_text()
