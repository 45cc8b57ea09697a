"""A palm answers a login: whose palm, whose phone, and what a phone may know about it."""

from pathlib import Path

import pytest

from engine.types import Hand
from mobile_api.frames import FRAMES_TYPE, write_attempt
from mobile_api.types import LoginPolicy
from oidc.errors import DatabaseUnavailable
from oidc.types import AccountId, Authenticated
from tests.support.palms.fake_engine import DARK, picture, shots
from tests.support.phone.reference import Phone, refusal
from tests.support.service.mobile_api import MobileWorld

MAYA, OMAR, UNENROLLED = 1, 2, 3

WAIT = "wait_approve"


def enrolled(world: MobileWorld, person: int) -> tuple[Phone, AccountId]:
    """Enrol a person's right palm; return the phone and the account."""
    phone = world.enrolled(shots(person))
    outcome = world.handoff.outcome(world.show_palm(phone, picture(person, shot=50)))
    assert isinstance(outcome, Authenticated)
    return phone, outcome.account


def test_claiming_shows_who_asks(world: MobileWorld) -> None:
    """RFC 10027: the person sees the client before anything is approved."""
    login = world.phone().claim(world.handoff.open())

    assert (login.client_name, login.client_host) == ("Bookshop", "books.example")
    assert login.scope == ["openid"]
    assert login.hint == "wait_palm"
    assert login.expires_in == 120


def test_a_phone_that_could_not_be_bound_signs_in_nowhere(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner would never hear of it. The provider had recorded the palm."""
    world.enrolled(shots(MAYA))
    phone = world.phone()
    login = phone.claim(world.handoff.open()).login_id
    with monkeypatch.context() as away:
        away.setattr("mobile_api.login.bind_new", database_is_away)
        failed = refusal(lambda: phone.answer_picture(login, picture(MAYA, shot=9)))
    again = refusal(lambda: phone.answer_picture(login, picture(MAYA, shot=9)))

    assert (failed.status, again.error) == (503, "login_gone")


def database_is_away(*_arguments: object) -> None:
    """Stand in for a write that finds no database."""
    raise DatabaseUnavailable("away")


def test_three_unenrolled_palms_lock_the_login(world: MobileWorld) -> None:
    """Three tries, each with its hint; then it is over."""
    world.enrolled(shots(MAYA))
    phone = world.phone()
    login = phone.claim(world.handoff.open()).login_id
    answers = [phone.answer_picture(login, picture(UNENROLLED, shot=s)) for s in range(3)]
    refused = refusal(lambda: phone.answer_picture(login, picture(MAYA, shot=9)))

    assert [(a.hint, a.attempts_left) for a in answers] == [
        ("palm_retry", 2),
        ("palm_retry", 1),
        ("locked", None),
    ]
    assert (refused.status, refused.error, refused.hint) == (410, "login_gone", "locked")


def test_a_named_user_is_compared_with_that_account_only(world: MobileWorld) -> None:
    """Specification §4.6: the client requested Maya; that Omar is enrolled does not show."""
    _, mayas = enrolled(world, MAYA)
    omars_phone, _ = enrolled(world, OMAR)
    answers = {}
    for who, phone, palm in (
        ("enrolled", omars_phone, picture(OMAR, shot=9)),
        ("not enrolled", world.phone(), picture(UNENROLLED)),
        ("mayas", world.phone(), picture(MAYA, shot=9)),
    ):
        login = phone.claim(world.handoff.open(named=mayas)).login_id
        answers[who] = phone.answer_picture(login, palm)

    assert answers["enrolled"] == answers["not enrolled"]
    assert answers["enrolled"].hint == "palm_retry"
    assert answers["mayas"].hint == "wait_approve"


def test_with_bound_devices_only_the_devices_account_logs_in(tmp_path: Path) -> None:
    """ASVS 5.0 §6.5.7: the palm counts only beside something the person has."""
    with MobileWorld(tmp_path, login_policy=LoginPolicy.BOUND_DEVICE) as world:
        maya = world.enrolled(shots(MAYA))
        _, omars = enrolled(world, OMAR)
        login = maya.claim(world.handoff.open()).login_id
        by_omar = maya.answer_picture(login, picture(OMAR, shot=9))
        by_maya = maya.answer_picture(login, picture(MAYA, shot=9))
        login = maya.claim(world.handoff.open(omars)).login_id
        as_omar = maya.answer_picture(login, picture(OMAR, shot=9))
        new = world.phone()
        refused = refusal(lambda: new.claim(world.handoff.open()))

        assert (by_omar.hint, by_maya.hint) == ("palm_retry", "wait_approve")
        assert as_omar.hint == "palm_retry"
        assert (refused.status, refused.error) == (403, "device_unbound")


def test_a_picture_without_a_palm_costs_no_attempt(world: MobileWorld) -> None:
    """A failure to acquire is not a mismatch (ISO/IEC 19795-1)."""
    phone, _ = enrolled(world, MAYA)
    login = phone.claim(world.handoff.open()).login_id
    refused = refusal(lambda: phone.answer_picture(login, picture(MAYA, defect=DARK)))
    after = phone.answer_picture(login, picture(UNENROLLED))

    assert (refused.status, refused.error, refused.reason) == (
        422,
        "quality_too_low",
        "too_dark",
    )
    assert after.attempts_left == 2


@pytest.mark.parametrize(
    ("frames", "hint"),
    [
        ([picture(MAYA, defect=DARK), picture(MAYA, shot=8), picture(MAYA, shot=9)], WAIT),
        ([picture(UNENROLLED), picture(MAYA, shot=8), picture(MAYA, shot=9)], WAIT),
        ([picture(UNENROLLED), picture(MAYA), picture(OMAR)], "palm_retry"),
        ([picture(UNENROLLED), picture(MAYA)], "palm_retry"),
        ([picture(OMAR, Hand.LEFT), picture(MAYA), picture(MAYA, shot=1)], "palm_retry"),
    ],
)
def test_the_frames_of_an_attempt_count_as_one_palm(
    world: MobileWorld, frames: list[bytes], hint: str
) -> None:
    """The most that match each other are compared; of two palms no more than one is."""
    enrolled(world, MAYA)
    enrolled(world, OMAR)
    phone, before = world.phone(), world.rows("attempts")
    answer = phone.answer_picture(phone.claim(world.handoff.open()).login_id, frames)

    assert (answer.hint, world.rows("attempts") - before) == (hint, 1)


@pytest.mark.parametrize("body", [b"", write_attempt([picture(MAYA)] * 4)])
def test_an_attempt_has_one_to_three_frames(world: MobileWorld, body: bytes) -> None:
    """The work of a request is bounded."""
    phone = world.phone()
    path = f"/logins/{phone.claim(world.handoff.open()).login_id}/frames"

    assert phone.send("PUT", path, body, FRAMES_TYPE).status_code == 422


def test_two_phones_on_one_ticket(world: MobileWorld) -> None:
    """The second phone that scans learns only that; the first may come again."""
    first, second = world.phone(), world.phone()
    ticket = world.handoff.open()
    login = first.claim(ticket)
    refused = refusal(lambda: second.claim(ticket))
    stolen = [
        refusal(lambda: second.login_state(login.login_id)),
        refusal(lambda: second.answer_picture(login.login_id, picture(MAYA))),
        refusal(lambda: second.approve(login.login_id)),
        refusal(lambda: second.decline(login.login_id)),
    ]

    assert (refused.status, refused.error) == (409, "already_claimed")
    assert {(r.status, r.error, r.hint) for r in stolen} == {(410, "login_gone", None)}
    assert first.claim(ticket) == login


def test_an_expired_ticket_says_so(world: MobileWorld) -> None:
    """A dead QR code must not leave the person waiting."""
    phone = world.phone()
    ticket = world.handoff.open()
    world.clock.advance(180)
    expired = refusal(lambda: phone.claim(ticket))
    unknown = refusal(lambda: phone.claim("no-such-ticket"))

    assert (expired.status, expired.error, expired.hint) == (410, "login_gone", "expired")
    assert (unknown.status, unknown.error, unknown.hint) == (410, "login_gone", None)


def test_nothing_is_approved_before_a_palm(world: MobileWorld) -> None:
    """The order of the steps is the server's, not the phone's."""
    phone, _ = enrolled(world, MAYA)
    login = phone.claim(world.handoff.open()).login_id

    refused = refusal(lambda: phone.approve(login))

    assert (refused.status, refused.error, refused.hint) == (409, "wrong_state", "wait_palm")


def test_a_palm_answers_a_login_and_what_is_sent_again_changes_nothing(
    world: MobileWorld,
) -> None:
    """The whole flow, also of a phone that lost the answer."""
    # Given an enrolled person, whose phone has claimed a login
    phone, account = enrolled(world, MAYA)
    login = phone.claim(world.handoff.open()).login_id

    # When she shows her palm, then the login is hers and waits for her approval
    assert phone.answer_picture(login, picture(MAYA, shot=9)).hint == "wait_approve"
    outcome = world.handoff.outcome(login)
    assert isinstance(outcome, Authenticated)
    assert outcome.account == account

    # When a picture comes again, then it is answered alike and not compared
    assert phone.answer_picture(login, picture(UNENROLLED)).hint == "wait_approve"
    assert world.handoff.outcome(login) is outcome


def test_a_device_has_so_many_palms_a_day_matching_ones_included(tmp_path: Path) -> None:
    """Half the answers of a climbing attack are yes: failures in a row are not enough."""
    with MobileWorld(tmp_path, submissions_per_day=5) as world:
        phone = world.enrolled(shots(MAYA))
        for shot in range(3):
            login = world.show_palm(phone, picture(MAYA, shot=shot))
        login = phone.claim(world.handoff.open()).login_id

        refused = refusal(lambda: phone.answer_picture(login, picture(MAYA)))

        assert (refused.status, refused.error) == (429, "too_many_attempts")
        world.clock.advance(24 * 3600 + 1)
        login = phone.claim(world.handoff.open()).login_id
        assert phone.answer_picture(login, picture(MAYA)).hint == "wait_approve"
