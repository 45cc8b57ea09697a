"""How clients prove themselves: a secret, a signature, or (public ones) not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey, RSAKey

from oidc.clients.jwks import require_public_keys
from oidc.clients.registry import RegisteredClient
from oidc.errors import ClientRefused
from oidc.types import Authentication, Profile
from tests.support.clock import FakeClock
from tests.support.service.sign_in import CHALLENGE, VERIFIER, SignIn, query_of

URI = "https://bank.example/cb"
TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
CURVE, RSA = ECKey.generate_key("P-256"), RSAKey.generate_key(2048)
WEAK = RSAKey.generate_key(2048)
PUBLIC_AS_SECRET = str(CURVE.as_dict(private=False)["x"]).encode()
ISSUER = "https://id.example"


def jwks(*keys: Any, **members: str) -> str:
    """Return the public halves as a JWK set."""
    return json.dumps({"keys": [{**key.as_dict(private=False), **members} for key in keys]})


@pytest.fixture
def bank(sign_in: SignIn) -> RegisteredClient:
    """Give a client that signs."""
    return sign_in.register(
        "Bank", URI, authentication=Authentication.PRIVATE_KEY_JWT, jwks=jwks(CURVE, RSA)
    )


@pytest.fixture
def code(sign_in: SignIn, bank: RegisteredClient) -> str:
    """Give a code of that client."""
    return code_of(sign_in, bank)


def code_of(sign_in: SignIn, client: RegisteredClient, **changes: str) -> str:
    """Go all the way to a code of this client."""
    page = sign_in.authorize(sign_in.request(client, **changes)).headers["location"]
    sign_in.approve(page)
    return query_of(sign_in.proceed(page).headers["location"])["code"]


def assertion(sign_in: SignIn, bank: RegisteredClient, key: Any = CURVE, **changes: Any) -> str:
    """Return an assertion, changed; None leaves a claim out."""
    now = int(sign_in.clock().timestamp())
    claims = {
        "iss": bank.client.client_id,
        "sub": bank.client.client_id,
        "aud": ISSUER,
        "jti": "one",
        "iat": now,
        "exp": now + 60,
        **changes,
    }
    alg = {"EC": "ES256", "RSA": "RS256", "oct": "HS256"}[key.key_type]
    kept = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode({"alg": alg}, kept, key, [alg])


def redeem(sign_in: SignIn, code: str, token: str, **changes: str | None) -> Any:
    """Exchange a code with an assertion."""
    fields = {
        "client_id": None,
        "client_secret": None,
        "redirect_uri": URI,
        "client_assertion_type": TYPE,
        "client_assertion": token,
        **changes,
    }
    return sign_in.redeem(code, **fields)


class TestPrivateKeyJwt:
    """RFC 7523 §3, OpenID Connect Core §9."""

    @pytest.mark.parametrize("key", [CURVE, RSA])
    @pytest.mark.parametrize(
        "aud", [ISSUER, f"{ISSUER}/token", f"{ISSUER}/oauth/token", [ISSUER]]
    )
    def test_a_signature_for_us_proves_the_client(
        self, sign_in: SignIn, bank: RegisteredClient, code: str, key: Any, aud: object
    ) -> None:
        """Any of its keys; issuer or token endpoint."""
        answer = redeem(sign_in, code, assertion(sign_in, bank, key, aud=aud))

        assert answer.status_code == 200, answer.text

    def test_the_client_may_name_itself(
        self, sign_in: SignIn, bank: RegisteredClient, code: str
    ) -> None:
        """RFC 7521 §4.2: client_id is optional, and must be the same."""
        wrong = redeem(sign_in, code, assertion(sign_in, bank), client_id="another")
        right = redeem(sign_in, code, assertion(sign_in, bank), client_id=bank.client.client_id)

        assert (wrong.status_code, wrong.json()["error"]) == (400, "invalid_request")
        assert right.status_code == 200

    @pytest.mark.parametrize(
        "changes",
        [
            {"iss": "another"},
            {"iss": None},
            {"sub": "another"},
            {"sub": 7},
            {"sub": None},
            {"aud": None},
            {"aud": "https://evil.example"},
            {"aud": [ISSUER, "https://evil.example"]},
            {"aud": []},
            {"aud": [7]},
            {"aud": {"x": 1}},
            {"exp": None},
            {"exp": True},
            {"exp": "tomorrow"},
            {"exp": 0},
            {"exp": 10**400},
            {"exp": 4_000_000_000},
            {"iat": 4_000_000_000},
            {"nbf": 4_000_000_000},
            {"nbf": "x"},
            {"jti": None},
            {"jti": ""},
            {"jti": 7},
            {"jti": "j" * 256},
        ],
    )
    def test_one_wrong_claim_is_enough(
        self, sign_in: SignIn, bank: RegisteredClient, code: str, changes: dict[str, Any]
    ) -> None:
        """All alike to the outside; the code survives."""
        answer = redeem(sign_in, code, assertion(sign_in, bank, **changes))

        assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")
        assert redeem(sign_in, code, assertion(sign_in, bank)).status_code == 200

    @pytest.mark.parametrize(
        "forge",
        [
            lambda s, b: assertion(s, b, ECKey.generate_key("P-256")),
            lambda s, b: assertion(s, b, WEAK),
            lambda s, b: assertion(s, b, OctKey.import_key(PUBLIC_AS_SECRET)),
            lambda s, b: assertion(s, b).rpartition(".")[0] + ".",
            lambda s, b: "eyJhbGciOiJub25lIn0." + assertion(s, b).split(".")[1] + ".",
            lambda _s, _b: "no.jwt",
            lambda _s, _b: "ä",
            lambda _s, _b: "e30.W10.e30",
            lambda _s, _b: "e30.e30.e30",
        ],
    )
    @pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
    def test_a_forged_one_proves_nothing(
        self,
        sign_in: SignIn,
        bank: RegisteredClient,
        code: str,
        forge: Callable[[SignIn, RegisteredClient], str],
    ) -> None:
        """Strangers' keys, the public key as a secret, no signature, no JWT."""
        answer = redeem(sign_in, code, forge(sign_in, bank))

        assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")

    def test_an_assertion_is_good_once(
        self, sign_in: SignIn, bank: RegisteredClient, code: str
    ) -> None:
        """Whoever reads one in a log can do nothing with it. RFC 7523 §3 (7)."""
        token = assertion(sign_in, bank)
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda _: redeem(sign_in, "x", token), range(6)))

        errors = sorted(answer.json()["error"] for answer in answers)
        assert errors == ["invalid_client"] * 5 + ["invalid_grant"]

    def test_used_ones_are_forgotten_when_they_are_dead(
        self, sign_in: SignIn, bank: RegisteredClient, clock: FakeClock
    ) -> None:
        """Not before; the table does not grow for ever."""
        token = assertion(sign_in, bank)
        redeem(sign_in, "x", token)
        clock.advance(89)
        sign_in.sweep()
        late = redeem(sign_in, "x", token).json()["error"]
        clock.advance(2)
        sign_in.sweep()

        assert late == "invalid_client"
        assert redeem(sign_in, "x", token).json()["error"] == "invalid_client"
        with sign_in.database.write() as stores:
            assert stores.replay.purge(clock()) == 0

    def test_a_client_proves_itself_as_it_is_registered(
        self, sign_in: SignIn, bank: RegisteredClient
    ) -> None:
        """A client that signs cannot fall back to its name or an empty secret."""
        name = bank.client.client_id
        weaker: list[dict[str, str | None]] = [
            {"client_assertion": None, "client_assertion_type": None, "client_id": name},
            {"client_assertion_type": "urn:other"},
            {"client_assertion": None},
        ]

        answers = [redeem(sign_in, "x", assertion(sign_in, bank), **each) for each in weaker]
        empty = redeem(
            sign_in, "x", "", client_assertion_type=None, client_id=name, client_secret="x"
        )

        assert [each.status_code for each in (*answers, empty)] == [401] * 4
        assert sign_in.redeem("x", client_secret=None).status_code == 401

    @pytest.mark.parametrize("second", ["secret", "header"])
    def test_two_proofs_at_once_are_refused(
        self, sign_in: SignIn, bank: RegisteredClient, second: str
    ) -> None:
        """RFC 6749 §2.3."""
        fields = sign_in.token_request(
            code="c",
            client_assertion_type=TYPE,
            client_assertion=assertion(sign_in, bank),
            client_secret="x" if second == "secret" else None,
        )
        headers = sign_in.basic() if second == "header" else {}

        answer = sign_in.post_token(fields, headers=headers)

        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


class TestPublicClients:
    """``none``: nothing proves the client, so the request must carry a PKCE challenge."""

    def test_pkce_is_compulsory(self, sign_in: SignIn) -> None:
        """RFC 9700 §2.1.1."""
        app = sign_in.register("App", URI, authentication=Authentication.NONE)

        told = query_of(sign_in.authorize(sign_in.request(app)).headers["location"])

        assert told["error"] == "invalid_request"
        assert "code_challenge" in told["error_description"]

    def test_the_whole_flow_works_without_a_secret(self, sign_in: SignIn) -> None:
        """Code, refusal without verifier, tokens, refresh."""
        app = sign_in.register("App", URI, authentication=Authentication.NONE)
        code = code_of(sign_in, app, scope="openid offline_access", **PKCE)
        public = {"client_id": app.client.client_id, "client_secret": None}

        without = sign_in.redeem(code, redirect_uri=URI, **public)
        given = sign_in.redeem(code, redirect_uri=URI, code_verifier=VERIFIER, **public).json()
        again = sign_in.refresh(given["refresh_token"], **public)

        assert (without.status_code, without.json()["error"]) == (400, "invalid_request")
        assert again.status_code == 200
        assert sign_in.userinfo(again.json()["access_token"]).status_code == 200

    def test_a_secret_opens_no_public_client(self, sign_in: SignIn) -> None:
        """There is none to compare with."""
        app = sign_in.register("App", URI, authentication=Authentication.NONE)
        name = app.client.client_id

        assert sign_in.redeem("x", client_id=name, client_secret="x").status_code == 401


def test_pkce_can_be_required_of_any_client(sign_in: SignIn) -> None:
    """Per client: the specification's own client knows no PKCE."""
    strict = sign_in.register("Strict", URI, require_pkce=True)

    refused = sign_in.authorize(sign_in.request(strict)).headers["location"]
    opened = sign_in.authorize(sign_in.request(strict, **PKCE)).headers["location"]

    assert query_of(refused)["error"] == "invalid_request"
    assert "/oauth/consent/" in opened


def test_id_tokens_are_signed_as_the_client_asked(sign_in: SignIn) -> None:
    """RS256 unless ES256 was registered. OpenID Connect Core §15.1."""
    curved = sign_in.register("Curved", URI, id_token_algorithm="ES256")
    body = sign_in.redeem(
        code_of(sign_in, curved),
        client_id=curved.client.client_id,
        client_secret=curved.secret,
        redirect_uri=URI,
    ).json()

    assert sign_in.opened(body["id_token"]).header["alg"] == "ES256"
    assert sign_in.opened(sign_in.tokens()["id_token"]).header["alg"] == "RS256"


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_access_tokens_are_signed_as_the_operator_chose(
    make_sign_in: Callable[..., SignIn], algorithm: str
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
        '{"keys": []}',
        '{"keys": [{"kty": "oct", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"}]}',
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


def test_good_keys_are_kept_as_they_are() -> None:
    """With their names."""
    kept = KeySet.import_key_set(json.loads(require_public_keys(jwks(CURVE, RSA, kid="k"))))

    assert [key.kid for key in kept.keys] == ["k", "k"]


@pytest.mark.parametrize(
    "options",
    [
        {"authentication": Authentication.PRIVATE_KEY_JWT},
        {"jwks": jwks(CURVE)},
        {"authentication": Authentication.NONE, "jwks": jwks(CURVE)},
        {"id_token_algorithm": "none"},
        {"id_token_algorithm": "HS256"},
        {"authentication": Authentication.NONE, "resource_server": True},
    ],
)
def test_options_that_do_not_fit_are_refused(sign_in: SignIn, options: dict[str, Any]) -> None:
    """Nothing is stored that could not work."""
    with pytest.raises(ClientRefused):
        sign_in.register("Bad", URI, **options)


@pytest.mark.parametrize(
    ("keys", "is_taken"),
    [
        (jwks(RSA, alg="RS256"), False),
        (jwks(RSA, alg="PS256"), True),
        (jwks(RSA), True),
        (jwks(CURVE), True),
    ],
)
def test_a_fapi_client_has_a_key_that_it_may_use(
    sign_in: SignIn, keys: str, *, is_taken: bool
) -> None:
    """FAPI 2.0 §5.4.1 allows ES256 and PS256: RS256 alone could never authenticate."""
    options = {"authentication": Authentication.PRIVATE_KEY_JWT, "profile": Profile.FAPI2}

    with nullcontext() if is_taken else pytest.raises(ClientRefused, match="PS256"):
        sign_in.register("Bank", URI, jwks=keys, **options)
