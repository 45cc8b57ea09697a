"""One person with a phone and a browser, a developer too: whoever sends valid requests.

Everything is real: a device key, a palm enrolled by its template, a login at a client, a
session of the browser, a developer who joined by invitation. The requests of ``honest`` are
made of it.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

import httpx2
import numpy as np
from joserfc import jwt

from benchmarks.hostile.scene import REDIRECT_URI
from benchmarks.load.browser import Browser
from benchmarks.load.relying_party import RelyingParty
from engine.codes import pack_code
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS, TEMPLATE_SIZES
from engine.template_codec import encode_template
from engine.types import ExtractorId, Hand, PalmTemplate
from mobile_api.errors import PhoneRefused
from mobile_api.phone import ReferencePhone, new_key, parse_link

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from joserfc.jwk import ECKey

    from benchmarks.hostile.planted import Planted
    from benchmarks.hostile.scene import Scene
    from benchmarks.load.page import Page

VERIFIER: Final = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE: Final = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
"""The pair of RFC 7636, appendix B."""

_SAMPLES: Final = 2
_TICKET_NAME: Final = 22
"""Characters of a ticket that name its login, which is no secret."""

_PROOF: Final = re.compile(r'name="proof" value="([0-9a-f]+)"')
_OWN_CLIENT: Final = re.compile(r'/portal/clients/([0-9a-f-]{16,})"')
_RANDOM: Final = np.random.default_rng()


@dataclass(slots=True)
class Person:
    """A person, and all that this person has.

    Attributes:
        scene: where.
        planted: what may not be found anywhere.
        key: of the phone.
        template: of the left palm, as the phone sends it.
        tokens: a token response of the shop.
        http: how the phone travels.
    """

    scene: Scene
    planted: Planted
    key: ECKey = field(default_factory=new_key, repr=False)
    template: bytes = field(default=b"", repr=False)
    tokens: dict[str, Any] = field(default_factory=dict, repr=False)
    http: httpx2.Client = field(default_factory=lambda: httpx2.Client(timeout=60))
    _party: RelyingParty = field(init=False)
    _browser: Browser = field(default_factory=lambda: Browser(REDIRECT_URI))

    def __post_init__(self) -> None:
        self._party = RelyingParty(self.scene.service.issuer, self.scene.shop)

    def __enter__(self) -> Self:
        self.planted.plant("device key", str(self.key.as_dict(private=True)["d"]))
        self._enrol()
        self.tokens = self._sign_in()
        self._join()
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
        """Where the service is."""
        return self.scene.service.local_url

    @property
    def own(self) -> dict[str, str]:
        """Headers of a form that comes from a page of the service."""
        return {"Origin": self.address, "Sec-Fetch-Site": "same-origin"}

    @property
    def cookies(self) -> str:
        """The browser's cookies, as a header."""
        return "; ".join(f"{each.name}={each.value}" for each in self._browser.http.cookies.jar)

    @property
    def proof(self) -> str:
        """What the forms of the portal must carry."""
        found = _PROOF.search(self._browser.http.get(f"{self.address}/portal/join").text)
        return found[1] if found else ""

    @property
    def own_client(self) -> str:
        """A client that this developer registered; the shop if there is none."""
        found = _OWN_CLIENT.findall(self._browser.http.get(f"{self.address}/portal").text)
        return found[-1] if found else self.scene.shop.client_id

    def open_login(self) -> tuple[Page, str, str]:
        """Begin a login; return its page, the login's name, and its ticket."""
        asked = self._party.authorization_url(prompt="login", scope="openid offline_access")
        page = self._browser.open_page(asked)
        self._plant_cookies()
        ticket = parse_link(page.address("phone-link", "href")).ticket
        self.planted.plant("ticket", ticket[_TICKET_NAME:])
        return page, page.url.rpartition("/")[2], ticket

    def code(self) -> str:
        """Sign in with the session of the browser; return the code."""
        asked = self._party.authorization_url(
            scope="openid offline_access",
            code_challenge=CHALLENGE,
            code_challenge_method="S256",
        )
        back = self._browser.visit(asked)
        code: str = getattr(back, "parameters", {}).get("code", "gone")
        self.planted.plant("code", code)
        return code

    def refresh_token(self) -> str:
        """Return a refresh token that nobody has used."""
        given = self._party.exchange(self.code(), code_verifier=VERIFIER)
        token = str(given.json().get("refresh_token", "gone"))
        self.planted.plant("refresh_token", token)
        return token

    def registration(self) -> tuple[str, str]:
        """Register a client; return its name and the token that manages it."""
        wanted = {"redirect_uris": ["https://garden.example/back"]}
        given = self.http.post(
            f"{self.address}/register",
            json=wanted,
            headers={"Authorization": f"Bearer {self.scene.initial_token}"},
        ).json()
        token = str(given["registration_access_token"])
        self.planted.plant("registration_access_token", token)
        self.planted.plant("client_secret", str(given["client_secret"]))
        return str(given["client_id"]), token

    def enrolment(self) -> str:
        """Begin an enrolment; return its name."""
        phone = self.phone()
        return phone.open_enrolment(phone.consent()).enrolment_id

    def claimed(self) -> str:
        """Begin a login and scan it; return its name."""
        return self.phone().claim(self.open_login()[2]).login_id

    def phone(self) -> ReferencePhone:
        """Return the phone."""
        return ReferencePhone(f"{self.address}/mobile/v1", self.key, self.http)

    def nonce(self) -> str:
        """Return a nonce for a proof of the phone."""
        answer = self.http.get(f"{self.address}/mobile/v1/nonce")
        nonce: str = answer.headers["DPoP-Nonce"]
        self.planted.plant("nonce", nonce)
        return nonce

    def signed(
        self,
        key: ECKey,
        header: Mapping[str, object],
        claims: Mapping[str, object],
        twist: Mapping[str, object],
    ) -> str:
        """Return a JWT signed by a key, some of its claims twisted; a secret from now on."""
        said = dict(claims) | dict(twist)
        token = jwt.encode(dict(header), said, key, algorithms=["ES256"])
        self.planted.plant("proof", token)
        return token

    def proof_of(self, method: str, path: str, body: bytes, twist: Mapping[str, object]) -> str:
        """Return a proof of the phone for one request. RFC 9449 §4.2."""
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
        return self.signed(self.key, header, claims, twist)

    def _enrol(self) -> None:
        """Enrol both palms; whichever extractor the service has."""
        phone = self.phone()
        phone.register("Requests")
        for extractor in TEMPLATE_SIZES:
            try:
                self._enrol_by(phone, extractor)
            except PhoneRefused as refusal:
                if refusal.error != "extractor_mismatch":
                    raise
            else:
                return

    def _enrol_by(self, phone: ReferencePhone, extractor: str) -> None:
        enrolment_id = phone.open_enrolment(phone.consent()).enrolment_id
        palm = drawn_template(extractor, Hand.LEFT)
        self.template = encode_template(palm)
        for _ in range(_SAMPLES):
            phone.add_template(enrolment_id, self.template)
        phone.finish_enrolment(enrolment_id)
        self.planted.plant("template", palm.vector.tobytes())
        self.planted.plant("template", palm.code.tobytes())

    def _sign_in(self) -> dict[str, Any]:
        """Go the whole way once; return the tokens."""
        page, _, ticket = self.open_login()
        self._answer(page, ticket)
        back = self._browser.finish(page)
        self._plant_cookies()
        answer = self._party.exchange(back.parameters["code"])
        body: dict[str, Any] = answer.raise_for_status().json()
        for name in ("access_token", "id_token"):
            self.planted.plant(name, body[name])
        return body

    def _answer(self, page: Page, ticket: str) -> None:
        """Scan, show the palm, say yes."""
        phone = self.phone()
        login = phone.claim(ticket)
        phone.answer_template(login.login_id, self.template)
        phone.approve(login.login_id)

    def _join(self) -> None:
        """Join the portal as a developer."""
        invitation = self.scene.invite(secrets.token_hex(4))
        self.planted.plant("invitation", invitation)
        fields = {"proof": self.proof, "invitation": invitation}
        sent = self._browser.http.post(
            f"{self.address}/portal/join", data=fields, headers=self.own
        )
        page = self._browser.open_page(sent.headers["location"])
        ticket = parse_link(page.address("phone-link", "href")).ticket
        self._answer(page, ticket)
        self._browser.submit(page, "continue")
        self._plant_cookies()

    def _plant_cookies(self) -> None:
        for each in self._browser.http.cookies.jar:
            if each.value:
                self.planted.plant("cookie", each.value)


def now_s() -> int:
    """Return the real time, as proofs carry it: seconds since 1970."""
    return int(time.time())  # noqa: TID251 -- the service has the real time, too


def drawn_template(extractor: str, hand: Hand) -> PalmTemplate:
    """Return a template of a palm that nobody has."""
    size, _ = TEMPLATE_SIZES[extractor]
    vector = _RANDOM.standard_normal(size)
    unit = (vector / np.linalg.norm(vector)).astype(np.float32)
    shape = CODE_CELLS, CODE_CELLS
    code = pack_code(_RANDOM.integers(0, CODE_DIRECTIONS, shape), np.ones(shape, bool))
    return PalmTemplate(ExtractorId(extractor), hand, unit, code)
