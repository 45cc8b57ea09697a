"""Untrusted bytes reach the library that verifies passkeys: it raises one fault of ours."""

from typing import Any

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobile_api.errors import PasskeyRefused
from mobile_api.passkeys import (
    Assertion,
    Creation,
    RelyingParty,
    verify_assertion,
    verify_creation,
)
from mobile_api.types import CredentialId
from tests.support.phone.authenticator import Authenticator, octets, text

ORIGIN = "https://id.example.test"
PARTY = RelyingParty("id.example.test", [ORIGIN])
WANTED = {"rp_id": PARTY.rp_id, "challenge": text(b"c" * 40), "user_handle": text(b"h" * 32)}


def created(change: dict[str, Any] | None = None) -> Creation:
    """Return a good creation; the attestation object changed."""
    body = Authenticator(ORIGIN).create(WANTED)
    attestation = cbor2.loads(octets(body["attestation"])) | (change or {})
    return Creation(body["challenge"], octets(body["client_data"]), cbor2.dumps(attestation))


def auth_data(creation: Creation) -> bytes:
    """Return the authenticator data of a creation."""
    data: bytes = cbor2.loads(creation.attestation)["authData"]
    return data


GOOD = created()
DATA = auth_data(GOOD)


@pytest.mark.parametrize(
    "change",
    [
        {"fmt": "unknown"},
        {"fmt": "packed"},
        {"fmt": "fido-u2f", "attStmt": {"x5c": [b"no certificate"], "sig": b"s"}},
        {"fmt": "tpm", "attStmt": {"ver": "2.0", "alg": -7, "x5c": [b""]}},
        {"fmt": 7},
        {"attStmt": {"sig": b"s"}},
        {"attStmt": None},
        {"authData": b""},
        {"authData": DATA[:54]},
        {"authData": DATA[:-1]},
        {"authData": DATA + b"x"},
        {"authData": "text"},
    ],
)
def test_an_odd_attestation_is_refused(change: dict[str, Any]) -> None:
    """Whatever is in it: one fault, and never a crash."""
    creation = Creation(
        GOOD.challenge, GOOD.client_data, cbor2.dumps(cbor2.loads(GOOD.attestation) | change)
    )

    with pytest.raises(PasskeyRefused):
        verify_creation(creation, PARTY)


@pytest.mark.parametrize(
    "key",
    [
        {1: 2, 3: -8, -1: 1, -2: b"x" * 32, -3: b"y" * 32},
        {1: 2, 3: -35, -1: 2, -2: b"x" * 48, -3: b"y" * 48},
        {1: 9, 3: -7},
        {},
    ],
)
def test_a_key_of_another_kind_is_refused(key: dict[int, Any]) -> None:
    """ES256 and RS256 are the requested ones."""
    head = DATA[: 37 + 16 + 2 + 32]
    creation = created({"authData": head + cbor2.dumps(key)})

    with pytest.raises(PasskeyRefused):
        verify_creation(creation, PARTY)


def test_a_name_longer_than_the_standard_allows_is_refused() -> None:
    """WebAuthn Level 3 §7.1: 1023 bytes; the column has no more."""
    long = 1024
    tail = DATA[37 + 16 + 2 + 32 :]
    data = DATA[: 37 + 16] + long.to_bytes(2, "big") + b"n" * long + tail

    with pytest.raises(PasskeyRefused):
        verify_creation(created({"authData": data}), PARTY)


@given(client_data=st.binary(max_size=80), attestation=st.binary(max_size=200))
def test_no_bytes_make_a_creation_crash(client_data: bytes, attestation: bytes) -> None:
    """A fault that is none of ours would be our own 500."""
    for creation in (
        Creation(GOOD.challenge, client_data, GOOD.attestation),
        Creation(GOOD.challenge, GOOD.client_data, attestation),
    ):
        with pytest.raises(PasskeyRefused):
            verify_creation(creation, PARTY)


@given(
    key=st.binary(max_size=80) | st.just(b"\x04" + b"x" * 64),
    signature=st.binary(max_size=80),
    data=st.binary(max_size=60),
)
def test_no_bytes_make_an_assertion_crash(key: bytes, signature: bytes, data: bytes) -> None:
    """Neither what is sent nor a key that was damaged where it is kept."""
    signer = Authenticator(ORIGIN)
    signer.create(WANTED)
    body = signer.sign(WANTED)
    good_data = octets(body["authenticator_data"])
    for authenticator_data in (data, good_data):
        assertion = Assertion(
            WANTED["challenge"],
            CredentialId(b"n"),
            octets(body["client_data"]),
            authenticator_data,
            signature,
            None,
        )
        with pytest.raises(PasskeyRefused):
            verify_assertion(assertion, key, PARTY)
