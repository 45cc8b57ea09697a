"""People move from one extractor to another while the service runs, and are found all along."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.presentation_attack.session import SessionDetector
from engine.template_codec import encode_template
from engine.types import Hand
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.types import Purpose, TemplateTrust
from oidc.types import Authenticated
from tests.support.palms.fake_engine import FAKE_EXTRACTOR, picture, template
from tests.support.phone.challenges import FakeDetector, hand_of
from tests.support.phone.reference import refusal
from tests.support.service.mobile_api import API, MobileWorld
from tests.support.service.two_extractors import NEW_EXTRACTOR, FakePair, begin_to_move, renamed

MAYA, OMAR, UNENROLLED = 1, 2, 3


class World:
    """Maya and Omar are enrolled by the old extractor; now both extractors are run."""

    def __init__(self, mobile: MobileWorld, detector: SessionDetector | None = None) -> None:
        self.mobile = mobile
        before = {p: mobile.enrolled(palm(p, 0, 1)) for p in (MAYA, OMAR)}
        self.pair: FakePair = begin_to_move(mobile, detector)
        self.phones = {p: self.same(phone) for p, phone in before.items()}

    def same(self, phone: ReferencePhone) -> ReferencePhone:
        """Return a phone that speaks to the service as it is now."""
        return ReferencePhone(API, phone.key, self.mobile.client)

    def accepts(self, phone: ReferencePhone, image: bytes) -> bool:
        """Return whether a picture answers a login."""
        login = phone.claim(self.mobile.handoff.open()).login_id
        phone.answer_picture(login, image)
        return isinstance(self.mobile.handoff.outcome(login), Authenticated)

    def held(self) -> tuple[int, int]:
        """Count the references of the old extractor and of the new one."""
        statement = "SELECT count(*) FROM biometric_references WHERE extractor = '{}'"
        old, new = (
            int(self.mobile.row(statement.format(each))[0])
            for each in (FAKE_EXTRACTOR, NEW_EXTRACTOR)
        )
        return old, new


def palm(person: int, *shots: int, hand: Hand = Hand.RIGHT) -> list[bytes]:
    """Return pictures of a palm."""
    return [picture(person, hand, shot) for shot in shots]


def refused_template(world: World, phone: ReferencePhone, data: bytes) -> str | None:
    """Return the error with which a template that answers a login is refused."""
    login = phone.claim(world.mobile.handoff.open()).login_id
    return refusal(lambda: phone.answer_template(login, data)).error


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Give the world on SQLite."""
    with MobileWorld(tmp_path) as mobile:
        yield World(mobile)


def test_two_logins_move_a_palm(tmp_path: Path, database_url: str) -> None:
    """Found from the first moment on; the old references go once two new ones agree."""
    with MobileWorld(tmp_path, database_url) as mobile:
        world = World(mobile)
        phone = world.phones[MAYA]
        seen = [world.held()]
        for shot in (10, 11, 12):
            assert world.accepts(phone, picture(MAYA, shot=shot))
            seen.append(world.held())

        noted = mobile.row(
            "SELECT max(details), count(*) FROM audit_entries WHERE event = 'palm_moved'"
        )

    assert seen == [(4, 0), (4, 1), (2, 2), (2, 2)]
    assert noted == ('{"from":"fake-1","to":"fake-2"}', 1)


def test_only_challenges_move_a_palm_where_they_are_asked(tmp_path: Path) -> None:
    """A still may show two people's palms laid over each other."""
    detector = FakeDetector(each=lambda old: (renamed(old), old))
    with MobileWorld(tmp_path) as mobile:
        world = World(mobile, detector)
        phone, held = world.phones[MAYA], []
        assert all(world.accepts(phone, picture(MAYA, shot=shot)) for shot in (10, 11))
        for _ in range(2):
            held.append(world.held())
            login = phone.claim(mobile.handoff.open()).login_id
            shown = phone.pass_challenge(hand_of(MAYA, mobile.clock), Purpose.LOGIN, login)
            phone.answer_picture(login, shown)

        assert [*held, world.held()] == [(4, 0), (4, 1), (2, 2)]


def test_who_moved_and_who_did_not_are_both_found_on_a_new_phone(world: World) -> None:
    """A search goes through both galleries; a phone without an account gives no reference."""
    for shot in (10, 11):
        world.accepts(world.phones[MAYA], picture(MAYA, shot=shot))

    for person in (MAYA, OMAR):
        assert world.accepts(world.mobile.phone(), picture(person, shot=20))
    assert not world.accepts(world.mobile.phone(), picture(UNENROLLED))
    assert world.held() == (2, 2)


def test_only_the_owners_own_phone_moves_a_palm(world: World) -> None:
    """A false match of a search must not become an account's reference."""
    borrowed, not_trusted = world.phones[OMAR], world.mobile.phone()

    for shot in (10, 11, 12):
        assert world.accepts(borrowed, picture(MAYA, shot=shot))
        assert world.accepts(not_trusted, picture(MAYA, shot=shot))
    assert world.held() == (4, 0)


def test_new_references_that_disagree_do_not_move_a_palm(world: World) -> None:
    """What agrees with nothing is replaced; the old references stay until two agree."""
    phone, odd = world.phones[MAYA], picture(MAYA, shot=10)
    world.pair.odd[odd] = 900

    assert world.accepts(phone, odd)
    assert world.accepts(phone, picture(MAYA, shot=11))
    assert world.held() == (4, 1)
    assert world.accepts(phone, picture(MAYA, shot=12))
    assert world.held() == (2, 2)


def test_no_reference_is_another_persons_palm(world: World) -> None:
    """Two accounts would match one palm, and neither could sign in any more."""
    for shot in (10, 11):
        world.accepts(world.phones[OMAR], picture(OMAR, shot=shot))
    like_omar = picture(MAYA, shot=12)
    world.pair.odd[like_omar] = OMAR

    assert world.accepts(world.phones[MAYA], like_omar)
    assert world.held() == (2, 2)


def test_no_palm_is_enrolled_twice(world: World) -> None:
    """Whom only the old extractor knows is not new."""
    refused = refusal(lambda: world.mobile.phone().enrol(palm(MAYA, 30, 31)))
    assert refused.error == "already_enrolled"
    assert world.held() == (4, 0)


def test_a_template_is_searched_by_the_extractor_that_made_it(world: World) -> None:
    """A page that was loaded before goes on until its palm has moved; others send pictures."""
    phone, handoff = world.phones[MAYA], world.mobile.handoff
    login = phone.claim(handoff.open()).login_id
    phone.answer_template(login, encode_template(template(MAYA, shot=9)))
    assert isinstance(handoff.outcome(login), Authenticated)

    new = encode_template(renamed(template(MAYA, shot=9)))
    assert refused_template(world, phone, new) == "template_unmatched"
    assert world.held() == (4, 0)
    assert world.mobile.rows("attempts WHERE failed = 1") == 0, "compared with its owner alone"

    for shot in (10, 11):
        world.accepts(phone, picture(MAYA, shot=shot))
    old = encode_template(template(MAYA, shot=9))
    assert refused_template(world, phone, old) == "template_unmatched"


def test_a_template_that_was_compared_with_all_is_a_question(tmp_path: Path) -> None:
    """Else forged ones are compared without limit, as long as people move."""
    with MobileWorld(tmp_path, template_trust=TemplateTrust.ANY_DEVICE) as mobile:
        mobile.enrolled(palm(MAYA, 1, 2, 3))
        begin_to_move(mobile)
        phone = mobile.phone()
        login = phone.claim(mobile.handoff.open()).login_id
        forged = encode_template(renamed(template(UNENROLLED)))

        refused = refusal(lambda: phone.answer_template(login, forged))

        assert refused.error == "template_unmatched"
        assert mobile.rows("attempts WHERE failed = 1") == 1


def test_no_palm_is_enrolled_by_a_template_while_people_move(world: World) -> None:
    """The old extractor could not look whether the palm is enrolled."""
    phone = world.mobile.phone()
    enrolment = phone.begin_enrolment()

    for data in (template(UNENROLLED), renamed(template(UNENROLLED))):
        refused = refusal(lambda: phone.add_template(enrolment, encode_template(data)))  # noqa: B023
        assert refused.error in {"template_not_accepted", "extractor_mismatch"}


def test_logins_at_the_same_moment_move_a_palm_once(tmp_path: Path, database_url: str) -> None:
    """Each takes its step after the other; what the last ones saw is outdated by then."""
    with MobileWorld(tmp_path, database_url) as mobile, ThreadPoolExecutor(4) as pool:
        world = World(mobile)
        phones = [mobile.phone() for _ in range(4)]
        mobile.bind_new_phones(world.phones[MAYA])
        shots = [picture(MAYA, shot=shot) for shot in range(10, 14)]
        assert all(pool.map(world.accepts, phones, shots))

        assert world.held() == (2, 2)


def test_who_deletes_while_they_move_is_gone(tmp_path: Path, database_url: str) -> None:
    """Both change the same rows: neither waits for the other for ever, nothing is left over."""
    with MobileWorld(tmp_path, database_url) as mobile, ThreadPoolExecutor(2) as pool:
        world = World(mobile)
        phone = world.phones[MAYA]
        moving = pool.submit(world.accepts, world.same(phone), picture(MAYA, shot=10))
        deleting = pool.submit(world.same(phone).delete_account, picture(MAYA, shot=11))
        deleting.result()
        moving.exception()

        assert world.held() == (2, 0)
        assert mobile.rows("accounts") == 1
