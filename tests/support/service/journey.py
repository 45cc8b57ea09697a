"""People, browsers, phones and relying parties, walking through a real service.

The service is a separate process; everything here reaches it over HTTP.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, field
from typing import Any, Self

import httpx2

from engine.workbench.manifest import MANIFEST, manifest_rows
from mobile_api.demo.people import PEOPLE
from mobile_api.messages import LoginMessage
from tests.support.phone.reference import Phone
from tests.support.service.headless_browser import Browser, Callback
from tests.support.service.process import Service
from tests.support.service.relying_party import RelyingParty

ENROLMENT_SHOTS = 2
"""The number of pictures of each hand that enrol a person; the others answer logins."""


@dataclass(slots=True)
class Person:
    """A drawn person.

    Attributes:
        name: subject of the set.
        enrolment: pictures to enrol with, of both hands.
        shots: other pictures, in turn of both hands.
        phone: the phone the person enrolled with, once that is done.
    """

    name: str
    enrolment: list[bytes] = field(repr=False)
    shots: list[bytes] = field(repr=False)
    phone: Phone = field(init=False, repr=False)

    @property
    def palm(self) -> bytes:
        """A picture that was not used to enrol."""
        return self.shots[0]


def drawn_people() -> list[Person]:
    """Return the demo's people, the same to all journeys."""
    hands: dict[str, dict[str, list[bytes]]] = {}
    for row in manifest_rows(PEOPLE / MANIFEST):
        shots = hands.setdefault(row["subject"], {}).setdefault(row["hand"], [])
        shots.append((PEOPLE / row["path"]).read_bytes())
    return [
        Person(
            name,
            [shot for hand in sides.values() for shot in hand[:ENROLMENT_SHOTS]],
            [
                shot
                for pair in zip(
                    *(hand[ENROLMENT_SHOTS:] for hand in sides.values()), strict=False
                )
                for shot in pair
            ],
        )
        for name, sides in hands.items()
    ]


@dataclass(slots=True)
class World:
    """A running service, two relying parties, and people who may enrol.

    Attributes:
        service: where it runs.
        shop: a relying party.
        library: another one, registered with ``--no-external-user-id``.
        people: drawn people; enrolled at first use.
        transport: how everybody reaches the service; None for the network.
        running: ends the service when it is closed.
        closing: closes connections at the end.
    """

    service: Service
    shop: RelyingParty
    library: RelyingParty
    people: list[Person]
    transport: httpx2.BaseTransport | None = None
    running: ExitStack = field(default_factory=ExitStack, repr=False)
    closing: ExitStack = field(default_factory=ExitStack, repr=False)

    def person(self, number: int) -> Person:
        """Return an enrolled person."""
        person = self.people[number]
        if not hasattr(person, "phone"):
            person.phone = self.new_phone()
            person.phone.enrol(person.enrolment)
        return person

    def restart(self) -> None:
        """Stop the service and start it again."""
        self.running.close()
        self.running.enter_context(self.service.running())

    def in_database(self, statement: str) -> list[tuple[Any, ...]]:
        """Read or change the biometric database beside the service."""
        path = self.service.folder / "biometric.sqlite3"
        with closing(sqlite3.connect(path, timeout=60)) as database, database:
            return database.execute(statement).fetchall()

    def new_phone(self) -> Phone:
        """Return a registered phone without an account."""
        client = httpx2.Client(transport=self.transport, timeout=60)
        http = self.closing.enter_context(client)
        public_url = self.service.environment["THENAR_MOBILE_PUBLIC_URL"]
        return Phone.registered(f"{public_url}/mobile/v1", http)

    def begin(self, party: RelyingParty | None = None, **parameters: str | None) -> Login:
        """Open a browser at a relying party and follow it to the consent page."""
        return Login(self, party or self.shop, parameters)

    def visit(self, party: RelyingParty | None = None, **parameters: str | None) -> Any:
        """Open an authorization request and return where the browser ends up."""
        party = party or self.shop
        with Browser(party.registration.redirect_uri, transport=self.transport) as browser:
            return browser.visit(party.authorization_url(**parameters))

    def callback(
        self, person: Person, party: RelyingParty | None = None, **parameters: str | None
    ) -> Callback:
        """Let an enrolled person log in; return the callback."""
        with self.begin(party, **parameters) as login:
            login.answer(person)
            return login.finish()

    def log_in(
        self, person: Person, party: RelyingParty | None = None, **parameters: str | None
    ) -> SignedIn:
        """Let an enrolled person log in; return the tokens."""
        with self.begin(party, **parameters) as login:
            login.answer(person)
            return login.redeem()


Serve = Callable[..., AbstractContextManager[World]]
"""Starts a service of one's own: settings in, a world out."""


@dataclass(slots=True)
class SignedIn:
    """The relying party's answer and tokens after a login."""

    party: RelyingParty
    answer: httpx2.Response

    @property
    def tokens(self) -> dict[str, Any]:
        """The token response."""
        body: dict[str, Any] = self.answer.json()
        return body

    @property
    def claims(self) -> dict[str, Any]:
        """Claims of the ID token, its signature verified."""
        return dict(self.party.read_token(self.tokens["id_token"]).claims)

    @property
    def subject(self) -> str:
        """The subject: the person as this relying party knows them."""
        return str(self.claims["sub"])


class Login:
    """One login in the making: a browser on the consent page."""

    def __init__(
        self, world: World, party: RelyingParty, parameters: dict[str, str | None]
    ) -> None:
        self.party = party
        self.browser = Browser(party.registration.redirect_uri, transport=world.transport)
        self.page = self.browser.open_page(party.authorization_url(**parameters))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.browser.http.close()

    @property
    def link(self) -> str:
        """The link behind the QR code."""
        return self.page.address("phone-link", "href")

    @property
    def hint(self) -> str:
        """The hint that the page shows now."""
        return self.browser.state(self.page)["hint"]

    def claim(self, phone: Phone) -> LoginMessage:
        """Scan the QR code with a phone."""
        return phone.scan(self.link)

    def answer(self, person: Person, *, phone: Phone | None = None) -> None:
        """Scan, show the palm and approve."""
        assert (phone or person.phone).sign_in(self.link, person.palm).hint == "go"

    def finish(self) -> Callback:
        """Press *continue*."""
        return self.browser.finish(self.page)

    def redeem(self) -> SignedIn:
        """Press *continue*, and exchange the code."""
        answer = self.party.exchange(self.finish().parameters["code"])
        assert answer.status_code == 200, answer.text
        return SignedIn(self.party, answer)
