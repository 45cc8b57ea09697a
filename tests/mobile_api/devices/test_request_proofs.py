"""Whose request is it? What a phone's proof needs beyond ``tests/oidc/tokens/test_dpop.py``."""

import base64
import hmac
import json
from collections.abc import Callable
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


def raw(header: Parts, claims: Parts, signature: bytes) -> str:
    """Put a token together by hand."""
    parts = [json.dumps(header).encode(), json.dumps(claims).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(p).rstrip(b"=").decode() for p in parts)


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
        {"crit": ["exp"]},
    ],
)
def test_one_wrong_header_is_enough(change: Parts) -> None:
    """Keys come from the header's jwk and from nowhere else; private ones are thrown back."""
    changed = {k: v for k, v in (header() | change).items() if v is not None}
    token = _signed_anyhow(changed)

    with pytest.raises(InvalidProof):
        _judge([token], REQUEST, BODY)


def _signed_anyhow(changed: Parts) -> str:
    """Sign over a header that a careful library would refuse to write."""
    signing_input = raw(changed, claims(), b"").removesuffix(".").encode()
    signature = jws.JWSRegistry().get_alg("ES256").sign(signing_input, KEY)
    return (
        f"{signing_input.decode()}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
    )


def test_signing_by_hand_gives_a_good_proof_when_nothing_is_changed() -> None:
    """The table above must fail for its changes, not for how it signs."""
    assert _judge([_signed_anyhow(header())], REQUEST, BODY).device_id == KEY.thumbprint()


def _with_hmac() -> str:
    """HS256 under the public key as secret: algorithm confusion."""
    text = raw(header() | {"alg": "HS256"}, claims(), b"").removesuffix(".")
    tag = hmac.digest(KEY.as_pem(private=False), text.encode(), "sha256")
    return f"{text}.{base64.urlsafe_b64encode(tag).rstrip(b'=').decode()}"


FORGED: list[tuple[str, Callable[[], list[str]]]] = [
    ("HS256", lambda: [_with_hmac()]),
    ("PS256", lambda: [_with_rsa()]),
    ("claims are a list", lambda: [_over(b"[1]")]),
    ("claims are no JSON", lambda: [_over(b"\xff{")]),
]


def _with_rsa() -> str:
    """Sign well, as clients of the provider may."""
    key = RSAKey.generate_key(2048)
    changed = header() | {"alg": "PS256", "jwk": key.as_dict(private=False)}
    registry = jws.JWSRegistry(algorithms=["PS256"])
    registry.max_header_length = 4096
    return jwt.encode(changed, claims(), key, registry=registry)


def _over(payload: bytes) -> str:
    """Sign a payload that is no claims."""
    return jws.serialize_compact(header(), payload, KEY, algorithms=["ES256"])


@pytest.mark.parametrize("forge", [f for _, f in FORGED], ids=[name for name, _ in FORGED])
def test_no_forgery_passes(forge: Callable[[], list[str]]) -> None:
    """RFC 8725 §3.1: one algorithm, one key, one header, and the signature over it all."""
    with pytest.raises(InvalidProof):
        _judge(forge(), REQUEST, BODY)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_no_text_makes_the_check_raise_anything_else(token: str) -> None:
    """Whatever arrives in the header is answered by 401, never by 500."""
    with pytest.raises(ProofRefused):
        _judge([token], REQUEST, BODY)


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


def test_a_proof_nested_without_end_is_refused() -> None:
    """It fits the length that is read, and must not become our fault."""
    parts = (json.dumps(header()), '{"a":' + "[" * 1200 + "]" * 1200 + "}", "x")
    proof = ".".join(base64.urlsafe_b64encode(p.encode()).rstrip(b"=").decode() for p in parts)

    with pytest.raises(InvalidProof):
        _judge([proof], REQUEST, BODY)
