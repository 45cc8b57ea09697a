"""A browser deleted its phone's key. A cookie tells which one, and buys nothing alone.

On SQLite and on PostgreSQL.
"""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient
from httpx2 import Client, Cookies

from mobile_api.api.http import PHONE_COOKIE
from tests.support.palms.fake_engine import picture, shots
from tests.support.phone.authenticator import Authenticator
from tests.support.phone.passkeys import PasskeyPhone
from tests.support.phone.reference import Phone, refusal
from tests.support.service.mobile_api import API, PUBLIC_URL, MobileWorld

MAYA, OMAR = 1, 2
PALM = picture(MAYA, shot=9)
DAY_S = 24 * 3600
ComeBack = Callable[[Phone, PasskeyPhone, str], None]


@pytest.fixture
def own(world: MobileWorld) -> Phone:
    """Give the browser with which Maya enrolled."""
    phone = world.phone(browser(world))
    phone.enrol(shots(MAYA))
    return phone


@pytest.fixture
def passkey(own: Phone) -> PasskeyPhone:
    """Give Maya's passkey, which is synchronised."""
    made = PasskeyPhone(own, Authenticator("https://id.example.test"))
    made.add(PALM)
    return made


def browser(world: MobileWorld) -> TestClient:
    """Return a browser with its own cookies."""
    return TestClient(world.client.app, "https://id.example.test")


def cookies_of(phone: Phone) -> Cookies:
    """Return the cookies of a phone's browser."""
    return phone._http.cookies


def cleared(phone: Phone) -> Phone:
    """Return the phone in the same browser after it deleted what scripts stored."""
    return Phone.registered(phone.api, phone._http)


def had_key(http: Client) -> bool:
    """Return whether the service knows an earlier key of this browser."""
    answer = http.get(f"{API}/earlier-key")
    assert (answer.status_code, set(answer.json())) == (200, {"known"})
    return bool(answer.json()["known"])


def trusts(phone: Phone) -> list[tuple[bool, str]]:
    """Return the phones that the owner sees."""
    return [(each.is_this, each.trust) for each in phone.account(PALM).phones]


def by_passkey(phone: Phone, passkey: PasskeyPhone, _code: str) -> None:
    """Return by the synchronised passkey."""
    PasskeyPhone(phone, passkey.authenticator).vouch(PALM)


def by_code(phone: Phone, _passkey: PasskeyPhone, code: str) -> None:
    """Return by the recovery code."""
    phone.recover(code, phone.prove_palm(PALM).palm_proof)


def test_the_cookie_names_the_key_of_a_trusted_phone_to_this_api_alone(
    world: MobileWorld, own: Phone
) -> None:
    """Scripts cannot read it, other sites cannot send it, and it lasts a year."""
    new = world.phone(browser(world))
    new.prove_palm(PALM)
    new.standing()
    cookies_of(own).clear()
    first, again = (own.send("GET", "/account/phone", b"", None).headers for _ in range(2))
    kept, _, attributes = first["Set-Cookie"].partition("; ")

    assert kept == f"{PHONE_COOKIE}={own.key.thumbprint()}"
    assert set(attributes.split("; ")) == {
        "HttpOnly",
        f"Max-Age={365 * DAY_S}",
        f"Path={PUBLIC_URL.removeprefix('https://id.example.test')}/mobile/v1",
        "SameSite=lax",
        "Secure",
    }
    assert "Set-Cookie" not in again
    assert not cookies_of(new)


def test_a_browser_learns_that_its_key_is_gone_as_long_as_that_phone_is_trusted(
    world: MobileWorld, own: Phone
) -> None:
    """From the end of set-up on; not after a removal or a deletion."""
    lost, other = cleared(own), world.phone(browser(world))
    own.trust(other, PALM)
    other.standing()
    known = [had_key(each._http) for each in (lost, other, world.phone(browser(world)))]
    handle = next(each.handle for each in own.account(PALM).phones if not each.is_this)
    own.remove_phone(handle, own.prove_palm(PALM).palm_proof)
    removed = had_key(other._http)
    own.delete_account(PALM)

    assert (known, removed, had_key(lost._http)) == ([True, True, False], False, False)


@pytest.mark.parametrize(
    "value", ["", "A" * 43, "A" * 5000, '"\\000' + "A" * 42 + '"', "ü", "'"]
)
def test_an_invented_name_is_none(world: MobileWorld, value: str) -> None:
    """Also one that a database would not take."""
    cookie = f"{PHONE_COOKIE}={value}".encode()
    answer = world.client.get(f"{API}/earlier-key", headers={b"Cookie": cookie})

    assert (answer.status_code, answer.json()) == (200, {"known": False})


@pytest.mark.parametrize("come_back", [by_passkey, by_code])
def test_a_phone_that_comes_back_replaces_its_dead_key(
    world: MobileWorld, own: Phone, passkey: PasskeyPhone, come_back: ComeBack
) -> None:
    """It is one phone, has signed in what it did, and is not asked to approve itself."""
    code = own.recovery_code(PALM).recovery_code
    own.approve(world.show_palm(own, PALM))
    world.handoff.collect()
    world.clock.advance(8 * DAY_S)
    again = cleared(own)
    again.prove_palm(PALM)
    ways = again.standing().roads
    come_back(again, passkey, code)

    assert (ways, again.standing().trust) == (["passkey", "code"], "trusted")
    assert trusts(again) == [(True, "trusted")]
    assert [each.is_this for each in again.account(PALM).sign_ins] == [True]
    assert own.standing().trust == "none"
    assert cookies_of(again)[PHONE_COOKIE] == again.key.thumbprint()
    by_passkey(own, passkey, "")  # a passkey outlives the key that made it


@pytest.mark.parametrize("come_back", [by_passkey, by_code])
def test_a_phone_in_use_is_not_replaced(
    world: MobileWorld, own: Phone, passkey: PasskeyPhone, come_back: ComeBack
) -> None:
    """Its key cannot be gone: the cookie was copied."""
    code = own.recovery_code(PALM).recovery_code
    world.clock.advance(6 * DAY_S)
    world.answer_palm(own, PALM)
    world.clock.advance(6 * DAY_S)
    copied = cleared(own)
    copied.prove_palm(PALM)
    ways = copied.standing().roads
    come_back(copied, passkey, code)

    assert ways == ["passkey", "phone", "code"]
    assert sorted(trusts(own)) == [(False, "trusted"), (True, "trusted")]


def test_a_stolen_cookie_alone_buys_the_text(
    world: MobileWorld, own: Phone, passkey: PasskeyPhone
) -> None:
    """No name, no trust, no replacement: not with the thief's palm, nor with a picture."""
    world.clock.advance(8 * DAY_S)
    http = browser(world)
    http.cookies.update(cookies_of(own))
    text = had_key(http)
    thief = world.phone(http)
    of_none = thief.standing()
    proof = thief.prove_palm(PALM).palm_proof
    asked = thief.ask_trust(PALM)
    acts = (lambda: thief.account(PALM), lambda: thief.recover("A" * 24, proof))
    errors = [refusal(act).error for act in acts]

    assert (text, of_none.trust, of_none.roads) == (True, "none", [])
    assert (asked.trust, asked.trusted_in) == ("new", None)
    assert errors == ["phone_not_trusted", "recovery_code_wrong"]
    assert sorted(trusts(own)) == [(False, "new"), (True, "trusted")]


def test_a_stolen_cookie_replaces_no_phone_of_another_account(
    world: MobileWorld, own: Phone
) -> None:
    """Whose account it is, palm and code say."""
    code = own.recovery_code(PALM).recovery_code
    omars = world.phone(browser(world))
    omars.enrol(shots(OMAR))
    world.clock.advance(8 * DAY_S)
    cookies_of(own).update(cookies_of(omars))
    again = cleared(own)
    by_code(again, PasskeyPhone(own, Authenticator("")), code)

    assert omars.standing().trust == "trusted"
    assert sorted(trusts(again)) == [(False, "trusted"), (True, "trusted")]
