"""References follow a person whose pictures change, and lead to no other person.

A mixture of two palms stands for a picture that differs: 45 % of it let both palms match.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from engine.comparison.compare import compare
from mobile_api.challenges.shown import Shown, ShownChallenge
from mobile_api.recognition.load import LoadedExtractor
from mobile_api.recognition.matcher import PalmMatcher
from mobile_api.recognition.reference_changes import MOST_REFERENCES
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.types import CapturedPalm, ChallengeId, Device, DeviceId, Purpose
from oidc.types import Authenticated, LoginId
from tests.support.palms.fake_engine import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    mixture,
    picture,
    shots,
    template,
)
from tests.support.phone.reference import Phone, refusal
from tests.support.service.mobile_api import FakeThresholds, MobileWorld

MAYA, OMAR = 1, 2
THRESHOLD, MARGIN = 0.68, 0.03
DAY_S = timedelta(days=1).total_seconds()


@dataclass(frozen=True, slots=True)
class Read:
    """A passed challenge: its palm."""

    captured: CapturedPalm
    detector: None = None

    def read(self, device: Device, shown: Shown) -> CapturedPalm:
        """Return it."""
        return self.captured


class Lower(FakeThresholds):
    """Low enough for a mixture of two palms to match both."""

    def verification(self, comparisons: int = 1) -> float:
        """Return a threshold between one palm and two, near to the latter."""
        return THRESHOLD

    def margin(self) -> float:
        """Return a margin as wide as the real one."""
        return MARGIN


class World(MobileWorld):
    """Maya is enrolled on her phone; days pass."""

    def enrol(self, *, count: int = 2) -> Phone:
        """Start the service with lower thresholds and enrol Maya."""
        loaded = LoadedExtractor(FAKE_EXTRACTOR, FAKE_DIMENSION, Lower())
        self.recognition = replace(self.recognition, extractors=[loaded])
        self.client = self.start()
        return self.enrolled(shots(MAYA, count=count))

    def accepts(self, phone: ReferencePhone, image: bytes) -> bool:
        """Return whether a picture signs in on the next day."""
        self.clock.advance(DAY_S)
        return isinstance(self.handoff.outcome(self.show_palm(phone, image)), Authenticated)

    def added(self) -> int:
        """Count the references that sign-ins added."""
        return self.rows("biometric_references WHERE device_id IS NOT NULL")

    def device(self, phone: ReferencePhone) -> Device:
        """Return a phone as the service knows it."""
        with self.database.read() as transaction:
            found = transaction.devices.find(DeviceId(phone.key.thumbprint()))
        assert found
        return found


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Give the service on SQLite."""
    with World(tmp_path) as mobile:
        yield mobile


def view(percent: int, shot: int = 20) -> bytes:
    """Return a picture of Maya's palm that differs by so much."""
    return picture(MAYA, shot=shot, mixed=(OMAR, percent))


CHANGED, LATER = view(44), view(55, shot=31)
"""One surely matches and differs; the other only resembles the enrolled references."""


def test_a_changed_palm_is_followed(tmp_path: Path, database_url: str) -> None:
    """Given a palm that slowly changes, when it signs in, then a later picture matches, too."""
    with World(tmp_path, database_url) as world:
        phone = world.enrol()
        assert not world.accepts(phone, LATER)
        assert world.accepts(phone, CHANGED)
        assert world.accepts(phone, LATER)

        noted = (
            "SELECT count(*), max(details) FROM audit_entries WHERE event = 'reference_added'"
        )
        assert world.row(noted) == (1, "{}")
        with world.database.read() as transaction:
            (count,) = transaction.template_keys.count_by_extractor()
        assert (count.references, count.added, count.accounts) == (3, 1, 1)


def test_no_mixtures_walk_an_account_from_one_palm_to_another(world: World) -> None:
    """The thief of a phone has a picture of its owner's palm, and would like to use his own."""
    phone = world.enrol()
    for step, percent in enumerate([*range(44, 101, 4), *range(0, 101, 4)]):
        world.accepts(phone, view(percent, shot=50 + step))
    added = world.services.logins.added.of(world.device(phone))
    his = [template(OMAR, shot=shot) for shot in range(200, 205)]

    assert any(compare(own, each.template) >= THRESHOLD for own in his for each in added)
    assert not any(world.accepts(phone, picture(OMAR, shot=n)) for n in range(200, 205))


@pytest.mark.parametrize(
    ("shown", "count"),
    [
        pytest.param([picture(MAYA, shot=9)], 0, id="it looks like a reference"),
        pytest.param([view(55)], 0, id="it does not surely match"),
        pytest.param([CHANGED, CHANGED], 1, id="it was added before"),
    ],
)
def test_what_is_added(world: World, shown: list[bytes], count: int) -> None:
    """A reference is added for what enrolled references surely match, and no reference yet."""
    phone = world.enrol()
    for each in shown:
        world.accepts(phone, each)

    assert world.added() == count


def test_a_palm_that_is_released_meanwhile_gets_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be a reference of a palm that no account has."""
    phone, is_new_view = world.enrol(), PalmMatcher.is_new_view

    def released(*asked: Any) -> bool:
        with world.database.write() as transaction:
            held = transaction.references.of_account(asked[3], FAKE_EXTRACTOR)
            transaction.references.remove([each.reference_id for each in held])
        return is_new_view(*asked)

    monkeypatch.setattr(PalmMatcher, "is_new_view", released)
    assert world.accepts(phone, CHANGED)
    assert world.added() == 0


def test_added_references_lead_no_further(world: World) -> None:
    """A palm that surely matches an added one alone is added never: nothing drifts."""
    phone = world.enrol()
    assert world.accepts(phone, CHANGED)
    device, current = world.device(phone), world.services.logins.added.identification.current
    added = world.services.logins.added.of(device)
    further = mixture(template(MAYA, shot=31), template(OMAR, shot=31), 55)
    further = mixture(further, template(3), 25)
    near = compare(further, added[0].template)

    assert THRESHOLD + MARGIN <= near < THRESHOLD + 4 * MARGIN
    assert device.account
    gallery = current.gallery.current()
    assert not current.matcher.is_new_view(gallery, further, device.account, added)


def test_one_is_added_a_day(world: World) -> None:
    """Who holds a phone for an hour cannot fill it."""
    phone = world.enrol()
    for person, shot in ((OMAR, 20), (3, 21), (4, 22)):
        world.answer_palm(phone, picture(MAYA, shot=shot, mixed=(person, 44)))
    assert world.added() == 1

    assert world.accepts(phone, picture(MAYA, shot=23, mixed=(5, 44)))
    assert world.added() == 2


def test_the_least_useful_leaves_and_enrolled_ones_stay(world: World) -> None:
    """Of two that look alike one is enough; there are never more than six of a hand."""
    phone = world.enrol(count=MOST_REFERENCES - 2)
    before = world.row("SELECT max(reference_id), min(reference_id) FROM biometric_references")
    for person in range(3, 7):
        assert world.accepts(phone, picture(MAYA, shot=20 + person, mixed=(person, 44)))

    assert (world.added(), world.rows("biometric_references")) == (2, MOST_REFERENCES)
    enrolled = "FROM biometric_references WHERE device_id IS NULL"
    assert world.row(f"SELECT max(reference_id), min(reference_id) {enrolled}") == before


def test_an_added_reference_counts_in_sign_ins_of_its_phone_alone(world: World) -> None:
    """Not on another phone, in a search, for a palm proof, or in a challenge."""
    phone, other = world.enrol(), world.phone()
    world.bind_new_phones(phone)
    assert world.accepts(phone, CHANGED)

    assert not world.accepts(other, LATER)
    assert not world.accepts(world.phone(), LATER)
    assert refusal(lambda: phone.prove_palm(LATER)).error == "palm_mismatch"
    login = LoginId(phone.claim(world.handoff.open()).login_id)
    captured = CapturedPalm(world.pipeline.extract(LATER).template)
    logins = replace(world.services.logins, reader=Read(captured))  # type: ignore[arg-type]
    passed = ShownChallenge(ChallengeId(uuid4()), Purpose.LOGIN, login)
    logins.answer(world.device(phone), login, passed)
    assert not isinstance(world.handoff.outcome(login), Authenticated)
    assert world.accepts(phone, LATER)


def test_a_phone_takes_its_references_along(world: World) -> None:
    """A stolen phone that is removed leaves nothing of what was shown to it."""
    phone, other = world.enrol(), world.phone()
    world.bind_new_phones(phone)
    for each in (phone, other):
        assert world.accepts(each, CHANGED)
    assert world.added() == 2

    with world.database.write() as transaction:
        device = world.device(other)
        assert device.account
        transaction.devices.unbind(device.device_id, device.account)
    assert world.added() == 1
    phone.delete_account(picture(MAYA, shot=40))
    assert world.rows("biometric_references") == 0


def test_an_operator_can_switch_it_off(world: World) -> None:
    """Then nothing is added, and the next start erases those that are there."""
    phone = world.enrol()
    assert world.accepts(phone, CHANGED)
    world.settings = world.settings.model_copy(update={"follow_references": False})
    phone = Phone(phone.api, phone.key, world.start())

    assert world.added() == 0
    assert world.accepts(phone, CHANGED)
    assert not world.accepts(phone, LATER)
    assert world.added() == 0
