"""Two people claim one palm: a code shows the operator what to judge by, and releases it."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.template_codec import encode_template
from engine.types import Hand
from mobile_api.account.deletion import delete_by_code
from mobile_api.account.disputes import release_palm
from mobile_api.cli.account import account_commands
from mobile_api.errors import NoSuchCode, PhoneRefused
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.recognition.matcher import mirrored
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.server.jobs import RetentionJobs
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.key_file import KeyFile
from mobile_api.storage.stores.retention import DISPUTE_RETENTION
from mobile_api.types import DeviceId, NoticeKind, TemplateTrust
from tests.support.palms.fake_engine import picture, shots, template
from tests.support.phone.reference import refusal
from tests.support.service.mobile_api import MobileWorld

LEFT, RIGHT = Hand.LEFT, Hand.RIGHT
MAYA, OMAR = 1, 2


def refused_enrolment(phone: ReferencePhone, pictures: list[bytes]) -> PhoneRefused:
    """Return how the service refuses to enrol these palms."""
    return refusal(lambda: phone.enrol(pictures))


def disputed(world: MobileWorld, person: int = MAYA, hand: Hand = RIGHT) -> str:
    """Return the code of a person who found her palm enrolled."""
    code = refused_enrolment(world.phone(), shots(person, hand, first=5)).dispute_code
    assert code is not None
    return code


def thenar(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch, *arguments: str, answer: str = ""
) -> Result:
    """Run ``thenar account``."""
    monkeypatch.setenv("THENAR_MOBILE_DATABASE_URL", world.settings.database_url)
    monkeypatch.setenv("THENAR_MOBILE_KEY_FILE", str(world.settings.key_file))
    return CliRunner().invoke(account_commands(world.clock), arguments, input=answer)


def kinds_of_notices(world: MobileWorld, phone: ReferencePhone) -> list[str]:
    """Return the kinds of the notices of a phone."""
    with world.database.read() as transaction:
        notices = transaction.notices.of(DeviceId(phone.key.thumbprint()))
    return [each.kind.value for each in notices]


def test_a_person_whose_palm_is_enrolled_gets_a_code_and_learns_nothing_else(
    world: MobileWorld,
) -> None:
    """The enrolment is refused, and the dispute is kept as a digest."""
    world.enrolled(shots(MAYA))
    refused = refused_enrolment(world.phone(), shots(MAYA, first=5))

    assert (refused.status, refused.error) == (409, "already_enrolled")
    assert len((refused.dispute_code or "").replace("-", "")) == 24
    assert world.row("SELECT hand, length(digest) FROM disputes") == ("right", 32)
    assert world.rows("accounts") == 1


def test_a_palm_that_was_enrolled_mirrored_is_disputed_as_that(tmp_path: Path) -> None:
    """Who squats on a palm may have flipped the photo."""
    with MobileWorld(tmp_path, template_trust=TemplateTrust.ANY_DEVICE) as world:
        squatter = world.phone()
        enrolment = squatter.open_enrolment(squatter.consent()).enrolment_id
        for shot in range(2):
            flipped = encode_template(mirrored(template(MAYA, RIGHT, shot)))
            squatter.add_template(enrolment, flipped)
        squatter.finish_enrolment(enrolment)
        disputed(world)

        assert world.row("SELECT hand FROM disputes") == ("left",)


def test_an_own_palm_is_not_disputed(world: MobileWorld) -> None:
    """There is no other account to judge."""
    refused = refused_enrolment(world.enrolled(shots(MAYA)), shots(MAYA, first=5))

    assert (refused.error, refused.dispute_code) == ("already_enrolled", None)
    assert world.rows("disputes") == 0


def test_a_palm_of_another_account_is_disputed_when_it_is_added(world: MobileWorld) -> None:
    """Also by a person with an account: it is the other one that is disputed."""
    omar = world.enrolled(shots(OMAR, LEFT))
    phone = world.enrolled(shots(MAYA))
    refused = refused_enrolment(phone, shots(MAYA, first=5) + shots(OMAR, LEFT, first=5))
    with world.database.read() as transaction:
        holder = transaction.devices.find(DeviceId(omar.key.thumbprint()))

    assert refused.dispute_code is not None
    assert holder is not None
    assert holder.account is not None
    assert world.row("SELECT hand, account FROM disputes") == ("left", holder.account.hex)


def contrary(world: MobileWorld) -> tuple[ReferencePhone, ReferencePhone, str]:
    """Let Omar hold Maya's left palm beside his own right one, and Maya come with both."""
    squatter, maya = world.enrolled(shots(MAYA, LEFT) + shots(OMAR)), world.phone()
    enrolment = maya.begin_enrolment(shots(MAYA, LEFT, first=5) + shots(MAYA))
    code = refusal(lambda: maya.finish_enrolment(enrolment)).dispute_code
    maya.finish_enrolment(enrolment)
    assert code is not None
    return squatter, maya, code


def opens_account(world: MobileWorld, phone: ReferencePhone, palm: bytes) -> bool:
    """Return whether a palm speaks for its account on a phone."""
    try:
        return world.answer_palm(phone, palm).hint == "wait_approve"
    except PhoneRefused as refused:
        assert refused.error == "palm_disputed"
        return False


def brings_in_a_phone(world: MobileWorld, palm: bytes) -> bool:
    """Return whether a new phone may ask a palm's account for trust."""
    try:
        return world.phone().ask_trust(palm).trust == "new"
    except PhoneRefused as refused:
        assert refused.error == "palm_disputed"
        return False


def test_the_operator_sees_what_to_judge_by_and_no_name(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both accounts: since when, how much used, with another palm or not."""
    world.clock.now += timedelta(days=40)
    squatter, _, code = contrary(world)
    world.show_palm(squatter, picture(OMAR, shot=9))
    shown = thenar(world, monkeypatch, "dispute", code.lower())
    today = world.clock().date().isoformat()
    party = ["  phones:                    1 trusted, 0 new"]
    party += ["  other palm:                yes"]

    assert shown.exit_code == 0
    assert shown.output.splitlines() == [
        "palm:                        left",
        f"disputed since:              {today}",
        "opens nothing:               new phones",
        f"Held by an account since:    {today}",
        f"  last use:                  {today}",
        *party,
        f"Claimed by an account since: {today}",
        "  last use:                  unknown",
        *party,
    ]


def test_another_person_locks_no_palm_on_the_phones_that_its_account_trusts(
    world: MobileWorld,
) -> None:
    """With a picture of a palm anybody can open a dispute, and again: not for long.

    Nor does a squatter's own early dispute spend that of whom he squats on.
    """
    owner, _, _ = contrary(world)
    palm, other = picture(MAYA, LEFT, 9), picture(OMAR, shot=9)
    outsider, opened = world.phone(), []
    for claimant in (outsider, outsider, outsider, outsider, world.phone()):
        opened.append(brings_in_a_phone(world, palm))
        assert opens_account(world, owner, palm)
        assert opens_account(world, world.phone(), other)
        refused_enrolment(claimant, shots(MAYA, LEFT, first=20) + shots(7))
        world.clock.now += timedelta(days=15)

    assert opened == [False, False, True, True, True]
    assert not brings_in_a_phone(world, palm)
    assert kinds_of_notices(world, owner).count("palm_disputed") == 1


def test_a_disputed_palm_alone_signs_no_account_in_and_still_brings_in_a_phone(
    world: MobileWorld,
) -> None:
    """A squatter holds nothing else perhaps; or its owner enrols again by mistake."""
    world.enrolled(shots(MAYA) + shots(MAYA, LEFT))
    for pictures in (shots(MAYA, first=5), shots(MAYA, LEFT, first=5) + shots(MAYA, first=7)):
        assert refused_enrolment(world.phone(), pictures).dispute_code is not None

    palm = picture(MAYA, shot=9)
    assert not opens_account(world, world.phone(), palm)
    assert brings_in_a_phone(world, palm)
    world.clock.now += timedelta(days=30)
    assert opens_account(world, world.phone(), palm)


def test_the_operator_locks_a_palm_everywhere_and_dismisses_a_dispute(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a month at most; the account's other palm works on."""
    owner, _, code = contrary(world)
    palm, other = picture(MAYA, LEFT, 9), picture(OMAR, shot=9)
    thenar(world, monkeypatch, "dispute", code, "--suspend")
    assert not opens_account(world, owner, palm)
    assert opens_account(world, owner, other)

    thenar(world, monkeypatch, "dispute", code, "--dismiss")
    refused_enrolment(world.phone(), shots(MAYA, LEFT, first=20) + shots(7))
    assert opens_account(world, owner, palm)
    assert opens_account(world, world.phone(), palm)
    thenar(world, monkeypatch, "dispute", code, "--suspend")
    world.clock.now += timedelta(days=30)
    assert opens_account(world, owner, palm)


def test_a_released_palm_is_free_and_the_accounts_phones_are_notified(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person enrols it; the other palm of the account stays."""
    squatter = world.enrolled(shots(MAYA) + shots(OMAR, LEFT))
    outdated, code = disputed(world), disputed(world)
    done = thenar(world, monkeypatch, "release", code, "--yes")
    again = [thenar(world, monkeypatch, "release", each, "--yes") for each in (code, outdated)]
    maya = world.enrolled(shots(MAYA))

    assert (done.exit_code, done.output) == (0, "The palm is released.\n")
    assert [each.exit_code for each in again] == [1, 1]
    assert kinds_of_notices(world, squatter) == ["palm_disputed", "palm_released"]
    assert kinds_of_notices(world, maya) == []
    assert world.rows("accounts") == 2
    assert world.row("SELECT count(*) FROM audit_entries WHERE event='palm_released'") == (1,)
    assert world.answer_palm(squatter, picture(OMAR, LEFT, 9)).hint == "wait_approve"


def test_an_account_without_another_palm_is_deleted_and_its_phones_are_notified(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a deletion code: the provider forgets it, and no backup brings it back."""
    squatter = world.enrolled(shots(MAYA))
    done = thenar(world, monkeypatch, "release", disputed(world), "--yes")
    world.services.deletion.finish_pending_erasures()

    assert (done.exit_code, done.output) == (0, "The account is deleted.\n")
    left = [world.rows(table) for table in ("accounts", "disputes", "departures")]
    assert left == [0, 0, 0]
    assert len(set(world.handoff.forgotten)) == 1
    assert kinds_of_notices(world, squatter) == ["palm_disputed", "palm_released"]


@pytest.mark.parametrize(("answer", "status", "accounts"), [("n\n", 1, 1), ("y\n", 0, 0)])
def test_the_operator_is_asked_first(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch, answer: str, status: int, accounts: int
) -> None:
    """It cannot be undone."""
    world.enrolled(shots(MAYA))
    done = thenar(world, monkeypatch, "release", disputed(world), answer=answer)

    assert (done.exit_code, world.rows("accounts")) == (status, accounts)
    assert "the only one" in done.output


@pytest.mark.parametrize("command", ["dispute", "release"])
@pytest.mark.parametrize("code", ["no code", "AAAA-AAAA-AAAA-AAAA-AAAA-AAAA"])
def test_a_code_of_no_dispute_shows_and_releases_nothing(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch, command: str, code: str
) -> None:
    """A deletion code is none, either."""
    phone = world.enrolled(shots(MAYA))
    codes = code, phone.deletion_code(picture(MAYA, shot=7)).deletion_code
    results = [thenar(world, monkeypatch, command, each) for each in codes]

    assert [each.exit_code for each in results] == [1, 1]
    assert world.rows("accounts") == 1


@pytest.mark.parametrize("rounds", [8])
def test_a_release_a_deletion_and_a_login_at_once_all_end(
    tmp_path: Path, database_url: str, rounds: int
) -> None:
    """Each waits for the other, and none for ever: the account goes once."""
    with MobileWorld(tmp_path, database_url) as world:
        cipher = TemplateCipher(KeyFile(world.settings.key_file).current)
        encryption = TemplateEncryption(cipher)

        def release(code: str) -> None:
            with suppress(NoSuchCode), world.database.write() as transaction:
                release_palm(transaction, encryption, code, world.clock())

        def erase(code: str) -> None:
            with suppress(NoSuchCode), world.database.write() as transaction:
                delete_by_code(transaction, code, world.clock())

        def use(phone: ReferencePhone) -> None:
            device_id = DeviceId(phone.key.thumbprint())
            with world.database.write() as transaction:
                device = transaction.devices.find(device_id)
                account = device and device.account
                if account and transaction.references.lock_account(account):
                    transaction.devices.use(device_id, world.clock())

        for person in range(1, rounds + 1):
            phone = world.enrolled(shots(person))
            deletion = phone.deletion_code(picture(person, shot=7)).deletion_code
            code = disputed(world, person)
            with ThreadPoolExecutor(4) as pool:
                done = [
                    pool.submit(use, phone), pool.submit(release, code),
                    pool.submit(erase, deletion), pool.submit(use, phone),
                ]  # fmt: skip
            for each in done:
                each.result()

        assert world.rows("accounts") == 0
        assert world.rows("audit_entries WHERE event = 'account_deleted'") == rounds


def test_a_released_account_leaves_no_subscription(world: MobileWorld) -> None:
    """A push service would learn when that phone enrols again."""
    phone = DeviceId(world.enrolled(shots(MAYA)).key.thumbprint())
    with world.database.write() as transaction:
        transaction.push_subscriptions.replace(phone, b"sealed")
        transaction.devices.unbind_all(next(iter(transaction.references.accounts())))

    assert world.rows("push_subscriptions") == 0


def test_disputes_and_notices_are_forgotten_in_time(world: MobileWorld) -> None:
    """A season to see the operator, and to read the notices."""
    phone = world.enrolled(shots(MAYA) + shots(OMAR, LEFT))
    disputed(world)
    jobs = RetentionJobs(world.database, world.services.deletion, world.clock)
    left = []
    with world.database.write() as transaction:
        device_id = DeviceId(phone.key.thumbprint())
        transaction.notices.add(device_id, NoticeKind.PALM_RELEASED, world.clock())
    for age in (DISPUTE_RETENTION - timedelta(days=1), timedelta(days=1), timedelta(days=1)):
        world.clock.now += age
        jobs.run_once()
        left.append((world.rows("disputes"), world.rows("notices")))

    assert left == [(1, 2), (1, 2), (0, 0)]
