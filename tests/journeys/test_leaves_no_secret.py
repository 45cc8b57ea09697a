"""Whole flows with secrets planted everywhere; then all that the process wrote is searched.

Its standard output, its standard error, its access log and its databases, for every
secret, raw or encoded: what was issued, what was guessed, what a palm became.
"""

import secrets
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx2
import pytest

from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.template_codec import encode_template
from mobile_api.messages import TEMPLATE_TYPE
from tests.support.secret_search import found_in
from tests.support.service.journey import Serve, World
from tests.support.service.relying_party import RelyingParty

ADA = 0

KEPT_AS_DIGEST = (
    *("client_secret", "ticket", "code", "access_token 0", "refresh_token 0", "id_token 0"),
    *("access_token 1", "refresh_token 1", "id_token 1", "picture", "template"),
)
"""What no database holds in the clear; the picture and its template not at all or encrypted."""


@dataclass
class Watched:
    """A service whose every word is kept.

    Attributes:
        world: people, browsers, phones.
        secrets: what must not be found, by name.
    """

    world: World
    secrets: dict[str, str | bytes] = field(default_factory=dict)

    def plant(self, name: str) -> str:
        """Return a new secret that must not be found."""
        secret = f"{name}-{secrets.token_urlsafe(24)}"
        self.secrets[name] = secret
        return secret

    def keep(self, **known: str | bytes) -> None:
        """Let a secret that was issued not be found."""
        self.secrets.update(known)

    def guess(self, path: str, **fields: str) -> None:
        """Send a form; whatever it is answered with, it is no fault of the service."""
        answer = httpx2.post(f"{self.world.service.local_url}{path}", data=fields, timeout=30)
        assert answer.status_code < 500


@pytest.fixture(scope="module")
def watched(serve: Serve) -> Iterator[Watched]:
    """Give a service that logs as JSON."""
    with serve(
        THENAR_MOBILE_LOG_FORMAT="json", THENAR_MOBILE_TEMPLATE_TRUST="any_device"
    ) as world:
        yield Watched(world)


def _sign_in(watched: Watched) -> None:
    """Sign in with a template, refresh, ask, revoke."""
    world, shop = watched.world, watched.world.shop
    person = world.person(ADA)
    watched.keep(picture=person.palm, client_secret=shop.registration.client_secret)
    state, nonce, hint = map(watched.plant, ("state", "nonce", "login_hint"))
    with world.begin(
        scope="openid offline_access", state=state, nonce=nonce, login_hint=hint
    ) as login:
        ticket = login.link.partition("#")[2].removesuffix("&here")
        claimed = person.phone.scan(login.link)
        template = encode_template(
            load_pipeline(EngineSettings()).extract(person.palm).template
        )
        watched.keep(ticket=ticket, login_id=claimed.login_id, template=template)
        person.phone.answer_template(claimed.login_id, template)
        person.phone.approve(claimed.login_id)
        cookies = {cookie.name: cookie.value or "" for cookie in login.browser.http.cookies.jar}
        watched.keep(**{f"cookie {name}": value for name, value in cookies.items()})
        code = login.finish().parameters["code"]
    first = shop.exchange(code).json()
    second = shop.refresh(first["refresh_token"]).json()
    shop.userinfo(second["access_token"])
    _end(shop, second)
    subject = str(shop.read_token(first["id_token"]).claims["sub"])
    watched.keep(code=code, subject=subject)
    for number, tokens in enumerate((first, second)):
        for kind in ("access_token", "refresh_token", "id_token"):
            watched.keep(**{f"{kind} {number}": tokens[kind]})


def _end(shop: RelyingParty, tokens: dict[str, str]) -> None:
    proof = {
        "client_id": shop.registration.client_id,
        "client_secret": shop.registration.client_secret,
    }
    for endpoint in ("introspection_endpoint", "revocation_endpoint"):
        form = {**proof, "token": tokens["refresh_token"]}
        assert shop.http.post(shop.discovery[endpoint], data=form).status_code == 200


def _guess(watched: Watched) -> None:
    """Try what attackers try, with values that would show."""
    client_id = watched.world.shop.registration.client_id
    known = {"client_id": client_id, "client_secret": watched.plant("guessed secret")}
    watched.guess("/token", grant_type="authorization_code", code=watched.plant("c"), **known)
    watched.guess("/token", grant_type="refresh_token", refresh_token=watched.plant("r"))
    watched.guess("/revoke", token=watched.plant("revoked"), **known)
    watched.guess("/introspect", token=watched.plant("introspected"), **known)
    watched.guess("/par", state=watched.plant("pushed"), **known)
    watched.guess(f"/{watched.plant('path')}")
    watched.guess(f"/oauth/consent/{watched.plant('login')}/continue")
    local = watched.world.service.local_url
    for name in ("Authorization", "DPoP", "Cookie", "X-Request-Id", "traceparent", "Host"):
        headers = {name: watched.plant(f"header {name}").replace(" ", "-")}
        if name == "Authorization":
            headers[name] = f"Bearer {headers[name]}"
        for path in ("/userinfo", f"/oauth/authorize?user_id={watched.plant('user_id')}"):
            httpx2.get(f"{local}{path}", headers=headers, timeout=30)
    _talk_nonsense(watched)


def _talk_nonsense(watched: Watched) -> None:
    """Send what is no HTTP, and an unknown method."""
    place = urlsplit(watched.world.service.local_url)
    for start in (f"GET /{watched.plant('broken')} HTTP/9", f"{watched.plant('m')} / HTTP/1.1"):
        with socket.create_connection((place.hostname, place.port or 80), timeout=10) as line:
            line.sendall(f"{start}\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            line.recv(4096)


def _send_bad_palms(watched: Watched) -> None:
    """Send templates and pictures that are none, from a registered phone."""
    phone = watched.world.new_phone()
    phone.register(watched.plant("phone"))
    with watched.world.begin() as login:
        path = f"/logins/{phone.scan(login.link).login_id}"
        for name, kind in (("template", TEMPLATE_TYPE), ("palm", "image/jpeg")):
            noise = secrets.token_bytes(600)
            watched.keep(**{f"bad {name}": noise})
            answer = phone.send("PUT", f"{path}/{name}", b"THNR" + noise, kind)
            assert answer.status_code == 422


def test_nothing_secret_is_written_however_it_is_encoded(watched: Watched) -> None:
    """Good days, guesses, nonsense and bad palms; then every word is looked at."""
    _sign_in(watched)
    _guess(watched)
    _send_bad_palms(watched)
    watched.world.restart()  # writes the last lines
    written = watched.world.service.log.read_text()
    kept = _databases(watched)

    assert len(watched.secrets) > 35
    assert "Traceback" not in written
    assert found_in(written, watched.secrets) == []
    assert found_in(kept, {name: watched.secrets[name] for name in KEPT_AS_DIGEST}) == []
    assert [head for head in ("\xff\xd8\xff", "\x89PNG", "WEBP") if head in kept] == []


def _databases(watched: Watched) -> str:
    folder = watched.world.service.folder
    files = [file for file in folder.iterdir() if "sqlite3" in file.name]
    return b"".join(file.read_bytes() for file in files).decode("latin-1")
