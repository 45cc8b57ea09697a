"""What ``thenar bench page`` measures, small: against the service of the journeys."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from benchmarks.harness.relying_party import RelyingParty
from benchmarks.phone_page import run
from tests.support.phone.camera import FileCamera
from tests.support.service.journey import World

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.hands]

DORA = 6


@pytest.fixture
def setup(world: World, chromium: Browser, camera: FileCamera) -> Iterator[run.Setup]:
    """Give the benchmark what it would start by itself."""
    registration = world.service.add_client("Bench", run.REDIRECT_URI)
    party = RelyingParty(world.service.issuer, registration)
    yield run.Setup(world.service, party, chromium, camera.file)
    party.http.close()


def test_every_step_of_a_sign_in_is_timed(setup: run.Setup, world: World) -> None:
    """From the palm in view: good, sent, answered; one after the other."""
    dora = world.people[DORA]
    person = run.PersonPictures(dora.enrolment[2], dora.enrolment[0], dora.shots)
    ticks: list[None] = []
    times = run.measure_answers(setup, [person], 2, lambda: ticks.append(None))

    assert len(ticks) == 2
    assert [times[step]["count"] for step in ("sent", "answered")] == [2, 2]
    assert 0 < times["sent"]["p50"] < times["answered"]["p50"] <= times["answered"]["longest"]


def test_a_first_visit_is_nine_megabytes_at_most(setup: run.Setup) -> None:
    """Over the wire, compressed, heads and all, until templates can be made."""
    assert 4_000_000 < run.measure_visit(setup) <= run.VISIT_OCTETS
