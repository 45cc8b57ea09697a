"""The screen lock vouches for a phone's key: it brings back, and is asked where it counts."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from mobile_api.devices import require_bound
from mobile_api.errors import DeviceUnbound, PasskeyRefused
from mobile_api.passkeys import PASSKEYS_LIMIT, Assertion, Creation, PasskeyService
from mobile_api.types import CredentialId, Device, DeviceId
from oidc.types import Authenticated, Level
from tests.support.databases.statements import without
from tests.support.palms.fake_engine import picture, shots
from tests.support.phone.authenticator import RS256, USER_PRESENT, Authenticator, octets, text
from tests.support.phone.passkeys import PasskeyPhone
from tests.support.phone.reference import Phone, refusal
from tests.support.service.mobile_api import API, MobileWorld

MAYA, OMAR = 1, 2
ORIGIN = "https://id.example.test"
DIGEST = bytes(range(32))
PRINT = DIGEST.hex(":")
OTHER_PRINT = bytes(reversed(DIGEST)).hex(":")
ANDROID_ORIGIN = f"android:apk-key-hash:{text(DIGEST)}"
WEEK_S = 7 * 24 * 3600
MINUTES_S = 301


def enrolled(world: MobileWorld, person: int = MAYA) -> PasskeyPhone:
    """Return the phone of an enrolled person; it has no passkey yet."""
    phone = world.enrolled(shots(person))
    return PasskeyPhone(phone, Authenticator(ORIGIN))


def forgetful(world: MobileWorld, before: PasskeyPhone) -> PasskeyPhone:
    """Return the same phone after its browser forgot the key, or another with that passkey."""
    return PasskeyPhone(world.phone(), before.authenticator)


def signed_by(phone: PasskeyPhone) -> dict[str, Any]:
    """Return what a new phone sends after its owner has shown the palm."""
    proof = phone.palm_proof(picture(MAYA, shot=8))
    return {**phone.authenticator.sign(phone.ask()), "palm_proof": proof}


@pytest.fixture
def maya(world: MobileWorld) -> PasskeyPhone:
    """Give a phone whose screen lock vouches for it."""
    phone = enrolled(world)
    phone.add(picture(MAYA, shot=9))
    return phone


def events(world: MobileWorld) -> list[tuple[str, str]]:
    """Return what the audit log says."""
    with world.database.read() as transaction:
        return [(entry.event, entry.details) for entry in transaction.audit.entries()]


def test_a_passkey_is_made_for_the_host_of_the_page_and_names_no_account(
    world: MobileWorld,
) -> None:
    """What the phone keeps says neither who it is nor which account it is of."""
    phone = enrolled(world)
    one, other = (phone.begin_creation(picture(MAYA, shot=9)) for _ in range(2))
    account = str(world.row("SELECT account FROM accounts")[0])

    assert one["rp_id"] == "id.example.test"
    assert one["user_handle"] != other["user_handle"]
    assert len(octets(one["user_handle"])) == 32
    assert octets(one["user_handle"]).hex() not in account.replace("-", "")
    assert one["algorithms"] == [-7, -257]
    assert (one["exclude"], one["expires_in"]) == ([], 300)


def test_enrolling_is_palm_enough(world: MobileWorld) -> None:
    """At first use the palm was shown a moment ago: it is not shown again."""
    enrolment = world.phone()
    said = enrolment.enrol(shots(MAYA))
    phone = PasskeyPhone(enrolment, Authenticator(ORIGIN))

    wanted = phone.post("/passkeys/creation", {"palm_proof": said.palm_proof})
    phone.post("/passkeys", phone.authenticator.create(wanted))

    assert world.rows("passkeys") == 1


def test_a_palm_is_needed_to_add_one(world: MobileWorld, maya: PasskeyPhone) -> None:
    """A person who borrows an unlocked phone adds no screen lock."""
    wrong = refusal(lambda: maya.palm_proof(picture(OMAR)))
    old = maya.palm_proof(picture(MAYA, shot=8))
    world.clock.advance(MINUTES_S)
    maya.vouch()
    late = refusal(lambda: maya.post("/passkeys/creation", {"palm_proof": old}))

    assert wrong.error == "palm_mismatch"
    assert late.error == "palm_proof_expired"
    assert world.rows("passkeys") == 1


def test_a_forgotten_key_comes_back_by_the_screen_lock(
    world: MobileWorld, maya: PasskeyPhone
) -> None:
    """To the same account, without enrolling again; the next palm is a second factor."""
    back = forgetful(world, maya)
    asked = back.ask()
    back.post("/passkeys/assertions", signed_by(back))
    login = world.show_palm(back.phone, picture(MAYA, shot=8))
    outcome = world.handoff.outcome(login)

    assert asked["allow"] == []
    assert world.rows("accounts") == 1
    assert isinstance(outcome, Authenticated)
    assert outcome.level is Level.PALM_AND_PHONE
    assert back.phone.approve(login).hint == "go"
    assert events(world)[-1] == ("phone_trusted", '{"by":"passkey"}')


def test_a_computer_chip_with_rsa_does_as_well(world: MobileWorld) -> None:
    """RS256 is what some of them have."""
    phone = enrolled(world)
    phone.authenticator.algorithm = RS256
    phone.add(picture(MAYA, shot=9))
    forgetful(world, phone).vouch(picture(MAYA, shot=8))

    assert world.row("SELECT count(*) FROM devices WHERE account IS NOT NULL")[0] == 2


@pytest.mark.parametrize(
    ("listed", "expected"), [(PRINT, "trusted"), (OTHER_PRINT, "new")], ids=["own", "other"]
)
def test_a_passkey_signs_in_the_operators_own_android_app_and_no_other(
    tmp_path: Path, listed: str, expected: str
) -> None:
    """Android signs the app's certificate instead of a page; the list names certificates."""
    with MobileWorld(tmp_path, android_apps=f"com.example.palm={listed}") as world:
        phone = enrolled(world)
        phone.add(picture(MAYA, shot=9))
        back = forgetful(world, phone)
        back.authenticator.origin = ANDROID_ORIGIN
        back.authenticator.client = {"androidPackageName": "com.example.palm"}
        signed = signed_by(back)
        answer = back.phone.send(
            "POST", "/passkeys/assertions", json.dumps(signed).encode(), "application/json"
        )

        assert answer.status_code == (204 if expected == "trusted" else 403)
        assert back.phone.standing().trust == expected


WRONG = {
    "origin": {"origin": "https://id.example.test.evil.example"},
    "an app that is not listed": {"origin": ANDROID_ORIGIN},
    "plain origin": {"origin": "http://id.example.test"},
    "rp id": {"rp_id": "example.test"},
    "no user verified": {"flags": USER_PRESENT},
    "no user present": {"flags": 0x04},
    "another ceremony": {"client": {"type": "payment.get"}},
    "another challenge": {"client": {"challenge": "A" * 54}},
    "within another page": {"client": {"crossOrigin": True}},
    "under another page": {"client": {"topOrigin": "https://evil.example"}},
}
"""What one thing about the authenticator or its browser is wrong."""


def spoil(authenticator: Authenticator, wrong: dict[str, object]) -> None:
    """Make one thing wrong."""
    for name, value in wrong.items():
        setattr(authenticator, name, value)


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_one_wrong_thing_is_enough_to_refuse_an_assertion(
    world: MobileWorld, maya: PasskeyPhone, wrong: dict[str, object]
) -> None:
    """WebAuthn Level 3 §7.2: the right passkey, and one step of verification that fails."""
    back = forgetful(world, maya)
    spoil(back.authenticator, wrong)

    refused = refusal(lambda: back.vouch(picture(MAYA, shot=8)))

    assert (refused.status, refused.error) == (403, "passkey_refused")
    assert back.phone.standing().trust == "new"


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_one_wrong_thing_is_enough_to_refuse_a_new_passkey(
    world: MobileWorld, wrong: dict[str, object]
) -> None:
    """WebAuthn Level 3 §7.1."""
    phone = enrolled(world)
    spoil(phone.authenticator, wrong)

    refused = refusal(lambda: phone.add(picture(MAYA, shot=9)))

    assert (refused.status, refused.error) == (403, "passkey_refused")
    assert world.rows("passkeys") == 0


@pytest.mark.parametrize(
    ("part", "at"),
    [("signature", 20), ("signature", -1), ("authenticator_data", 36), ("client_data", 9)],
)
def test_an_altered_assertion_is_refused(
    world: MobileWorld, maya: PasskeyPhone, part: str, at: int
) -> None:
    """Each bit of what was signed counts, the counter's too."""
    back = forgetful(world, maya)
    signed = signed_by(back)
    altered = bytearray(octets(signed[part]))
    altered[at] ^= 1
    signed[part] = text(bytes(altered))

    refused = refusal(lambda: back.post("/passkeys/assertions", signed))

    assert refused.error == "passkey_refused"
    assert back.phone.standing().trust == "new"


def test_a_challenge_is_good_once_for_one_phone_one_purpose_and_minutes(
    world: MobileWorld, maya: PasskeyPhone
) -> None:
    """An eavesdropper, or a page that tricks a person into signing, gains nothing."""
    back, thief = forgetful(world, maya), forgetful(world, maya)
    signed, other = signed_by(back), signed_by(back)
    stolen = {**signed, "palm_proof": thief.palm_proof(picture(MAYA, shot=8))}
    swapped = maya.authenticator.sign(maya.begin_creation(picture(MAYA, shot=8)))
    invented = maya.authenticator.sign({"rp_id": "id.example.test", "challenge": "A" * 54})

    def refused(phone: PasskeyPhone, body: dict[str, str]) -> str | None:
        return refusal(lambda: phone.post("/passkeys/assertions", body)).error

    assert refused(thief, stolen) == "passkey_refused"
    assert refused(thief, signed) == "palm_proof_expired"
    back.post("/passkeys/assertions", signed)
    assert refused(back, signed) == "passkey_refused"
    assert refused(maya, swapped) == "passkey_refused"
    assert refused(maya, invented) == "passkey_refused"
    world.clock.advance(MINUTES_S)
    assert refused(back, other) == "passkey_refused"


def test_a_request_that_ends_in_503_uses_no_challenge(
    world: MobileWorld, maya: PasskeyPhone
) -> None:
    """The person need not unlock the screen again."""
    back, phone = forgetful(world, maya), enrolled(world, OMAR)
    created = phone.authenticator.create(phone.begin_creation(picture(OMAR, shot=9)))
    for owner, path, body in (
        (back, "/passkeys/assertions", signed_by(back)),
        (phone, "/passkeys", created),
    ):
        with without(world.database, "audit_entries"):
            assert refusal(partial(owner.post, path, body)).status == 503
        owner.post(path, body)

    assert world.rows("passkeys") == 2


def test_a_counter_that_falls_is_refused_and_noted(world: MobileWorld) -> None:
    """Two authenticators that count with one key: one of them is a copy."""
    phone = enrolled(world)
    phone.authenticator.step = 1
    phone.add(picture(MAYA, shot=9))
    phone.vouch()
    phone.vouch()
    phone.authenticator.count = 1
    again = refusal(phone.vouch)
    phone.authenticator.count, phone.authenticator.step = 0, 0
    silent = refusal(phone.vouch)
    phone.authenticator.count = 3
    phone.vouch()

    assert (again.error, silent.error) == ("passkey_refused", "passkey_refused")
    assert [event for event, _ in events(world)].count("passkey_counter_fell") == 2


def test_a_foreign_or_unknown_passkey_trusts_no_phone(
    world: MobileWorld, maya: PasskeyPhone
) -> None:
    """Neither for another account's phone, nor with a palm of another person.

    Who shows a palm must not learn whether its owner has that passkey.
    """
    omar = enrolled(world, OMAR)
    outsider = PasskeyPhone(omar.phone, maya.authenticator)
    foreign = refusal(outsider.vouch)
    unknown_authenticator = Authenticator(ORIGIN)
    unknown_authenticator.create(omar.begin_creation(picture(OMAR, shot=9)))
    thief = forgetful(world, maya)
    others = refusal(lambda: thief.vouch(picture(OMAR, shot=8)))
    thief.authenticator.credentials = unknown_authenticator.credentials
    unknown = refusal(lambda: thief.vouch(picture(MAYA, shot=8)))

    assert foreign.error == others.error == unknown.error == "passkey_refused"
    assert str(foreign) == str(others) == str(unknown)


def test_a_passkey_without_a_palm_makes_no_phone_trusted(
    world: MobileWorld, maya: PasskeyPhone
) -> None:
    """Who can unlock a friend's synced passkeys is not yet that friend."""
    thief = forgetful(world, maya)
    unbound = refusal(thief.vouch)
    thief.phone.prove_palm(picture(MAYA, shot=8))

    assert unbound.error == "device_unbound"
    assert refusal(thief.vouch).error == "palm_proof_expired"


@pytest.mark.parametrize("handle", [None, "AAAA"])
def test_a_phone_without_an_account_comes_back_by_a_passkey_that_says_its_handle(
    world: MobileWorld, maya: PasskeyPhone, handle: str | None
) -> None:
    """WebAuthn Level 3 §7.2, step 6: no user was named, so the authenticator names one."""
    back = forgetful(world, maya)
    signed = {**signed_by(back), "user_handle": handle}

    assert refusal(lambda: back.post("/passkeys/assertions", signed)).error == "passkey_refused"


def test_a_phone_whose_passkeys_were_named_may_leave_the_handle_out(maya: PasskeyPhone) -> None:
    """Security keys do."""
    asked = maya.ask()
    signed: dict[str, str | None] = {**maya.authenticator.sign(asked), "user_handle": None}

    assert asked["allow"] == [signed["credential_id"]]
    assert maya.post("/passkeys/assertions", signed) == {}


def a_service(world: MobileWorld) -> PasskeyService:
    """Return the use case itself, for what happens between two of its steps."""
    return cast("PasskeyService", world.applications[0].state.passkeys)


def device_of(world: MobileWorld, phone: PasskeyPhone) -> Device:
    """Return a phone as the service knows it now."""
    with world.database.read() as transaction:
        found = transaction.devices.find(DeviceId(phone.phone.key.thumbprint()))
    assert found is not None
    return found


def unbind(world: MobileWorld, device: Device) -> None:
    """Remove a phone from its account."""
    with world.database.write() as transaction:
        transaction.devices.unbind(device.device_id, require_bound(device))


def test_a_phone_that_was_refused_meanwhile_is_not_trusted(
    world: MobileWorld, maya: PasskeyPhone
) -> None:
    """Whichever comes first, the owner's word counts."""
    back = forgetful(world, maya)
    body, before = signed_by(back), device_of(world, back)
    unbind(world, before)
    names = "credential_id", "client_data", "authenticator_data", "signature", "user_handle"
    credential, *signed = (octets(body[name]) for name in names)
    assertion = Assertion(body["challenge"], CredentialId(credential), *signed)

    with pytest.raises(PasskeyRefused):
        a_service(world).authenticate(before, assertion, body["palm_proof"])
    assert device_of(world, back).account is None


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_phone_that_was_removed_meanwhile_or_its_account_gets_no_passkey(
    world: MobileWorld, *, is_deleted: bool
) -> None:
    """It would come back by it; one without an account is no fault of ours."""
    phone = enrolled(world)
    body = phone.authenticator.create(phone.begin_creation(picture(MAYA, shot=8)))
    device, data = device_of(world, phone), (body["client_data"], body["attestation"])
    made = Creation(body["challenge"], *map(octets, data))
    if is_deleted:
        phone.phone.delete_account(picture(MAYA, shot=9))
    else:
        unbind(world, device)

    with pytest.raises(DeviceUnbound):
        a_service(world).add(device, made)
    assert world.rows("passkeys") == 0


def test_the_name_of_another_passkey_cannot_be_taken(
    world: MobileWorld, maya: PasskeyPhone
) -> None:
    """An attacker who registers a known name would answer for its owner."""
    omar = enrolled(world, OMAR)
    omar.authenticator.credentials = maya.authenticator.credentials
    wanted = omar.begin_creation(picture(OMAR, shot=9))
    taken = omar.authenticator.attest(omar.authenticator.credentials[0], wanted)

    assert refusal(lambda: omar.post("/passkeys", taken)).error == "passkey_refused"
    assert world.rows("passkeys") == 1


def test_an_account_has_so_many_passkeys(world: MobileWorld, maya: PasskeyPhone) -> None:
    """One phone cannot fill a table without end."""
    with world.database.write() as transaction:
        name = CredentialId(maya.authenticator.credentials[0].credential_id)
        first = transaction.passkeys.find(name)
        assert first is not None
        for number in range(PASSKEYS_LIMIT - 1):
            other = bytes([number]) * 32
            made = replace(first, credential_id=CredentialId(other), user_handle=other)
            assert transaction.passkeys.add(made, world.clock())

    assert refusal(lambda: maya.add(picture(MAYA, shot=8))).error == "passkey_refused"
    assert world.rows("passkeys") == PASSKEYS_LIMIT


def verified_login(world: MobileWorld, phone: PasskeyPhone) -> str:
    """Claim a login and show the palm; return its name."""
    return world.show_palm(phone.phone, picture(MAYA, shot=7))


def test_a_sign_in_is_approved_with_a_voucher_of_the_last_week(
    world: MobileWorld, maya: PasskeyPhone
) -> None:
    """The screen lock is requested now and then, not each time; declining never asks."""
    first = verified_login(world, maya)
    young = maya.phone.approve(first)
    world.clock.advance(WEEK_S + 1)
    login = verified_login(world, maya)
    old = refusal(lambda: maya.phone.approve(login))
    maya.vouch()

    assert young.hint == "go"
    assert (old.status, old.error) == (403, "passkey_needed")
    assert maya.phone.approve(login).hint == "go"
    world.clock.advance(WEEK_S + 1)
    assert maya.phone.decline(verified_login(world, maya)).hint == "declined"


def test_what_is_final_wants_the_screen_lock_just_now(
    world: MobileWorld, maya: PasskeyPhone
) -> None:
    """A borrowed phone and a picture of a palm end nothing that belongs to its owner."""
    world.clock.advance(MINUTES_S)
    proof = maya.phone.prove_palm(picture(MAYA, shot=9)).palm_proof
    acts: dict[str, Callable[[], object]] = {
        "withdraw": lambda: maya.phone.withdraw("handle", proof),
        "delete": lambda: maya.phone.delete_account(picture(MAYA, shot=9)),
        "code": lambda: maya.phone.deletion_code(picture(MAYA, shot=9)),
        "stop": lambda: maya.post("/passkeys/removal"),
        "another": lambda: maya.begin_creation(picture(MAYA, shot=9)),
    }

    assert {refusal(act).error for act in acts.values()} == {"passkey_needed"}
    maya.vouch()
    maya.phone.delete_account(picture(MAYA, shot=9))
    assert world.rows("accounts") == 0


def test_phones_without_a_passkey_need_none(world: MobileWorld, maya: PasskeyPhone) -> None:
    """The screen lock is a choice; another phone of the same person made none."""
    second = forgetful(world, maya)
    maya.phone.trust(second.phone, picture(MAYA, shot=9))
    login = verified_login(world, second)
    world.clock.advance(59)

    assert second.phone.approve(login).hint == "go"
    world.clock.advance(WEEK_S)
    second.phone.delete_account(picture(MAYA, shot=9))
    assert world.rows("accounts") == 0


def test_a_person_stops_using_the_screen_lock(world: MobileWorld, maya: PasskeyPhone) -> None:
    """From then on it makes no phone trusted, and is not requested."""
    maya.post("/passkeys/removal")
    maya.post("/passkeys/removal")
    back = forgetful(world, maya)
    gone = refusal(lambda: back.vouch(picture(MAYA, shot=8)))
    world.clock.advance(WEEK_S + 1)

    assert gone.error == "passkey_refused"
    assert maya.phone.approve(verified_login(world, maya)).hint == "go"
    assert [event for event, _ in events(world)].count("passkey_removed") == 1


def test_a_passkey_of_another_host_name_is_not_requested(
    world: MobileWorld, maya: PasskeyPhone
) -> None:
    """A service that moved would otherwise lock out everybody who chose a screen lock."""
    world.settings = world.settings.model_copy(
        update={"public_url": "https://new.example.test/oauth2"}
    )
    api = API.replace("id.example", "new.example")
    moved = Phone(api, maya.phone.key, world.start())
    world.clock.advance(WEEK_S + 1)

    phone = PasskeyPhone(moved, Authenticator("https://new.example.test"))
    assert phone.phone.approve(verified_login(world, phone)).hint == "go"
    phone.authenticator.credentials = maya.authenticator.credentials
    assert refusal(phone.vouch).error == "passkey_refused"


@pytest.mark.parametrize(
    "settings",
    [{"public_url": "https://192.0.2.7"}, {"passkeys": False}],
    ids=["number", "off"],
)
def test_where_there_are_no_passkeys_nothing_asks_for_them(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    """Addresses of numbers have none, and an operator may not want them."""
    with MobileWorld(tmp_path, **settings) as world:
        page = world.client.get(f"{world.settings.path}/m")
        asked = world.client.post(f"{world.settings.path}/mobile/v1/passkeys/challenge")

        assert asked.status_code == 404
        assert "data-passkeys" not in page.text
