"""Whatever is written into proofs and registrations: their own error, and no other."""

import base64
import json
from contextlib import suppress
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from joserfc.jwk import ECKey

from oidc.clients.options import check
from oidc.errors import ProofRefused
from oidc.plumbing import dpop
from oidc.tokens.dpop import DpopNonces, DpopProofs
from oidc.types import Policy, Setter
from tests.support.clock import FakeClock
from tests.support.service.dpop_client import Holder

KEY = ECKey.generate_key("P-256")
PUBLIC = KEY.as_dict(private=False)
TOKEN = "https://id.example/token"

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
HEADERS = st.fixed_dictionaries(
    {
        "typ": st.just(dpop.PROOF_TYPE) | VALUES,
        "alg": st.sampled_from(dpop.ALGORITHMS) | VALUES,
    },
    optional={
        "jwk": st.just(PUBLIC)
        | VALUES
        | st.fixed_dictionaries(
            {"kty": st.sampled_from(["EC", "RSA", "OKP", "oct"]) | VALUES},
            optional=dict.fromkeys(("crv", "x", "y", "n", "e", "d", "k", "kid"), VALUES),
        ),
        "crit": VALUES,
        "b64": VALUES,
    },
)
CLAIMS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("jti", "htm", "htu", "iat", "ath", "nonce"), VALUES)
)
METADATA = st.dictionaries(
    st.sampled_from(
        [
            "redirect_uris", "client_name", "token_endpoint_auth_method", "grant_types",
            "response_types", "scope", "jwks", "subject_type", "application_type",
            "id_token_signed_response_alg", "require_pushed_authorization_requests",
            "dpop_bound_access_tokens", "post_logout_redirect_uris", "software_statement",
            "backchannel_logout_uri", "backchannel_logout_session_required", "jwks_uri",
        ]
    ),
    VALUES | st.lists(st.sampled_from(["https://a.example/", "https://[", "com.a:/", "code"])),
)  # fmt: skip


def segment(value: object) -> str:
    """Return one part of a compact JWS."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def judge(proof: str) -> None:
    """Judge a proof that cannot be good."""
    proofs = DpopProofs(FakeClock(), DpopNonces(b"k" * 32), need_nonce=False)
    with suppress(ProofRefused):
        proofs.verify([proof], "POST", frozenset({TOKEN}))
        raise AssertionError("an odd proof was accepted")


@given(HEADERS, VALUES)
@example({"typ": dpop.PROOF_TYPE, "alg": "ES256", "jwk": PUBLIC, "crit": 5}, {})
@example({"typ": dpop.PROOF_TYPE, "alg": "ES256", "jwk": {"kty": "EC", "crv": 5}}, {})
@example({"typ": dpop.PROOF_TYPE, "alg": "PS256", "jwk": {"kty": "RSA", "n": "", "e": ""}}, {})
def test_an_unsigned_proof_is_refused(header: dict[str, Any], claims: object) -> None:
    """Never a traceback, whatever its header and its claims say."""
    judge(f"{segment(header)}.{segment(claims)}.x")


@given(CLAIMS)
def test_a_signed_proof_of_odd_claims_is_refused(claims: dict[str, Any]) -> None:
    """The signature is good: only the checks of the claims stand between."""
    holder = Holder(FakeClock(), KEY)
    odd = dict.fromkeys(("jti", "htm", "htu", "iat", "ath")) | claims
    with suppress(UnicodeEncodeError):  # a lone surrogate cannot be signed
        judge(holder.proof("POST", TOKEN, **odd))


@given(METADATA)
def test_no_metadata_ends_in_another_fault(document: dict[str, Any]) -> None:
    """Clients send whatever their libraries make of it: what is wrong is a list."""
    for setter in Setter:
        checked = check(document, Policy(setter))
        assert all(each.reason and each.name for each in checked.faults)
