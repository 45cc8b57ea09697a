"""Every reader of untrusted input: its own refusal only, and what it wrote it reads.

The others have theirs beside what they do: parameters, claims, tickets, addresses, languages,
metadata and DPoP proofs.
"""

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote_plus, urlencode

import pytest
from authlib.oauth2.rfc6749 import OAuth2Error
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from oidc.clients.assertions import candidate_keys, require_public_keys, subject_of
from oidc.clients.options import check
from oidc.errors import (
    AssertionRefused,
    ClientRefused,
    FormRefused,
    SignInFailed,
    SigningKeyFault,
)
from oidc.keys.encryption import KeyCipher, load_cipher
from oidc.keys.signing_keys import SigningKeys
from oidc.portal.forms import form_of_fields, read_fields
from oidc.portal.relying_party import Flow
from oidc.portal.sessions import PortalCookies
from oidc.settings import OidcSettings
from oidc.token_endpoint.authentication import ClientSecret, SignedAssertion, credentials_of
from oidc.tokens.id_token_hint import read_hint
from oidc.types import ClientId, LoginId, Policy, Setter
from oidc.web.cookies.login_cookie import LoginCookies
from tests.support.service.sign_in import SignIn

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


def _form(pairs: list[tuple[str, str]]) -> str:
    return "&".join(
        f"{quote_plus(n, errors='replace')}={quote_plus(v, errors='replace')}" for n, v in pairs
    )


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


@given(tokens)
def test_no_assertion_ends_in_another_fault(token: str) -> None:
    """It is read before anybody knows whose it is."""
    with suppress(AssertionRefused):
        assert subject_of(token)


key_sets = st.fixed_dictionaries(
    {
        "keys": st.lists(
            st.dictionaries(
                st.sampled_from(["kty", "crv", "x", "y", "n", "e", "d", "use", "alg", "kid"]),
                values | st.sampled_from(["EC", "RSA", "P-256", "sig", "enc"]),
            ),
            max_size=3,
        )
    }
)


@given(values | key_sets)
@example({"keys": [{"kty": "RSA", "n": "", "e": "AQAB"}]})
@example({"keys": [{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}]})
def test_no_key_set_ends_in_another_fault(document: object) -> None:
    """What is kept can be used: a key that is accepted is a candidate, and never private."""
    with suppress(ClientRefused):
        kept = require_public_keys(json.dumps(document))
        assert all(not each.is_private for each in candidate_keys(kept, {"alg": "ES256"}))


@pytest.fixture(scope="module")
def provider(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SignIn]:
    """Give a provider whose keys open hints."""
    folder = tmp_path_factory.mktemp("readers") / "data"
    shutil.copytree(migrated, folder)
    sign_in = SignIn(
        OidcSettings(
            issuer="https://id.example",
            database_url=f"sqlite:///{folder / 'protocol.sqlite3'}",
            key_encryption_key_file=folder / "protocol.key",
        )
    )
    yield sign_in
    sign_in.close()


@pytest.fixture(scope="module")
def hint(provider: SignIn) -> str:
    """Give an ID token."""
    token: str = provider.tokens()["id_token"]
    return token


@pytest.fixture(scope="module")
def keys(provider: SignIn) -> Iterator[SigningKeys]:
    """Give the provider's keys."""
    settings = provider.settings
    cipher = load_cipher(settings.key_source)
    yield SigningKeys(provider.database, cipher, provider.clock)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(token=tokens | text)
def test_an_unsigned_hint_says_nothing(keys: SigningKeys, token: str) -> None:
    """Not even why."""
    assert read_hint(keys, "https://id.example", token) is None


@given(data=st.data())
def test_a_hint_with_one_thing_changed_says_nothing(
    keys: SigningKeys, hint: str, data: st.DataObject
) -> None:
    """Every character of header, claims and signature counts."""
    assert read_hint(keys, "https://id.example", hint) is not None
    # The last character of a part may hold bits that stand for nothing.
    ends = {at - 1 for at, character in enumerate(f"{hint}.") if character == "."}
    at = data.draw(st.sampled_from([n for n in range(len(hint)) if n not in ends]))
    other = data.draw(st.sampled_from("ABCxyz019-_.").filter(lambda c: c != hint[at]))

    assert read_hint(keys, "https://id.example", hint[:at] + other + hint[at + 1 :]) is None


@given(st.dictionaries(text, text, max_size=6), text)
def test_no_cookies_keep_a_login_from_being_read(cookies: dict[str, str], name: str) -> None:
    """Another service of the host may plant any; what is no login's is not read as one."""
    reader = LoginCookies(is_secure=True, lifetime_s=60)

    assert isinstance(reader.read(cookies, LoginId(name)), str)
    assert all(f"__Host-thenar-login-{each}" in cookies for each in reader.all(cookies))


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


@given(text | st.binary(max_size=200).map(lambda b: base64.urlsafe_b64encode(b).decode()))
def test_a_flow_that_is_not_ours_was_never_begun(cookie: str) -> None:
    """Encrypted by another service: begin again."""
    with pytest.raises(SignInFailed):
        flow_of(cookie)


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


@given(text | st.lists(st.tuples(text, text), max_size=45).map(_form))
def test_no_form_of_the_portal_ends_in_another_fault(body: str) -> None:
    """Read, refused, or judged as a registration is."""
    with suppress(FormRefused):
        check(form_of_fields(read_fields(body)).document(), Policy(Setter.DEVELOPER))


@given(st.dictionaries(text, text, max_size=30))
def test_a_form_is_read_as_it_was_filled_in(fields: dict[str, str]) -> None:
    """Empty fields, too; a field that comes twice is refused."""
    with suppress(UnicodeEncodeError):
        body = urlencode(fields)

        assert read_fields(body).values == fields
        for name in list(fields)[:1]:
            with pytest.raises(FormRefused):
                read_fields(f"{body}&{urlencode({name: 'again'})}")


@given(st.binary(max_size=100))
def test_nothing_opens_but_what_was_encrypted(octets: bytes) -> None:
    """Signing keys and portal flows: their own fault, whatever the bytes are."""
    with pytest.raises(SigningKeyFault):
        CIPHER.decrypt(octets, "test")
    assert CIPHER.decrypt(CIPHER.encrypt(octets, "test"), "test") == octets
    with pytest.raises(SigningKeyFault):
        CIPHER.decrypt(CIPHER.encrypt(octets, "test"), "another purpose")
