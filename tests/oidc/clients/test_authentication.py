"""How clients prove themselves: a secret, a signature, or (public ones) not at all."""

import base64
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

from oidc.client import Authentication, Profile
from oidc.clients.assertions import require_public_keys
from oidc.errors import ClientRefused
from tests.support.databases.statements import without
from tests.support.service.dpop_client import Holder
from tests.support.service.sign_in import MakeSignIn, SignIn, error_of, response_of

URI = "https://bank.example/cb"
TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
CURVE, RSA = ECKey.generate_key("P-256"), RSAKey.generate_key(2048)
WEAK = RSAKey.generate_key(2048)
PUBLIC_AS_SECRET = str(CURVE.as_dict(private=False)["x"]).encode()
ISSUER, EVIL = "https://id.example", "https://evil.example"
ENDPOINTS = ("token", "oauth/token", "revoke", "oauth/introspect")


def jwks(*keys: Any, **members: str) -> str:
    """Return the public halves as a JWK set."""
    return json.dumps({"keys": [{**key.as_dict(private=False), **members} for key in keys]})


SIGNS: dict[str, Any] = {
    "authentication": Authentication.PRIVATE_KEY_JWT, "jwks": jwks(CURVE, RSA)
}  # fmt: skip


@pytest.fixture
def bank(sign_in: SignIn) -> SignIn:
    """Give a client that signs."""
    return sign_in.another("Bank", URI, **SIGNS)


@pytest.fixture
def code(bank: SignIn) -> str:
    """Give a code of that client."""
    return bank.code()


def assertion(bank: SignIn, key: Any = CURVE, **changes: Any) -> str:
    """Return an assertion, changed; None leaves a claim out."""
    now, name = int(bank.clock().timestamp()), bank.shop.client.client_id
    names = {"iss": name, "sub": name, "aud": ISSUER}
    claims = {**names, "jti": "one", "iat": now, "exp": now + 60, **changes}
    alg = {"EC": "ES256", "RSA": "RS256", "oct": "HS256"}[key.key_type]
    kept = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode({"alg": alg}, kept, key, [alg])


def redeem(bank: SignIn, code: str, token: str, **changes: str | None) -> Any:
    """Exchange a code with an assertion."""
    proof = {"client_assertion_type": TYPE, "client_assertion": token}
    return bank.redeem(code, **{"client_id": None, **proof, **changes})


class TestPrivateKeyJwt:
    """RFC 7523 §3, OpenID Connect Core §9."""

    @pytest.mark.parametrize("key", [CURVE, RSA])
    @pytest.mark.parametrize(
        "aud", [ISSUER, [ISSUER], *(f"{ISSUER}/{each}" for each in ENDPOINTS)]
    )
    def test_a_signature_for_us_proves_the_client(
        self, bank: SignIn, code: str, key: Any, aud: object
    ) -> None:
        """Any of its keys; issuer or any endpoint where clients authenticate."""
        answer = redeem(bank, code, assertion(bank, key, aud=aud))

        assert answer.status_code == 200, answer.text

    def test_the_client_may_name_itself(self, bank: SignIn, code: str) -> None:
        """RFC 7521 §4.2: client_id is optional, and must be the same."""
        wrong = redeem(bank, code, assertion(bank), client_id="another")
        twice = redeem(bank, code, assertion(bank), client_secret="x")
        right = redeem(bank, code, assertion(bank), client_id=bank.shop.client.client_id)

        assert [error_of(each) for each in (wrong, twice)] == [(400, "invalid_request")] * 2
        assert right.status_code == 200

    @pytest.mark.parametrize(
        "changes",
        [
            *({"iss": each} for each in ("another", None)),
            *({"sub": each} for each in ("another", 7, None)),
            *({"aud": each} for each in (None, EVIL, [ISSUER, EVIL], [], [7], {"x": 1})),
            *({"exp": each} for each in (None, True, "tomorrow", 0, 10**400, 4_000_000_000)),
            {"iat": 4_000_000_000},
            *({"nbf": each} for each in (4_000_000_000, "x")),
            *({"jti": each} for each in (None, "", 7, "j" * 256)),
        ],
    )
    def test_one_wrong_claim_is_enough(
        self, bank: SignIn, code: str, changes: dict[str, Any]
    ) -> None:
        """All alike to the outside; the code survives."""
        answer = redeem(bank, code, assertion(bank, **changes))

        assert error_of(answer) == (401, "invalid_client")
        assert redeem(bank, code, assertion(bank)).status_code == 200

    @pytest.mark.parametrize(
        "forge",
        [
            lambda b: assertion(b, ECKey.generate_key("P-256")),
            lambda b: assertion(b, WEAK),
            lambda b: assertion(b, OctKey.import_key(PUBLIC_AS_SECRET)),
            lambda b: assertion(b).rpartition(".")[0] + ".",
            lambda b: "eyJhbGciOiJub25lIn0." + assertion(b).split(".")[1] + ".",
            lambda _b: "no.jwt",
            lambda _b: "ä",
            lambda _b: "e30.W10.e30",
            lambda _b: "e30.e30.e30",
            lambda _b: "e30." + base64.urlsafe_b64encode(b"[" * 9000).decode() + ".e30",
            lambda _b: "eyJhbGciOiJSUzI1NiIsImNyaXQiOjV9.eyJzdWIiOiJ4In0.eA",  # an odd crit
        ],
    )
    @pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
    def test_a_forged_one_proves_nothing(
        self, bank: SignIn, code: str, forge: Callable[[SignIn], str]
    ) -> None:
        """Other clients' keys, the public key as a secret, no signature, no JWT."""
        answer = redeem(bank, code, forge(bank))

        assert error_of(answer) == (401, "invalid_client")

    def test_one_is_used_once_at_all_endpoints_even_where_the_client_is_refused(
        self, make_sign_in: MakeSignIn
    ) -> None:
        """Its identifier is stored with the refusal. RFC 7523 §3."""
        sign_in = make_sign_in(profile=Profile.FAPI2)
        bank = sign_in.another("Bank", URI, **SIGNS)
        proof = {"client_assertion_type": TYPE, "client_assertion": assertion(bank)}

        first = bank.call("introspect", {"token": "t", **proof})
        then = redeem(bank, "x", assertion(bank, jti="two"))
        again = [
            bank.call("revoke", {"token": "t", **proof}),
            redeem(bank, "x", assertion(bank, jti="two")),
        ]

        assert [error_of(each) for each in (first, then)] == [(400, "unauthorized_client")] * 2
        assert [error_of(each) for each in again] == [(401, "invalid_client")] * 2

    @pytest.mark.parametrize("path", ["par", "token", "revoke", "introspect"])
    def test_a_request_that_ends_in_503_is_repeated_as_it_is(
        self, make_sign_in: MakeSignIn, path: str
    ) -> None:
        """Assertion and DPoP proof are not used; the answer has the nonce for another proof."""
        bank = make_sign_in(dpop_nonce=True).another("Bank", URI, **SIGNS)
        token = redeem(bank, bank.code(), assertion(bank)).json()["access_token"]
        nonce = bank.call("par", {}, [("DPoP", "x")]).headers["dpop-nonce"]
        proof = Holder(bank.clock).proof("POST", f"{ISSUER}/{path}", nonce=nonce)
        code = bank.token_request(code=bank.code(), client_id=None, client_secret=None)
        signed = {"client_assertion_type": TYPE, "client_assertion": assertion(bank, jti="two")}
        fields = bank.request() | code | signed | {"token": token}
        send = partial(bank.call, path, fields, [("DPoP", proof)])
        with without(bank.database, "pushed_requests" if path == "par" else "grants"):
            away = send()

        assert (away.status_code, away.headers["dpop-nonce"]) == (503, nonce)
        assert send().is_success

    def test_a_client_proves_itself_as_it_is_registered(
        self, sign_in: SignIn, bank: SignIn
    ) -> None:
        """A client that signs cannot fall back to its name or an empty secret."""
        named = {"client_id": bank.shop.client.client_id, "client_assertion_type": None}
        weaker: list[dict[str, str | None]] = [
            {"client_assertion": None, **named},
            {"client_assertion": None, **named, "client_secret": "x"},
            {"client_assertion_type": "urn:other"},
            {"client_assertion": None},
        ]

        answers = [redeem(bank, "x", assertion(bank), **each) for each in weaker]

        public = sign_in.another(authentication=Authentication.NONE)
        answers.append(sign_in.redeem("x", client_secret=None))
        answers.append(public.redeem("x", client_secret="x"))

        assert [each.status_code for each in answers] == [401] * 6


@pytest.mark.parametrize("options", [{"authentication": Authentication.NONE}, {}])
def test_pkce_is_compulsory(sign_in: SignIn, options: dict[str, Any]) -> None:
    """RFC 9700 §2.1.1: of public clients, and of others unless they were let off."""
    client = sign_in.another(**{"require_pkce": bool(not options), **options})

    refused = response_of(client.ask(code_challenge=None, code_challenge_method=None))
    code = client.code(scope="openid offline_access")

    assert refused["error"] == "invalid_request"
    assert "code_challenge" in refused["error_description"]
    assert error_of(client.redeem(code, code_verifier=None)) == (400, "invalid_grant")
    assert client.refresh(client.redeem(code).json()["refresh_token"]).status_code == 200


def test_a_token_of_a_host_whose_clock_is_ahead_is_taken(sign_in: SignIn) -> None:
    """Hosts differ a little; a revocation that finds no token would leave it valid."""
    token = sign_in.tokens()["access_token"]
    sign_in.clock.advance(-50)

    assert sign_in.userinfo(token).status_code == 200
    sign_in.call("revoke", {"token": token})
    assert sign_in.userinfo(token).status_code == 401


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_access_tokens_are_signed_as_the_operator_chose(
    make_sign_in: MakeSignIn, algorithm: str
) -> None:
    """RFC 9068 leaves it open; userinfo takes both, whichever is the choice today."""
    sign_in = make_sign_in(access_token_algorithm=algorithm)

    token = sign_in.tokens()["access_token"]

    assert sign_in.opened(token).header["alg"] == algorithm
    assert sign_in.userinfo(token).status_code == 200


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"keys": 7}',
        "[" * 5000 + "]" * 5000,
        '{"keys": []}',
        '{"keys": [{"kty": "oct", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"}]}',
        '{"keys": [{"kty": "RSA", "n": "", "e": "AQAB"}]}',
        '{"keys": [{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}]}',
        '{"keys": [{"kty": "AKP", "alg": "ML-DSA-44", "pub": "x"}]}',
        json.dumps({"keys": [CURVE.as_dict(private=True)]}),
        jwks(ECKey.generate_key("P-384")),
        jwks(*[CURVE] * 11),
        jwks(CURVE, kid="same") [:-1],
    ],
)  # fmt: skip
def test_only_good_public_keys_are_registered(text: str) -> None:
    """Above all no private one: it would have left its owner."""
    with pytest.raises(ClientRefused):
        require_public_keys(text)


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
def test_a_short_rsa_key_is_refused() -> None:
    """NIST SP 800-131A: 2,048 bits at least."""
    with pytest.raises(ClientRefused, match="2048"):
        require_public_keys(jwks(RSAKey.generate_key(1024)))
