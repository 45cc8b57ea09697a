"""A person takes everything back, whenever the process may die."""

import errno

import pytest

from engine.types import Hand
from mobile_api.errors import ErasureListFault
from mobile_api.server.jobs import RetentionJobs
from mobile_api.types import DeviceId
from oidc.errors import LoginGone
from tests.support.palms.fake_engine import picture, shots
from tests.support.phone.reference import refusal
from tests.support.service.mobile_api import MobileWorld

MAYA, OMAR = 1, 2


def disk_is_full(*_arguments: object) -> None:
    """Stand in for a write that finds the disk full."""
    raise OSError(errno.ENOSPC, "disk full")


def test_an_erasure_leaves_its_entry_on_the_list_and_nothing_else(world: MobileWorld) -> None:
    """Given a person who is adding a palm, when she deletes her account, then all is gone."""
    phone = world.enrolled(shots(MAYA))
    phone.begin_enrolment(shots(MAYA, Hand.LEFT))

    phone.delete_account(picture(MAYA, shot=9))

    left = ("accounts", "devices", "enrolments", "biometric_references", "departures")
    assert [world.rows(each) for each in left] == [0] * len(left)
    assert world.erasures().listed(world.handoff.forgotten) == world.handoff.forgotten != []
    assert world.rows("audit_entries WHERE event = 'account_deleted'") == 1


def test_a_phone_that_was_removed_before_goes_too(world: MobileWorld) -> None:
    """It keeps no name, no notice and no subscription of its former account."""
    old, new = world.enrolled(shots(MAYA)), world.phone()
    palm = picture(MAYA, shot=9)
    old.trust(new, palm)
    with world.database.write() as transaction:
        transaction.push_subscriptions.replace(DeviceId(old.key.thumbprint()), b"sealed")
    (handle,) = [each.handle for each in new.account(palm).phones if not each.is_this]
    new.remove_phone(handle, new.prove_palm(palm).palm_proof)
    heard = old.standing().notices
    new.delete_account(palm)
    world.clock.advance(2 * 86_400)
    RetentionJobs(world.database, world.services.deletion, world.clock).run_once()

    assert heard == []
    left = ("devices", "notices", "push_subscriptions")
    assert [world.rows(each) for each in left] == [0, 0, 0]


def test_a_deletion_is_done_and_listed_later_while_the_disk_of_its_list_is_full(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service goes on: the palm is free at once, and the list is written in time."""
    phone = world.enrolled(shots(MAYA))
    with monkeypatch.context() as full:
        full.setattr("mobile_api.erasures._write", disk_is_full)
        phone.delete_account(picture(MAYA, shot=9))
        with pytest.raises(ErasureListFault):
            world.services.deletion.finish_pending_erasures()
        forgotten = {*world.handoff.forgotten}
        shown = world.answer_palm(world.phone(), picture(MAYA, shot=8))
        left = world.rows("departures")
    world.services.deletion.finish_pending_erasures()

    assert (len(forgotten), left, shown.hint) == (1, 1, "palm_retry")
    assert {*world.erasures().listed(forgotten)} == forgotten
    assert world.rows("departures") == 0


def test_a_deleted_person_may_come_back_as_a_new_account(world: MobileWorld) -> None:
    """No trace means no trace."""
    phone = world.enrolled(shots(MAYA))
    phone.delete_account(picture(MAYA, shot=9))

    phone.register("The same phone")
    assert phone.enrol(shots(MAYA)).enrolled.right == 2


def test_another_palm_deletes_nothing(world: MobileWorld) -> None:
    """The finder of a phone must not delete its owner."""
    phone = world.enrolled(shots(MAYA))
    world.enrolled(shots(OMAR))

    refused = refusal(lambda: phone.delete_account(picture(OMAR, shot=9)))

    assert (refused.status, refused.error) == (403, "palm_mismatch")
    assert world.rows("accounts") == 2
    assert world.handoff.forgotten == []


def test_a_deletion_that_was_cut_short_is_finished_at_the_next_start(
    world: MobileWorld,
) -> None:
    """The palm is gone; the provider did not answer and is notified later, by itself."""
    phone = world.enrolled(shots(MAYA))
    world.handoff.is_down = True
    phone.delete_account(picture(MAYA, shot=9))
    assert (world.rows("accounts"), world.rows("departures")) == (0, 1)

    world.handoff.is_down = False
    world.start()
    world.services.deletion.finish_pending_erasures()

    assert world.rows("departures") == 0
    assert len(set(world.handoff.forgotten)) == 1


def test_a_login_that_overtakes_a_deletion_is_cancelled(world: MobileWorld) -> None:
    """Recognised just before, settled just after: no pseudonym may arise without an account."""
    phone = world.enrolled(shots(MAYA))
    outsider = world.phone()
    login = outsider.claim(world.handoff.open()).login_id
    world.handoff.overtake = lambda: phone.delete_account(picture(MAYA, shot=9))
    answer = outsider.answer_picture(login, picture(MAYA, shot=8))

    assert answer.hint == "cancelled"
    assert refusal(lambda: outsider.approve(login)).error == LoginGone.code
