"""Measure the phone's page: times to the answer, size of a first visit."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.datasets.manifest import DatasetFault
from benchmarks.harness.browser import Browser as ComputerBrowser
from benchmarks.harness.relying_party import RelyingParty
from benchmarks.harness.service import Service
from benchmarks.measurement.rates import percentile
from benchmarks.phone_page.camera_file import CameraFile
from benchmarks.phone_page.phone import PhoneBrowser, chromium, first_visit_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

    from benchmarks.datasets.manifest import PalmSet

REDIRECT_URI: Final = "http://127.0.0.1:9/callback"
"""Nothing listens there: the browser stops before it."""

ANSWER_P50_MS: Final = 2500.0
JUDGED_MORE_P50_MS: Final = 6000.0
VISIT_OCTETS: Final = 9_000_000


@dataclass(frozen=True, slots=True)
class PersonPictures:
    """A person of the set."""

    right: bytes = field(repr=False)
    left: bytes = field(repr=False)
    others: list[bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Setup:
    """A running service, a relying party, and a browser with a camera file."""

    service: Service
    party: RelyingParty
    browser: Browser
    camera: CameraFile

    @property
    def page(self) -> str:
        """Address of the phone's page."""
        return f"{self.service.issuer}/m"

    @contextmanager
    def login(self) -> Iterator[str]:
        """Start a sign-in on a computer; yield its link, and finish it afterwards."""
        with ComputerBrowser(REDIRECT_URI) as computer:
            shown = computer.open_page(self.party.authorization_url())
            yield shown.address("phone-link", "href")
            computer.finish(shown)


def read_people(palms: PalmSet, count: int) -> list[PersonPictures]:
    """Return people with at least three pictures of each hand.

    Raises:
        DatasetFault: there are none.
    """
    hands: dict[str, dict[str, list[Path]]] = {}
    for picture in palms.pictures:
        if picture.kind == "hand" and picture.hand:
            hands.setdefault(picture.subject, {}).setdefault(picture.hand, []).append(
                picture.path
            )
    known = [
        PersonPictures(
            sides["R"][0].read_bytes(),
            sides["L"][0].read_bytes(),
            [path.read_bytes() for path in (*sides["R"][1:], *sides["L"][1:])],
        )
        for sides in hands.values()
        if min(len(sides.get(side, ())) for side in "LR") > 2
    ]
    if not known:
        raise DatasetFault("no person has three pictures of each hand")
    return known[:count]


@contextmanager
def running_setup(program: Path, **settings: str) -> Iterator[Setup]:
    """Start a service with these settings and a browser."""
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="thenar-page-")))
        service = Service(folder, settings=settings)
        service.run("migrate")
        registration = service.add_client("Corner Bookshop", REDIRECT_URI)
        closing.enter_context(service.running())
        party = RelyingParty(service.issuer, registration)
        closing.callback(party.http.close)
        camera = CameraFile(folder / "camera.y4m")
        browser = closing.enter_context(chromium(program, camera))
        yield Setup(service, party, browser, camera)


def measure_answers(
    setup: Setup, people: list[PersonPictures], logins: int, progress: Callable[[], None]
) -> dict[str, Any]:
    """Sign people in, in turn; return the times."""
    phones = []
    for person in people:
        phone = PhoneBrowser(setup.browser, setup.camera)
        phone.enrol(setup.page, person.right, person.left)
        phones.append(phone)
    steps: list[dict[str, float]] = []
    for number in range(logins):
        person = people[number % len(people)]
        palm = person.others[(number // len(people)) % len(person.others)]
        with setup.login() as link:
            steps.append(phones[number % len(people)].answer(link, palm))
        progress()
    for phone in phones:
        phone.context.close()
    return {step: summary([each[step] for each in steps if step in each]) for step in steps[0]}


def measure_visit(setup: Setup) -> int:
    """Return the bytes of a first visit."""
    with ComputerBrowser(REDIRECT_URI) as computer:
        shown = computer.open_page(setup.party.authorization_url())
        link = shown.address("phone-link", "href")
        return first_visit_bytes(setup.browser, setup.camera, link)


def targets_met(numbers: dict[str, Any]) -> dict[str, bool]:
    """Tell which targets are met."""
    return {
        "answer_p50": numbers["answer_ms"]["answered"]["p50"] <= ANSWER_P50_MS,
        "judged_more_p50": numbers["judged_ms"]["more_p50"] <= JUDGED_MORE_P50_MS,
        "first_visit": numbers["first_visit_octets"] <= VISIT_OCTETS,
    }


def summary(times_ms: list[float]) -> dict[str, float]:
    """Return how many times there are, their median, 95th percentile and the longest."""
    shares = {"p50": 0.5, "p95": 0.95, "longest": 1.0}
    found = {name: round(percentile(times_ms, share), 1) for name, share in shares.items()}
    return {"count": len(times_ms), **found}
