"""Time each step of a login over HTTP, from a picture to a subject.

A relying party opens a login in a browser; a phone claims it, sends a palm and approves; the
relying party gets tokens.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx2

from benchmarks.console import BenchmarkFault
from mobile_api.errors import PhoneRefused
from mobile_api.reference_phone.client import ReferencePhone, new_key, parse_link
from tests.support.service.headless_browser import Browser
from tests.support.service.html_page import Page
from tests.support.service.relying_party import RelyingParty

ACQUISITION_FAILURES: Final = frozenset(
    {
        "back_of_hand",
        "body_too_large",
        "palm_not_found",
        "quality_too_low",
        "sample_too_large",
        "sample_unreadable",
    }
)
"""Error codes for pictures that give no template. They count into FTA (ISO/IEC 19795-1)."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A match: the relying party received this subject."""

    subject: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NotMatched:
    """A non-match."""


@dataclass(frozen=True, slots=True)
class NotAcquired:
    """No picture of the attempt gave a template.

    Attributes:
        reason: error code, and the quality check that failed, if any.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Disputed:
    """The palm matched, but two people claim it: it opens nothing here."""


LoginOutcome = SignedIn | NotMatched | NotAcquired | Disputed


@dataclass(slots=True)
class Enrolment:
    """Result of enrolling one palm.

    Attributes:
        refused: reason of each refused picture.
        fault: why the palm could not be enrolled, or None.
    """

    phone: ReferencePhone | None = None
    samples: list[Path] = field(default_factory=list, repr=False)
    refused: list[str] = field(default_factory=list)
    fault: str | None = None

    @property
    def used(self) -> int:
        """The number of first pictures that enrolment used, refused ones included."""
        return len(self.samples) + len(self.refused)


class LoginFlow:
    """Drives one relying party and one mobile API and times each step."""

    def __init__(self, api: str, party: RelyingParty, http: httpx2.Client) -> None:
        self._api = api
        self._party = party
        self._http = http
        self.times_s: dict[str, list[float]] = defaultdict(list)

    def enrol(self, pictures: list[Path], *, samples: int, spare: int) -> Enrolment:
        """Enrol a palm from its first pictures; replace unusable ones by the next."""
        phone = self._new_phone()
        done = Enrolment()
        enrolment_id = phone.open_enrolment(phone.consent()).enrolment_id
        for picture in pictures[: samples + spare]:
            if len(done.samples) == samples:
                break
            try:
                with self._step("enrolment sample"):
                    phone.add_picture(enrolment_id, picture.read_bytes())
                done.samples.append(picture)
            except PhoneRefused as refusal:
                done.refused.append(_reason(refusal))
        try:
            with self._step("enrolment finish"):
                phone.finish_enrolment(enrolment_id)
            done.phone = phone
        except PhoneRefused as refusal:
            done.fault = refusal.error
        return done

    def answer(
        self, attempts: Iterable[Sequence[Path]], *, phone: ReferencePhone | None = None
    ) -> list[LoginOutcome]:
        """Answer one login until an attempt matches; return what became of each.

        An attempt is the frames that are sent together, by a new phone unless one is given.
        """
        missed: list[LoginOutcome] = []
        with Browser(self._party.registration.redirect_uri) as browser:
            with self._step("consent page"):
                page = browser.open_page(self._party.authorization_url())
            phone = phone or self._new_phone()
            with self._step("scan"):
                link = parse_link(page.address("phone-link", "href"))
                login = phone.claim(link.ticket)
            for frames in attempts:
                outcome = self._miss_of(phone, login.login_id, frames)
                if outcome is None:
                    with self._step("approve"):
                        phone.approve(login.login_id)
                    return [*missed, SignedIn(self._finish(browser, page))]
                missed.append(outcome)
            browser.submit(page, "cancel-form")
        return missed

    def _miss_of(
        self, phone: ReferencePhone, login_id: str, frames: Sequence[Path]
    ) -> LoginOutcome | None:
        """Show a palm; return why it did not match, None if it did."""
        try:
            with self._step("palm"):
                said = phone.answer_picture(login_id, [each.read_bytes() for each in frames])
        except PhoneRefused as refusal:
            if refusal.error == "palm_disputed":
                return Disputed()
            return NotAcquired(_reason(refusal))
        if said.hint == "phone_not_trusted":
            raise BenchmarkFault("the client or its operator accepts no palm alone")
        return None if said.hint == "wait_approve" else NotMatched()

    def _finish(self, browser: Browser, page: Page) -> str:
        with self._step("continue"):
            callback = browser.finish(page)
        with self._step("token"):
            answer = self._party.exchange(callback.parameters["code"])
        tokens = answer.raise_for_status().json()
        return str(self._party.read_token(tokens["id_token"]).claims["sub"])

    def _new_phone(self) -> ReferencePhone:
        phone = ReferencePhone(self._api, new_key(), self._http)
        with self._step("register phone"):
            phone.register("Benchmark")
        return phone

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.times_s[name].append(time.perf_counter() - start)


def _reason(refusal: PhoneRefused) -> str:
    """Return why a picture was refused.

    Raises:
        BenchmarkFault: the service refused for a reason other than the picture.
    """
    if refusal.error not in ACQUISITION_FAILURES:
        raise BenchmarkFault(f"the service refused a palm: {refusal}") from refusal
    return f"{refusal.error}: {refusal.reason}" if refusal.reason else refusal.error
