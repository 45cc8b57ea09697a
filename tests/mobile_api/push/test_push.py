"""A push service of our own on loopback notifies trusted phones of a request for trust."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import text

from mobile_api.push import CONTENT, encrypted
from mobile_api.types import PushSubscription
from tests.support.at_once import wait_until
from tests.support.palms.fake_engine import picture, shots
from tests.support.phone.push import PushBrowser, signed_claims
from tests.support.phone.reference import Phone
from tests.support.servers.recording import Recorder, recording
from tests.support.service.mobile_api import MobileWorld

TWO_DAYS_S = 48 * 3600
"""After which a message of tomorrow is due."""


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """Give a push service."""
    with recording("/push/a-secret-name") as service:
        service.status = 201
        yield service


@pytest.fixture
def world(tmp_path: Path) -> Iterator[MobileWorld]:
    """Give a service on loopback, which may use a push service on loopback."""
    url = "http://127.0.0.1:8080/oauth2"
    with MobileWorld(tmp_path, public_url=url, push_spread_s=0) as world:
        yield world


def ask(world: MobileWorld) -> Phone:
    """Let a new phone of person 1 ask for trust."""
    phone = world.phone()
    phone.ask_trust(picture(1, shot=9))
    return phone


def test_a_message_is_encrypted_as_the_standard_shows() -> None:
    """RFC 8291, Appendix A."""
    private = octets("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
    once = ec.derive_private_key(int.from_bytes(private, "big"), ec.SECP256R1())
    browser = PushSubscription(
        "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
        octets(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        ),
        octets("BTBZMqHH6r4Tts7J_aSIgg"),
    )
    expected = (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLoc"
        "InmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLV"
        "WGNWQexSgSxsj_Qulcy4a-fN"
    )

    made = encrypted(
        b"When I grow up, I want to be a watermelon",
        browser,
        once,
        octets("DGv6ra1nlYgDCS1FRnbzlw"),
    )

    assert made == octets(expected)


def octets(text: str) -> bytes:
    """Decode base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_trusted_phone_gets_one_message_a_day_while_a_phone_asks(
    world: MobileWorld, recorder: Recorder
) -> None:
    """The push service reads who sends, and that is all; a refused phone causes no more."""
    own, browser = world.enrolled(shots(1)), PushBrowser(recorder.address)
    push = own.standing().push
    assert push is not None
    assert not push.subscribed
    browser.subscribe(own)
    ask(world)
    wait_until(lambda: len(recorder.received) == 1)
    world.services.push.deliver()
    world.clock.advance(TWO_DAYS_S)
    world.services.push.deliver()
    wait_until(lambda: len(recorder.received) == 2)
    own.refuse_phone(own.standing().requests[0].handle)
    world.clock.advance(TWO_DAYS_S)
    world.services.push.deliver()

    first, second = recorder.received
    assert [browser.read(each.body) for each in (first, second)] == [CONTENT, CONTENT]
    assert len(first.body) == len(second.body)
    claims = signed_claims(first, push.public_key)
    assert claims["aud"] == recorder.address.removesuffix("/push/a-secret-name")
    assert claims.keys() == {"aud", "exp", "sub"}
    wait_until(lambda: world.row("SELECT due_at FROM push_subscriptions") == (None,))
    assert own.standing().push == push.model_copy(update={"subscribed": True})


def test_a_lost_message_is_sent_again_and_an_expired_one_ends_the_subscription(
    world: MobileWorld, recorder: Recorder
) -> None:
    """RFC 8030 §7.3. The request is answered as ever."""
    recorder.status = 503
    own, deliver = world.enrolled(shots(1)), world.services.push.deliver
    PushBrowser(recorder.address).subscribe(own)
    assert ask(world).standing().trust == "new"
    wait_until(lambda: len(recorder.received) == 1)
    deliver()
    recorder.status = 410
    world.clock.advance(15 * 60)
    wait_until(lambda: world.rows("push_subscriptions") == 0)
    world.clock.advance(TWO_DAYS_S)
    deliver()

    assert len(recorder.received) == 2


def test_a_subscription_is_secret_and_goes_with_its_phone(
    world: MobileWorld, recorder: Recorder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Who knows the endpoint may send to it; a removed phone is sent nothing."""
    caplog.set_level(0)
    own, other, palm = world.enrolled(shots(1)), ask(world), picture(1, shot=8)
    own.trust(other, palm)
    PushBrowser(recorder.address).subscribe(other)
    kept = b"".join(each.read_bytes() for each in tmp_path.glob("biometric.sqlite3*"))
    (handle,) = (each.handle for each in own.account(palm).phones if not each.is_this)
    own.remove_phone(handle, own.prove_palm(palm).palm_proof)

    assert kept
    assert b"a-secret-name" not in kept
    assert "a-secret-name" not in caplog.text
    assert world.rows("push_subscriptions") == 0


@pytest.mark.parametrize("end", ["not wanted", "not readable", "not accepted any more"])
def test_an_ended_subscription_is_sent_nothing(
    world: MobileWorld, recorder: Recorder, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person ends it, a lost key does, or an operator who accepts its service no more."""
    own = world.enrolled(shots(1))
    PushBrowser(recorder.address).subscribe(own)
    if end == "not wanted":
        answer = own.send("POST", "/account/phone/push/removal", b"", None)
        assert answer.status_code == 204
    elif end == "not readable":
        with world.database.write() as transaction:
            transaction.connection.execute(
                text("UPDATE push_subscriptions SET encrypted = zeroblob(64)")
            )
    else:
        monkeypatch.setattr("mobile_api.push.is_accepted", lambda *_: False)
    ask(world)
    wait_until(lambda: world.rows("push_subscriptions") == 0)

    assert not recorder.received


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/fcm/send/x", "https://fcm.googleapis.com:8443/fcm/send/x",
        "https://fcm.googleapis.com.evil.example/x",
        "https://fcm.googleapis.com@evil.example/x", "https://evil-push.apple.com.example/x",
        "https://evilpush.apple.com/x", "https://somewhere.example/x",
        "https://169.254.169.254/latest/meta-data", "https://127.0.0.1/x",
        "http://localhost:5432/x", "https://[::1/x", "file:///etc/passwd",
    ],
)  # fmt: skip
def test_a_phone_cannot_make_the_service_call_another_host(
    endpoint: str, tmp_path: Path
) -> None:
    """Only push services that the operator names, by https; this machine never."""
    with MobileWorld(tmp_path) as world:
        own = world.enrolled(shots(1))
        accepted = "https://web.push.apple.com/x"

        assert PushBrowser(endpoint).subscribe(own) == 422
        assert world.rows("push_subscriptions") == 0
        assert PushBrowser(accepted).subscribe(own) == 204
