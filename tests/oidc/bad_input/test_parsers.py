"""Every reader of untrusted input: its own refusal only, and what it wrote it reads.

The others have theirs beside what they do: parameters, claims, tickets, addresses, languages,
metadata and DPoP proofs.
"""

import base64
import json
from contextlib import suppress
from urllib.parse import quote_plus

import pytest
from authlib.oauth2.rfc6749 import OAuth2Error
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from oidc.errors import (
    SignInFailed,
)
from oidc.keys import KeyCipher
from oidc.portal.sessions import Flow, PortalCookies
from oidc.token_endpoint.authentication import ClientSecret, SignedAssertion, credentials_of
from oidc.types import ClientId

TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

text = st.text(max_size=60)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
segments = st.one_of(
    text,
    values.map(lambda value: _base64(json.dumps(value).encode())),
    st.binary(max_size=30).map(lambda octets: _base64(octets)),
)


def _base64(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


tokens = st.lists(segments, max_size=5).map(".".join)


@given(text, text)
def test_whatever_stands_in_a_basic_header_is_read_as_it_was_written(
    client_id: str, secret: str
) -> None:
    """RFC 6749 §2.3.1: both are form-encoded first, so that a colon parts nothing."""
    with suppress(UnicodeEncodeError):
        pair = f"{quote_plus(client_id)}:{quote_plus(secret)}".encode()
        header = f"Basic {base64.b64encode(pair).decode()}"

        assert credentials_of({}, header) == ClientSecret(client_id, secret)


@given(
    st.dictionaries(
        st.sampled_from(
            ["client_id", "client_secret", "client_assertion", "client_assertion_type"]
        ),
        text | tokens | st.just(TYPE),
    ),
    st.none() | text | text.map(lambda reported: f"Basic {reported}")
    | st.binary(max_size=40).map(lambda b: f"basic {base64.b64encode(b).decode()}"),
)  # fmt: skip
@example({"client_assertion": "a.b.c", "client_assertion_type": TYPE}, None)
def test_no_credentials_end_in_another_fault(
    form: dict[str, str], authorization: str | None
) -> None:
    """One proof, or an error of OAuth; two proofs are never one."""
    try:
        shown = credentials_of(form, authorization)
    except OAuth2Error as refused:
        assert refused.error in ("invalid_client", "invalid_request")
        return
    assert authorization is None or not form.keys() & {"client_secret", "client_assertion"}
    assert not (isinstance(shown, SignedAssertion) and "client_secret" in form)


CIPHER = KeyCipher(b"k" * 32)
FLOW = Flow(ClientId("thenar-portal"), "state", "nonce", "verifier", 1e9)


def flow_of(cookie: str, now: float = 0) -> Flow:
    """Read the flow that a browser carries."""
    header = [(b"cookie", f"thenar-portal-flow={cookie}".encode("utf-8", "surrogatepass"))]
    request = Request({"type": "http", "method": "GET", "headers": header})
    return PortalCookies(CIPHER, is_secure=False).flow(request, now)


def encrypted(flow: Flow) -> str:
    """Return the cookie of a flow."""
    response = Response()
    PortalCookies(CIPHER, is_secure=False).set_flow(response, flow, 60)
    return response.headers["set-cookie"].partition(";")[0].partition("=")[2].strip('"')


@given(st.data())
def test_a_flow_comes_back_whole_or_not_at_all(data: st.DataObject) -> None:
    """Every byte is authenticated; and it ends when it ends."""
    cookie = encrypted(FLOW)
    octets = bytearray(base64.urlsafe_b64decode(cookie))
    octets[data.draw(st.integers(0, len(octets) - 1))] ^= 1 << data.draw(st.integers(0, 7))

    assert flow_of(cookie) == FLOW
    for broken, now in ((base64.urlsafe_b64encode(octets).decode(), 0.0), (cookie, 2e9)):
        with pytest.raises(SignInFailed):
            flow_of(broken, now)
