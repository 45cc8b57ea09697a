"""Whose request is it? What a phone's proof needs beyond ``tests/oidc/tokens/test_dpop.py``."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joserfc import jws, jwt
from joserfc.jwk import ECKey, RSAKey

from mobile_api.devices import Proof, body_hash, verify_proof
from mobile_api.errors import ClockSkew, InvalidProof, MobileError, NonceNeeded, ProofRefused
from oidc.plumbing.dpop import ProvedRequest

KEY = ECKey.generate_key("P-256")
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
URL, BODY, SKEW = "https://id.example.test/mobile/v1/logins", b"body", timedelta(seconds=60)
REQUEST = ProvedRequest("POST", frozenset({URL}), NOW, window=SKEW, ahead=SKEW)
Parts = dict[str, Any]


def _judge(headers: list[str], request: ProvedRequest, body: bytes) -> Proof:
    """Judge the headers, then the body, as the service does."""
    proof = verify_proof(headers, request)
    proof.require_body(body)
    return proof


def header() -> Parts:
    """A good header."""
    return {"typ": "dpop+jwt", "alg": "ES256", "jwk": KEY.as_dict(private=False)}


def claims() -> Parts:
    """Good claims."""
    return {
        "jti": "a-random-identifier",
        "htm": "POST",
        "htu": URL,
        "iat": int(NOW.timestamp()),
        "nonce": "a-nonce",
        "bh": body_hash(BODY),
    }


def signed(header: Parts, claims: Parts) -> str:
    """Sign a proof, whatever it says."""
    return jwt.encode(header, claims, KEY, algorithms=["ES256"])


def test_a_good_proof_names_its_key_by_its_thumbprint() -> None:
    """RFC 7638: the device is its key, and nothing in the request can say otherwise."""
    proof = _judge([signed(header(), claims())], REQUEST, BODY)

    assert proof.device_id == KEY.thumbprint()
    assert proof.nonce == "a-nonce"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"jti": None}, InvalidProof),
        ({"htm": "PUT"}, InvalidProof),
        ({"htu": "https://id.example.test/mobile/v1/devices"}, InvalidProof),
        ({"bh": body_hash(b"another body")}, InvalidProof),
        ({"bh": None}, InvalidProof),
        ({"bh": "ü"}, InvalidProof),
        ({"iat": None}, InvalidProof),
        ({"iat": int(NOW.timestamp()) - 61}, ClockSkew),
        ({"iat": int(NOW.timestamp()) + 61}, ClockSkew),
        ({"iat": float("nan")}, ClockSkew),
        ({"nonce": None}, NonceNeeded),
        ({"nonce": 5}, NonceNeeded),
    ],
)
def test_one_wrong_claim_is_enough(change: Parts, expected: type[MobileError]) -> None:
    """A well-signed proof of something else proves nothing about this request."""
    changed = {k: v for k, v in (claims() | change).items() if v is not None}

    with pytest.raises(expected):
        _judge([signed(header(), changed)], REQUEST, BODY)


@pytest.mark.parametrize(
    "change",
    [
        {"jku": "https://evil.example.test/keys"},
        {"x5u": "https://evil.example.test/chain"},
        {"kid": "another"},
    ],
)
def test_one_wrong_header_is_enough(change: Parts) -> None:
    """Keys come from the header's jwk and from nowhere else."""
    with pytest.raises(InvalidProof):
        _judge([signed(header() | change, claims())], REQUEST, BODY)


def test_a_phone_signs_by_es256_alone() -> None:
    """Clients of the provider may sign by RSA, too."""
    key, registry = RSAKey.generate_key(2048), jws.JWSRegistry(algorithms=["PS256"])
    registry.max_header_length = 4096
    changed = header() | {"alg": "PS256", "jwk": key.as_dict(private=False)}

    with pytest.raises(InvalidProof):
        _judge([jwt.encode(changed, claims(), key, registry=registry)], REQUEST, BODY)


ANYTHING = st.none() | st.booleans() | st.text() | st.floats() | st.lists(st.integers())


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(claims())), ANYTHING))
def test_no_claims_make_the_check_raise_anything_else(change: Parts) -> None:
    """A device may sign any nonsense with its own key."""
    try:
        proof = _judge([signed(header(), claims() | change)], REQUEST, BODY)
    except ProofRefused:
        return

    assert proof.device_id == KEY.thumbprint()
