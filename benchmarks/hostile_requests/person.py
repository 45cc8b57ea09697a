"""A person with a phone and a browser, also a developer, who sends valid requests.

Everything is real: device key, enrolled palm, login, browser session, invitation to the portal.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import time
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import httpx2
from joserfc import jwt

from benchmarks.harness.browser import Browser, Callback
from benchmarks.harness.relying_party import RelyingParty
from benchmarks.hostile_requests.installation import REDIRECT_URI
from benchmarks.hostile_requests.random_palm import RandomPalm
from engine.template_codec import encode_template
from mobile_api.reference_phone.client import ReferencePhone, new_key, parse_link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from joserfc.jwk import ECKey

    from benchmarks.harness.html_page import Page
    from benchmarks.hostile_requests.installation import Installation
    from benchmarks.hostile_requests.planted_secrets import PlantedSecrets
    from benchmarks.hostile_requests.raw_http import Response

VERIFIER: Final = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE: Final = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
"""Example of RFC 7636, appendix B."""

_SCOPE: Final = "openid offline_access"
_SAMPLES: Final = 2
_LOOKS: Final = 16
_FEW_USES: Final = 4
_UNLIMITED: Final = 1_000_000
"""How often an object is used before a new one is made."""

_TICKET_ID_LENGTH: Final = 22
"""Characters of a ticket that identify its login; they are not secret."""

_PROOF: Final = re.compile(r'name="proof" value="([0-9a-f]+)"')
_OWN_CLIENT: Final = re.compile(r'/portal/clients/([0-9a-f-]{16,})"')


_SEEN: Final = re.compile(rb'"(handle|palm_proof|recovery_code)":"([^"]+)"')

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """A login that waits for a palm."""

    page: Page
    login_id: str
    ticket: str = field(repr=False)


@dataclass(slots=True)
class ReuseCache:
    """Objects that cost requests to make; each is used several times."""

    _things: dict[str, tuple[Any, int]] = field(default_factory=dict, repr=False)

    def get(self, name: str, make: Callable[[], T], times: int) -> T:
        """Return the named object; make a new one after ``times`` uses."""
        thing, left = self._things.get(name, (None, 0))
        if left == 0:
            thing, left = make(), times
        self._things[name] = thing, left - 1
        kept: T = thing
        return kept


@dataclass(slots=True)
class Person:
    """A person with phone, browser and tokens.

    Attributes:
        planted: collects the secrets that must not leak.
        template: of the left palm, encoded.
        seen: what responses named last: a handle, a palm's proof, a recovery code.
    """

    installation: Installation
    planted: PlantedSecrets
    key: ECKey = field(default_factory=new_key, repr=False)
    template: bytes = field(default=b"", repr=False)
    tokens: dict[str, Any] = field(default_factory=dict, repr=False)
    seen: dict[str, str] = field(default_factory=dict, repr=False)
    http: httpx2.Client = field(default_factory=lambda: httpx2.Client(timeout=60))
    _party: RelyingParty = field(init=False)
    _phone: ReferencePhone = field(init=False)
    _looks: Iterator[bytes] = field(init=False, repr=False)
    _reused: ReuseCache = field(default_factory=lambda: ReuseCache(), repr=False)
    _nonces: list[str] = field(default_factory=list, repr=False)
    _browser: Browser = field(default_factory=lambda: Browser(REDIRECT_URI))

    def __post_init__(self) -> None:
        self._party = RelyingParty(self.installation.service.issuer, self.installation.shop)
        self._phone = ReferencePhone(f"{self.address}/mobile/v1", self.key, self.http)

    def __enter__(self) -> Self:
        self.planted.add("device key", str(self.key.as_dict(private=True)["d"]))
        self._enrol()
        self.tokens = self._sign_in()
        self._join_portal()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.http.close()
        self._party.http.close()
        self._browser.http.close()

    @property
    def address(self) -> str:
        """Base address of the service."""
        return self.installation.service.local_url

    @property
    def same_origin_headers(self) -> dict[str, str]:
        """Headers of a form from the service's own page."""
        return {"Origin": self.address, "Sec-Fetch-Site": "same-origin"}

    @property
    def cookies(self) -> str:
        """The browser's cookies as a header value."""
        return "; ".join(f"{each.name}={each.value}" for each in self._browser.http.cookies.jar)

    @property
    def form_proof(self) -> str:
        """CSRF proof for the portal's forms."""
        return self._reused.get("proof", self._read_proof, _UNLIMITED)

    @property
    def portal_client(self) -> str:
        """Client that this developer registered; the shop if there is none."""
        return self._reused.get("client", self._find_client, _FEW_USES)

    def login(self) -> PendingLogin:
        """Return a pending login; other requests may have changed it."""
        return self._reused.get("login", self._open_login, _FEW_USES)

    def claimed(self) -> str:
        """Return the id of a login that this phone has claimed."""
        return self._reused.get("claimed", self._claim, _FEW_USES)

    def enrolment(self) -> str:
        """Return the id of an open enrolment."""
        return self._reused.get("enrolment", self._begin_enrolment, _FEW_USES)

    def registration(self) -> tuple[str, str]:
        """Register a client; return its id and its registration access token."""
        given = self.http.post(
            f"{self.address}/register",
            json={"redirect_uris": ["https://garden.example/back"]},
            headers={"Authorization": f"Bearer {self.installation.initial_token}"},
        ).json()
        token = str(given["registration_access_token"])
        self.planted.add("registration_access_token", token)
        self.planted.add("client_secret", str(given["client_secret"]))
        return str(given["client_id"]), token

    def consent(self) -> Any:  # noqa: ANN401 - a message of the phone
        """Return the consent text."""
        return self._reused.get("consent", self._phone.consent, _UNLIMITED)

    def code(self) -> str:
        """Log in by session, or by palm if it has ended; return the code."""
        code = self._code_without_palm()
        if code is None:
            self._sign_in()
            code = self._code_without_palm() or "gone"
        self.planted.add("code", code)
        return code

    def refresh_token(self) -> str:
        """Return an unused refresh token."""
        given = self._party.exchange(self.code(), code_verifier=VERIFIER)
        token = str(given.json().get("refresh_token", "gone"))
        self.planted.add("refresh_token", token)
        return token

    def nonce(self) -> str:
        """Return a nonce for the phone's proof: from the last response, or requested."""
        if self._nonces:
            return self._nonces.pop()
        answer = self.http.get(f"{self.address}/mobile/v1/nonce")
        nonce: str = answer.headers["DPoP-Nonce"]
        self.planted.add("nonce", nonce)
        return nonce

    def handle_response(self, answer: Response) -> None:
        """Use the response's nonce for the next proof, and collect its secrets."""
        found = _SEEN.findall(answer.body)
        self.seen.update((name.decode(), value.decode("latin-1")) for name, value in found)
        self._nonces[:] = answer.header("DPoP-Nonce")[:1]
        self.planted.collect(answer)

    def signed(
        self,
        key: ECKey,
        header: Mapping[str, object],
        claims: Mapping[str, object],
        overrides: Mapping[str, object],
    ) -> str:
        """Return a JWT with some claims overridden, and record it as a secret."""
        said = dict(claims) | dict(overrides)
        token = jwt.encode(dict(header), said, key, algorithms=["ES256"])
        self.planted.add("proof", token)
        return token

    def proof_of(
        self, method: str, path: str, body: bytes, overrides: Mapping[str, object]
    ) -> str:
        """Return the phone's proof for one request. RFC 9449 §4.2."""
        header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": self.key.as_dict(private=False)}
        digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=")
        claims = {
            "jti": secrets.token_urlsafe(16),
            "htm": method,
            "htu": self.address + path,
            "iat": now_s(),
            "nonce": self.nonce(),
            "bh": digest.decode(),
        }
        return self.signed(self.key, header, claims, overrides)

    def _read_proof(self) -> str:
        found = _PROOF.search(self._browser.http.get(f"{self.address}/portal/join").text)
        return found[1] if found else ""

    def _find_client(self) -> str:
        found = _OWN_CLIENT.findall(self._browser.http.get(f"{self.address}/portal").text)
        return found[-1] if found else self.installation.shop.client_id

    def _open_login(self) -> PendingLogin:
        asked = self._party.authorization_url(prompt="login", scope=_SCOPE)
        page = self._browser.open_page(asked)
        self._plant_cookies()
        ticket = parse_link(page.address("phone-link", "href")).ticket
        self.planted.add("ticket", ticket[_TICKET_ID_LENGTH:])
        return PendingLogin(page, page.url.rpartition("/")[2], ticket)

    def _claim(self) -> str:
        return self._phone.claim(self._open_login().ticket).login_id

    def _begin_enrolment(self) -> str:
        return self._phone.open_enrolment(self.consent()).enrolment_id

    def _code_without_palm(self) -> str | None:
        asked = self._party.authorization_url(
            scope=_SCOPE, code_challenge=CHALLENGE, code_challenge_method="S256"
        )
        back = self._browser.visit(asked)
        return back.parameters.get("code") if isinstance(back, Callback) else None

    def _enrol(self) -> None:
        phone = self._phone
        phone.register("Requests")
        enrolment_id = phone.open_enrolment(phone.consent()).enrolment_id
        palm = RandomPalm()
        samples = [palm.sample() for _ in range(_LOOKS)]
        for sample in samples:
            self.planted.add("template", sample.vector.tobytes())
            self.planted.add("template", sample.code.tobytes())
        self._looks = cycle([encode_template(sample) for sample in samples])
        for _ in range(_SAMPLES):
            phone.add_template(enrolment_id, self.another_template())
        phone.finish_enrolment(enrolment_id)
        self.template = self.another_template()

    def another_template(self) -> bytes:
        """Return a template of another look at the palm: an enrolment takes each once."""
        return next(self._looks)

    def _sign_in(self) -> dict[str, Any]:
        opened = self._open_login()
        self._answer(opened.ticket)
        back = self._browser.finish(opened.page)
        self._plant_cookies()
        answer = self._party.exchange(back.parameters["code"])
        body: dict[str, Any] = answer.raise_for_status().json()
        for name in ("access_token", "id_token"):
            self.planted.add(name, body[name])
        return body

    def _answer(self, ticket: str) -> str:
        """Approve a login; return the code that the phone shows, empty if none."""
        phone = self._phone
        login = phone.claim(ticket)
        phone.answer_template(login.login_id, self.template)
        return phone.approve(login.login_id).confirmation_code or ""

    def _join_portal(self) -> None:
        invitation = self.installation.invite(secrets.token_hex(4))
        self.planted.add("invitation", invitation)
        fields = {"proof": self._read_proof(), "invitation": invitation}
        sent = self._browser.http.post(
            f"{self.address}/portal/join", data=fields, headers=self.same_origin_headers
        )
        page = self._browser.open_page(sent.headers["location"])
        ticket = parse_link(page.address("phone-link", "href")).ticket
        self._browser.submit(page, "code-form", code=self._answer(ticket))
        self._plant_cookies()
        wanted = {
            "proof": self.form_proof,
            "client_name": "First",
            "redirect_uris": REDIRECT_URI,
        }
        self._browser.http.post(
            f"{self.address}/portal/clients", data=wanted, headers=self.same_origin_headers
        )

    def _plant_cookies(self) -> None:
        for each in self._browser.http.cookies.jar:
            if each.value:
                self.planted.add("cookie", each.value)


def now_s() -> int:
    """Return the current time in seconds since 1970."""
    return int(time.time())  # noqa: TID251 -- the service uses the real clock, too
