"""A palm identifies; it takes a phone that the owner trusts, or time and notice, to own.

On SQLite and on PostgreSQL.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from engine.types import Hand
from mobile_api.account.deletion import delete_by_code
from mobile_api.account.phones import NETWORK_LIMIT, NEW_SHOWN
from mobile_api.challenges.shown import ShownPictures
from mobile_api.errors import DeviceUnbound, NoSuchCode, PhoneNotTrusted
from mobile_api.types import DeviceId
from oidc.login.tickets import parse_ticket
from oidc.types import Authenticated, Level
from tests.support.palms.fake_engine import picture, shots
from tests.support.phone.authenticator import Authenticator
from tests.support.phone.passkeys import PasskeyPhone
from tests.support.phone.reference import Phone, error_of
from tests.support.service.mobile_api import MobileWorld

MAYA, OMAR = 1, 2
PALM = picture(MAYA, shot=9)
"""Maya's palm; or a photo of it."""

HOUR_S = 3600
WAIT_S = 72 * HOUR_S
ALONE, WITH_PHONE = Level.PALM, Level.PALM_AND_PHONE


@pytest.fixture
def own(world: MobileWorld) -> Phone:
    """Give the phone with which Maya enrolled."""
    return world.enrolled(shots(MAYA))


@pytest.fixture
def new(world: MobileWorld, own: Phone) -> Phone:
    """Give a new phone whose holder has shown Maya's palm, and asks for trust."""
    phone = world.phone()
    phone.ask_trust(PALM)
    return phone


def level(world: MobileWorld, phone: Phone) -> Level:
    """Sign in where that needs a trusted phone; return what was proved."""
    world.handoff.accepts = (WITH_PHONE,)
    login = phone.claim(world.handoff.open()).login_id
    hint = phone.answer_picture(login, PALM).hint
    outcome = world.handoff.outcome(login)
    assert isinstance(outcome, Authenticated)
    assert (hint == "phone_not_trusted") is (outcome.level is ALONE)
    if outcome.level is not ALONE:
        phone.approve(login)
    return outcome.level


def proof_of(phone: Phone) -> str:
    """Show the palm."""
    return phone.prove_palm(PALM).palm_proof


def approve(own: Phone) -> None:
    """Approve the first request."""
    own.approve_phone(own.standing().requests[0].handle, proof_of(own))


def handle_on(own: Phone, *, is_this: bool) -> str:
    """Return the handle of a phone in the owner's list."""
    phones = own.account(PALM).phones
    return next(each.handle for each in phones if each.is_this is is_this)


def test_a_photo_on_a_new_phone_signs_no_account_in_and_gains_nothing(
    world: MobileWorld, own: Phone
) -> None:
    """Every address that a thief with a photo could use."""
    thief = world.phone()
    first, second = level(world, thief), level(world, thief)
    proof = proof_of(thief)
    passkey = PasskeyPhone(thief, Authenticator("https://id.example.test"))
    own_handle = handle_on(own, is_this=True)
    attempts: dict[str, Callable[[], object]] = {
        "apps": lambda: thief.account(PALM),
        "withdraw": lambda: thief.withdraw("x", proof),
        "deletion code": lambda: thief.deletion_code(PALM),
        "recovery code": lambda: thief.recovery_code(PALM),
        "delete": lambda: thief.delete_account(PALM),
        "passkey": lambda: passkey.post("/passkeys/creation", {"palm_proof": proof}),
        "phones": lambda: thief.account(PALM),
        "approve": lambda: thief.approve_phone(own_handle, proof),
        "refuse": lambda: thief.refuse_phone(own_handle),
        "remove": lambda: thief.remove_phone(own_handle, proof),
    }

    assert (first, second) == (ALONE, ALONE)
    assert {error_of(act) for act in attempts.values()} == {"phone_not_trusted"}
    assert thief.standing().requests == []
    assert error_of(lambda: thief.recover("A" * 24, proof)) == "recovery_code_wrong"
    assert thief.standing().trust == "new"
    assert level(world, own) == WITH_PHONE


def test_a_login_waits_for_trust_and_takes_the_palm_that_was_shown_for_it(
    world: MobileWorld, own: Phone
) -> None:
    """On that phone, by that person, once trusted; never a palm from before it began."""
    world.handoff.accepts = (WITH_PHONE,)
    passkey, new = PasskeyPhone(own, Authenticator("https://id.example.test")), world.phone()
    passkey.add(PALM)
    login = new.claim(world.handoff.open()).login_id
    proof = new.answer_picture(login, PALM).palm_proof
    assert proof is not None
    early = error_of(lambda: new.answer_proved(login, proof))
    synced = PasskeyPhone(new, passkey.authenticator)
    assertion = {**passkey.authenticator.sign(synced.ask()), "palm_proof": proof}
    synced.post("/passkeys/assertions", assertion)
    world.clock.advance(1)
    foreign = error_of(lambda: own.answer_proved(login, proof_of(own)))
    answered = new.answer_proved(login, proof)
    outcome = world.handoff.outcome(login)
    later = new.claim(world.handoff.open()).login_id

    assert (early, foreign, answered.hint) == (
        "phone_not_trusted",
        "login_gone",
        "wait_approve",
    )
    assert isinstance(outcome, Authenticated)
    assert (outcome.level, outcome.auth_time) == (
        WITH_PHONE,
        world.clock() - timedelta(seconds=1),
    )
    assert error_of(lambda: new.answer_proved(later, proof)) == "palm_proof_expired"


def test_a_phone_that_others_trust_gets_no_proof_of_a_guests_palm(
    world: MobileWorld, own: Phone
) -> None:
    """It would be one of its owner's account."""
    world.handoff.accepts = (WITH_PHONE,)
    shown = world.answer_palm(world.enrolled(shots(OMAR)), PALM)

    assert (shown.hint, shown.palm_proof) == ("phone_not_trusted", None)


def test_a_palm_of_the_thief_opens_another_account(world: MobileWorld, own: Phone) -> None:
    """A phone that a palm alone has bound adds no palm to that account."""
    thief = world.phone()
    level(world, thief)
    thief.enrol(shots(OMAR))

    assert world.rows("accounts") == 2
    assert len(own.account(PALM).phones) == 1


def test_a_trusted_phone_approves(world: MobileWorld, own: Phone, new: Phone) -> None:
    """The usual way to a second phone; the owner's phones are notified."""
    before = level(world, new)
    request = own.standing().requests[0]
    own.approve_phone(request.handle, proof_of(own))

    assert request.trusted_in == WAIT_S
    assert (before, level(world, new)) == (ALONE, WITH_PHONE)
    assert new.standing().trust == "trusted"
    assert [each.kind for each in own.standing().notices] == ["new_phone", "phone_trusted"]
    assert own.standing().requests == []


def test_an_approval_cannot_be_repeated(world: MobileWorld, own: Phone, new: Phone) -> None:
    """Nor does it bring back a phone that was removed since."""
    handle = own.standing().requests[0].handle
    proof = proof_of(own)
    own.approve_phone(handle, proof)
    again = error_of(lambda: own.approve_phone(handle, proof))
    own.remove_phone(handle, proof)

    assert again == "phone_gone"
    assert error_of(lambda: own.approve_phone(handle, proof)) == "phone_gone"
    assert new.standing().trust == "none"


def test_a_new_phone_learns_no_passkey_of_the_account(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """Who uses it finds its own; a thief must not count the owner's."""
    passkey = PasskeyPhone(own, Authenticator("https://id.example.test"))
    passkey.add(PALM)

    assert passkey.ask()["allow"] != []
    assert PasskeyPhone(new, passkey.authenticator).ask()["allow"] == []


def test_a_palm_alone_binds_weakly(world: MobileWorld, own: Phone, new: Phone) -> None:
    """Whose phone it is, their own palm says better than a guest's palm."""
    omars = world.enrolled(shots(OMAR))
    new.ask_trust(picture(OMAR, shot=8))
    trusts = {each.trust for each in omars.account(picture(OMAR, shot=7)).phones}

    assert trusts == {"trusted", "new"}
    assert len(own.account(PALM).phones) == 1


def test_waiting_has_a_palm_at_both_ends(world: MobileWorld, own: Phone, new: Phone) -> None:
    """No owner is locked out for good."""
    world.clock.advance(WAIT_S - 1)
    early = new.ask_trust(PALM)
    world.clock.advance(1)
    unasked = new.standing()
    late = new.ask_trust(PALM)

    assert (early.trust, early.trusted_in) == ("new", 1)
    assert (unasked.trust, unasked.trusted_in) == ("new", 0)
    assert (late.trust, late.trusted_in) == ("trusted", None)


def test_another_palm_neither_begins_nor_ends_waiting(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """Time alone trusts no phone."""
    world.clock.advance(WAIT_S)

    assert error_of(lambda: new.ask_trust(picture(OMAR))) == "palm_mismatch"
    assert error_of(lambda: world.phone().ask_trust(picture(OMAR))) == "palm_mismatch"
    assert new.standing().trust == "new"


def test_a_refused_phone_begins_again(
    world: MobileWorld, own: Phone, new: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refusing needs no palm, and ends what the phone signed in to."""
    ended: list[str] = []
    monkeypatch.setattr(
        world.interface, "revoke_sign_ins", lambda _account, phone: ended.append(phone)
    )
    world.clock.advance(WAIT_S)
    own.refuse_phone(own.standing().requests[0].handle)
    again = new.ask_trust(PALM)

    assert set(ended) == {new.key.thumbprint()}
    assert (again.trust, again.trusted_in) == ("new", WAIT_S)


def test_no_phone_is_flooded_with_requests_or_notices(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """Among a hundred requests one would be overlooked, behind a hundred notices another.

    Nor does a flood keep the owner's own phone from asking: the latest is on top.
    """
    approve(own)
    for _ in range(30):
        world.phone().ask_trust(PALM)
    world.clock.advance(1)
    another = world.phone()
    asked = another.ask_trust(PALM)
    shown_to_owner = own.standing()

    assert (len(shown_to_owner.requests), shown_to_owner.more_requests) == (3, 28)
    assert shown_to_owner.requests[0].number == asked.number
    assert [each.kind for each in shown_to_owner.notices] == ["new_phone", "phone_trusted"]
    assert len(own.account(PALM).phones) == 2 + NEW_SHOWN
    own.approve_phone(shown_to_owner.requests[0].handle, proof_of(own))
    own.refuse_all()
    assert (own.standing().requests, another.standing().trust) == ([], "trusted")
    assert len(own.account(PALM).phones) == 3


def test_of_one_network_so_many_phones_wait_and_the_next_is_still_approved(
    world: MobileWorld, own: Phone
) -> None:
    """Who has a picture and many keys keeps no neighbour from asking a trusted phone."""
    with TestClient(
        world.application(), "https://id.example.test", client=("203.0.113.7", 1)
    ) as near:
        waiting = [world.phone(near).ask_trust(PALM) for _ in range(NETWORK_LIMIT)]
        late = world.phone(near)
        asked = [late.ask_trust(PALM), late.ask_trust(PALM)]
        world.clock.advance(1)
        distant = world.phone().ask_trust(PALM)
        shown = own.standing().requests
        own.approve_phone(shown[1].handle, proof_of(own))
        now = late.standing().trust

    assert [each.trusted_in for each in (waiting[-1], *asked)] == [WAIT_S, None, None]
    assert [each.number for each in shown[:2]] == [distant.number, asked[0].number]
    assert now == "trusted"
    asks = "SELECT count(*) FROM audit_entries WHERE event = 'phone_trust_asked'"
    assert world.row(asks) == (NETWORK_LIMIT + 2,)


def test_a_request_lapses(world: MobileWorld, own: Phone, new: Phone) -> None:
    """A forgotten request is no way in."""
    handle, proof_s = own.standing().requests[0].handle, 14 * 24 * HOUR_S
    world.clock.advance(WAIT_S + proof_s)
    proof = proof_of(own)

    assert own.standing().requests == []
    assert error_of(lambda: own.approve_phone(handle, proof)) == "phone_gone"
    assert new.ask_trust(PALM).trusted_in == WAIT_S


def test_a_removed_phone_ends_its_logins_and_what_it_signed_in_to(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """A lost phone is worth nothing to its finder."""
    approve(own)
    login = new.claim(world.handoff.open()).login_id
    new.answer_picture(login, PALM)
    own.remove_phone(handle_on(own, is_this=False), proof_of(own), end_sign_ins=True)

    assert world.handoff.state_of(login) == "cancelled"
    assert error_of(lambda: new.approve(login)) == "login_gone"
    assert level(world, new) == ALONE


def test_a_removed_phone_comes_back_by_nothing_that_it_made(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """Its owner hears what it makes. A passkey that another phone made or used stays."""
    approve(own)
    kept, made = (PasskeyPhone(new, Authenticator("https://id.example.test")) for _ in range(2))
    kept.add(PALM)
    PasskeyPhone(own, kept.authenticator).vouch()
    made.add(PALM)
    kept.vouch()
    deletes = new.deletion_code(PALM).deletion_code
    code, shown_to_owner = new.recovery_code(PALM).recovery_code, own.standing().notices
    own.remove_phone(handle_on(own, is_this=False), proof_of(own))
    proof = proof_of(new)

    assert {"passkey_added", "code_taken"} <= {each.kind for each in shown_to_owner}
    assert error_of(lambda: new.recover(code, proof)) == "recovery_code_wrong"
    assert error_of(lambda: made.vouch(PALM)) == "passkey_refused"
    with pytest.raises(NoSuchCode), world.database.write() as transaction:
        delete_by_code(transaction, deletes, world.clock())
    assert new.standing().trust == "new"
    kept.vouch(PALM)
    assert new.standing().trust == "trusted"


def test_refusing_a_phone_leaves_the_owners_recovery_code(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """Else who asks with a picture of a palm would end it, and could wait then."""
    code = own.recovery_code(PALM).recovery_code
    own.refuse_all()
    new.prove_palm(PALM)

    assert new.recover(code, proof_of(new)).trust == "trusted"


def test_a_phone_removed_while_its_palm_is_compared_is_no_factor(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """Whichever comes first, the login ends."""
    approve(own)
    handle = handle_on(own, is_this=False)
    login = new.claim(world.handoff.open()).login_id
    proof = proof_of(own)
    world.handoff.overtake = lambda: own.remove_phone(handle, proof)

    assert error_of(lambda: new.answer_picture(login, PALM)) == "login_gone"


def test_a_phone_removed_since_it_was_judged_changes_nothing(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """What is final is judged where it is written, and a login where it is answered."""
    approve(own)
    services, ticket = world.services, world.handoff.open()
    stale = services.devices.require(DeviceId(new.key.thumbprint()))
    proof, login = proof_of(new), parse_ticket(ticket).login_id
    own.remove_phone(handle_on(own, is_this=False), proof_of(own))
    new.claim(ticket)

    with pytest.raises(DeviceUnbound):
        services.deletion.delete(stale, proof)
    with pytest.raises(DeviceUnbound):
        services.deletion.issue_code(stale, proof)
    with pytest.raises(PhoneNotTrusted):
        services.logins.answer_proved(stale, login, proof)
    services.logins.answer(stale, login, ShownPictures([PALM]))
    outcome = world.handoff.outcome(login)
    assert isinstance(outcome, Authenticated)
    assert outcome.level is ALONE


@pytest.mark.parametrize("turn", range(3))
def test_of_approving_and_refusing_at_once_one_happens(
    world: MobileWorld, own: Phone, new: Phone, turn: int
) -> None:
    """Two trusted phones, one request: the other learns that it came late."""
    approve(own)
    third = world.phone()
    third.ask_trust(PALM)
    handle = own.standing().requests[0].handle
    proof = proof_of(own)
    acts = [lambda: own.approve_phone(handle, proof), lambda: new.refuse_phone(handle)]
    with ThreadPoolExecutor(2) as pool:
        errors = [*pool.map(error_of, acts)]

    assert sorted(each or "" for each in errors) == ["", "phone_gone"]
    assert third.standing().trust == ("trusted" if errors[0] is None else "none")


def test_two_phones_that_remove_each_other_leave_one(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """Else a quarrel would lock both out."""
    approve(own)
    handles = [handle_on(own, is_this=False), handle_on(own, is_this=True)]
    proofs = [proof_of(own), proof_of(new)]
    acts = [
        lambda: own.remove_phone(handles[0], proofs[0]),
        lambda: new.remove_phone(handles[1], proofs[1]),
    ]
    with ThreadPoolExecutor(2) as pool:
        refused = [each for each in pool.map(error_of, acts) if each]

    assert len(refused) == 1
    assert sorted([own.standing().trust, new.standing().trust]) == ["none", "trusted"]


def test_a_recovery_code_trusts_at_once_and_works_once(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """With a palm; all trusted phones are notified."""
    code = own.recovery_code(PALM).recovery_code
    recovered = new.recover(code.lower(), proof_of(new))
    other = world.phone()
    other.ask_trust(PALM)

    assert recovered.trust == "trusted"
    assert new.recover(code, proof_of(new)).trust == "trusted", "its first answer was lost"
    assert "phone_trusted" in [each.kind for each in own.standing().notices]
    assert error_of(lambda: other.recover(code, proof_of(other))) == "recovery_code_wrong"
    fresh = own.recovery_code(PALM).recovery_code
    assert other.recover(fresh, proof_of(other)).trust == "trusted"


def test_a_trusted_phone_cannot_be_refused(world: MobileWorld, own: Phone, new: Phone) -> None:
    """Refusing needs neither palm nor passkey: a borrowed phone must not remove the others."""
    approve(own)

    assert error_of(lambda: own.refuse_phone(handle_on(own, is_this=False))) == "phone_gone"
    assert new.standing().trust == "trusted"


def give_passkey(own: Phone) -> None:
    """Let the owner make a passkey."""
    PasskeyPhone(own, Authenticator("https://id.example.test")).add(PALM)


def give_code(own: Phone) -> None:
    """Let the owner take a recovery code."""
    own.recovery_code(PALM)


@pytest.mark.parametrize("give", [give_passkey, give_code])
def test_who_has_a_passkey_or_a_code_is_not_outwaited(
    world: MobileWorld, own: Phone, new: Phone, give: Callable[[Phone], None]
) -> None:
    """The request stays for other ways; what has waited before counts no more, ever."""
    world.clock.advance(WAIT_S - 1)
    give(own)
    closed = new.ask_trust(PALM)
    late = world.phone().ask_trust(PALM)
    world.clock.advance(HOUR_S)
    waited = new.ask_trust(PALM)

    assert (closed.trusted_in, late.trusted_in, waited.trust) == (None, None, "new")
    assert "wait" not in waited.roads
    if give is give_code:
        own_code = own.recovery_code(PALM).recovery_code
        other = world.phone()
        other.prove_palm(PALM)
        other.recover(own_code, proof_of(other))
        assert new.ask_trust(PALM).trusted_in == WAIT_S
    assert len(own.standing().requests) == 2


@pytest.mark.parametrize(
    ("setting", "waits"), [("never", [False, False]), ("always", [True, True])]
)
def test_an_operator_closes_waiting_for_all_or_opens_it(
    tmp_path: Path, database_url: str, setting: str, waits: list[bool]
) -> None:
    """Whether the account has another way or not."""
    with MobileWorld(tmp_path, database_url, trust_by_waiting=setting) as world:
        own, shown_to_owner = world.enrolled(shots(MAYA)), []
        for _ in range(2):
            shown_to_owner.append(world.phone().ask_trust(PALM))
            give_code(own)

    assert [each.trusted_in is not None for each in shown_to_owner] == waits
    assert ["wait" in each.roads for each in shown_to_owner] == waits


def test_a_phone_that_waited_signs_in_and_owns_nothing_for_a_week(
    world: MobileWorld, own: Phone, new: Phone
) -> None:
    """Its owner, who was away, comes back and removes it; a passkey or a code says more."""
    world.clock.advance(WAIT_S)
    opened = new.begin_enrolment(shots(MAYA, first=5) + shots(MAYA, Hand.LEFT))
    new.ask_trust(PALM)
    signed_in = level(world, new)
    third = world.phone()
    third.ask_trust(PALM)
    proof, handle = proof_of(new), new.standing().requests[0].handle
    owning: list[Callable[[], object]] = [
        lambda: new.approve_phone(handle, proof),
        lambda: new.refuse_phone(handle),
        lambda: new.remove_phone(handle_on(new, is_this=False), proof),
        lambda: new.recovery_code(PALM),
        lambda: new.deletion_code(PALM),
        lambda: new.delete_account(PALM),
        lambda: new.enrol(shots(MAYA, Hand.LEFT)),
        lambda: new.finish_enrolment(opened),
        lambda: new.withdraw("handle", proof),
        lambda: PasskeyPhone(new, Authenticator("https://id.example.test")).add(PALM),
    ]

    assert signed_in == WITH_PHONE
    assert {error_of(act) for act in owning} == {"phone_owns_later"}
    new.recover(own.recovery_code(PALM).recovery_code, proof_of(new))
    new.refuse_phone(handle)
    assert new.recovery_code(PALM).recovery_code
