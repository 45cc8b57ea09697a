"""People who sign in at two apps, again and again, and know what they were promised."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

import httpx2

from benchmarks.datasets.manifest import read_palm_set
from benchmarks.datasets.templates import labelled_templates
from benchmarks.harness.browser import Browser, UnexpectedPage
from benchmarks.harness.relying_party import RelyingParty
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.template_codec import encode_template
from mobile_api.errors import PhoneError
from mobile_api.reference_phone.client import ReferencePhone, new_key, parse_link

PICTURES: Final = 4
"""Of each palm; the last one signs in, the others enrol."""

STAYS: Final = 10
"""Visits after which a person disconnects all apps."""

PATIENCE: Final = 400
"""Tries of one request, 20 s."""


class Wrong(Exception):
    """An answer that must never be, or something acknowledged that is gone."""


class Proxy(httpx2.BaseTransport):
    """Carries each request to the next of several processes.

    What none takes, or is answered 503, is sent again; what was torn, unless it is a POST.
    """

    def __init__(self, ports: Sequence[int]) -> None:
        self.ports, self.repeated = ports, Counter[str]()
        self._turns, self._inner = count(), httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Pass a request on, patiently."""
        body = request.read()
        for _ in range(PATIENCE):
            url = request.url.copy_with(port=self.ports[next(self._turns) % len(self.ports)])
            copy = httpx2.Request(request.method, url, headers=request.headers, content=body)
            try:
                answer = self._inner.handle_request(copy)
                answer.read()
                if answer.status_code != 503:
                    return answer
                self.repeated["503"] += 1
            except httpx2.TransportError as fault:
                self.repeated[type(fault).__name__] += 1
                if request.method == "POST" and not isinstance(fault, httpx2.ConnectError):
                    raise httpx2.ReadError(f"torn: {url.path.rpartition('/')[2]}") from fault
            time.sleep(0.05)
        raise httpx2.ReadError("nobody answers")

    def close(self) -> None:
        """Do nothing: all share it."""


@dataclass(slots=True)
class Person:
    """A person with a phone, and what was acknowledged.

    Attributes:
        subjects: at each app; ``tokens``: the newest refresh token there.
        former: subjects of connections that ended; ``ended``: their tokens.
    """

    apps: Sequence[RelyingParty]
    proxy: Proxy
    phone: ReferencePhone
    templates: list[bytes] = field(repr=False)
    picture: Path = field(repr=False)
    visits: int = 0
    enrolled: bool = False
    subjects: dict[int, str] = field(default_factory=dict, repr=False)
    tokens: dict[int, str] = field(default_factory=dict, repr=False)
    former: set[tuple[int, str]] = field(default_factory=set, repr=False)
    ended: set[tuple[int, str]] = field(default_factory=set, repr=False)

    def visit(self) -> None:
        """Use the last refresh token of an app, sign in there, sometimes disconnect all."""
        if not self.enrolled:
            self.phone.register("Soak")
            enrolment = self.phone.open_enrolment(self.phone.consent()).enrolment_id
            for each in self.templates[:-1]:
                self.phone.add_template(enrolment, each)
            self.phone.finish_enrolment(enrolment)
            self.enrolled = True
        self.visits += 1
        app = self.visits % len(self.apps)
        if token := self.tokens.pop(app, None):
            self._keep(app, self.apps[app].refresh(token))
        self._sign_in(app)
        if self.visits % STAYS == 0:
            self._disconnect()

    def _sign_in(self, app: int) -> None:
        party = self.apps[app]
        asked = party.authorization_url(scope="openid offline_access")
        with Browser(party.registration.redirect_uri, transport=self.proxy) as browser:
            page = browser.open_page(asked)
            ticket = parse_link(page.address("phone-link", "href")).ticket
            login = self.phone.claim(ticket).login_id
            hint = self.phone.answer_template(login, self.templates[-1]).hint
            if hint != "wait_approve":
                raise Wrong(f"an enrolled palm: {hint}")
            self.phone.approve(login)
            code = browser.finish(page).parameters["code"]
        self._keep(app, party.exchange(code))

    def _keep(self, app: int, answer: httpx2.Response) -> None:
        if answer.status_code != httpx2.codes.OK:
            raise Wrong(f"tokens: {answer.status_code} {answer.text}")
        tokens, party = answer.json(), self.apps[app]
        told = party.userinfo(tokens["access_token"]).raise_for_status().json()["sub"]
        subject = str(party.read_token(tokens["id_token"]).claims["sub"])
        expected = self.subjects.setdefault(app, subject)
        if {told, subject} != {expected} or (app, subject) in self.former:
            raise Wrong("somebody else's subject")
        self.tokens[app] = tokens["refresh_token"]

    def _disconnect(self) -> None:
        former, self.subjects = self.subjects, {}
        ended, self.tokens = self.tokens, {}
        found = self.phone.connections(self.picture.read_bytes())
        for each in found.connections:
            self.phone.withdraw(each.handle, found.palm_proof)
        self.former |= former.items()
        self.ended |= ended.items()

    def end(self) -> str:
        """Visit; return how that ended."""
        try:
            self.visit()
        except (Wrong, UnexpectedPage, PhoneError, httpx2.HTTPError) as fault:
            return f"{type(fault).__name__}: {fault}"
        return "right"

    def still_alive(self) -> int:
        """Count refresh tokens that work after the app was disconnected."""
        return sum(self.apps[app].refresh(token).is_success for app, token in self.ended)


def enter(data: Path, apps: Sequence[RelyingParty], proxy: Proxy) -> Iterator[Person]:
    """Give a phone to the owner of each palm of a set."""
    palms, http = read_palm_set(data), httpx2.Client(transport=proxy)
    made = labelled_templates(palms, load_pipeline(EngineSettings()), PICTURES)
    for name, pictures in palms.by_identity().items():
        own = [encode_template(each.template) for each in made if each.identity == name]
        if len(own) == PICTURES:
            phone = ReferencePhone(f"{apps[0].issuer}/mobile/v1", new_key(), http)
            yield Person(apps, proxy, phone, own, pictures[-1].path)
