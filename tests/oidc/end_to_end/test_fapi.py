"""The FAPI 2.0 Security Profile as an option: each demand on the server, held or refused.

Sections are those of FAPI 2.0 Security Profile (final), §5.3.2.1, §5.3.2.2 and §5.4.1.
"""

import json
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from joserfc import jws, jwt
from joserfc.jwk import ECKey, RSAKey

from oidc.client import Authentication, Profile
from oidc.clients import assertions
from tests.support.clock import FakeClock
from tests.support.service.dpop_client import Holder
from tests.support.service.sign_in import (
    REDIRECT_URI,
    MakeSignIn,
    SignIn,
    error_of,
    response_of,
)

ISSUER = "https://id.example"
TOKEN, PAR, USERINFO = (f"{ISSUER}/{end}" for end in ("token", "par", "userinfo"))


@dataclass
class Bank:
    """A relying party that keeps to the profile, and can break one rule."""

    app: SignIn
    key: ECKey | RSAKey
    holder: Holder

    @property
    def client_id(self) -> str:
        """Return its name on the wire."""
        return self.app.shop.client.client_id

    def proved(self, *, alg: str | None = None, **changes: Any) -> dict[str, str]:
        """Return the fields that authenticate it."""
        now = int(self.app.clock().timestamp())
        names = {"iss": self.client_id, "sub": self.client_id, "aud": ISSUER}
        claims = {**names, "jti": str(uuid4()), "iat": now, "exp": now + 60, **changes}
        alg = alg or ("ES256" if isinstance(self.key, ECKey) else "PS256")
        registry = jws.JWSRegistry(algorithms=[alg])
        token = jwt.encode({"alg": alg}, claims, self.key, registry=registry)
        return {"client_assertion_type": assertions.TYPE, "client_assertion": token}

    def push(self, *, proved: dict[str, str] | None = None, **changes: Any) -> Any:
        """Push an authorization request."""
        proof = self.proved() if proved is None else proved
        return self.app.new_browser().post(PAR, data={**self.app.request(**changes), **proof})

    def code(self, **changes: Any) -> str:
        """Go all the way to a code."""
        pushed = self.push(**changes)
        assert pushed.status_code == 201, pushed.text
        asked = {"client_id": self.client_id, "request_uri": pushed.json()["request_uri"]}
        return self.app.code_on(self.app.authorize(asked).headers["location"])

    def redeem(self, code: str, *, proof: bool = True) -> Any:
        """Exchange a code."""
        headers = {"DPoP": self.holder.proof("POST", TOKEN)} if proof else {}
        return self.app.redeem(code, headers=headers, **self.proved())

    def refresh(self, token: str) -> Any:
        """Use a refresh token."""
        headers = {"DPoP": self.holder.proof("POST", TOKEN)}
        return self.app.refresh(token, headers=headers, **self.proved())


def bank_of(sign_in: SignIn, key: ECKey | RSAKey | None = None) -> Bank:
    """Register a relying party under the profile."""
    signing = key or ECKey.generate_key("P-256")
    keys = json.dumps({"keys": [signing.as_dict(private=False)]})
    by = {"authentication": Authentication.PRIVATE_KEY_JWT, "jwks": keys}
    app = sign_in.another("Bank", REDIRECT_URI, profile=Profile.FAPI2, **by)
    return Bank(app, signing, Holder(sign_in.clock))


@pytest.fixture
def bank(sign_in: SignIn) -> Bank:
    """Give a relying party under the profile."""
    return bank_of(sign_in)


def test_the_profile_from_push_to_userinfo(bank: Bank) -> None:
    """PAR, PKCE, private_key_jwt, DPoP, iss; tokens bound and signed by ES256."""
    body = bank.redeem(bank.code(scope="openid offline_access")).json()
    token = body["access_token"]
    proof = bank.holder.proof("GET", USERINFO, token)
    headers = {"Authorization": f"DPoP {token}", "DPoP": proof}

    person = bank.app.new_browser().get(USERINFO, headers=headers)

    assert body["token_type"] == "DPoP"
    for each in (body["id_token"], token):
        assert bank.app.opened(each).header["alg"] == "ES256"
    assert person.json()["sub"] == bank.app.subject(body)


def test_an_rsa_key_signs_by_ps256_and_never_by_rs256(sign_in: SignIn) -> None:
    """§5.4.1."""
    bank = bank_of(sign_in, RSAKey.generate_key(2048))

    assert bank.push().status_code == 201
    assert error_of(bank.push(proved=bank.proved(alg="RS256"))) == (401, "invalid_client")


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        ("§5.3.2.1 the audience is the issuer", {"aud": TOKEN}),
        ("§5.3.2.1 the audience is a string", {"aud": [ISSUER]}),
        ("§5.3.2.1 not from the future", {"iat": 2_000_000_000}),
    ],
)
def test_an_assertion_that_breaks_one_rule_is_refused(
    bank: Bank, rule: str, changes: dict[str, Any]
) -> None:
    """A client outside the profile may address the token endpoint; this one may not."""
    assert error_of(bank.push(proved=bank.proved(**changes))) == (401, "invalid_client"), rule


def test_a_code_lives_for_a_minute_whatever_the_installation_says(
    make_sign_in: MakeSignIn, clock: FakeClock
) -> None:
    """§5.3.2.1; other clients keep what the operator set."""
    sign_in = make_sign_in(code_lifetime_s=600)
    bank = bank_of(sign_in)
    late, other = bank.code(), sign_in.code()
    clock.advance(59)
    in_time = bank.redeem(bank.code())
    clock.advance(1)

    assert in_time.status_code == 200
    assert error_of(bank.redeem(late)) == (400, "invalid_grant")
    assert sign_in.redeem(other).status_code == 200


def test_a_refresh_token_is_not_rotated(bank: Bank, sign_in: SignIn, clock: FakeClock) -> None:
    """§5.3.2.1: it is bound to the client's key, and a lost answer signs no account out."""
    first = bank.redeem(bank.code(scope="openid offline_access")).json()

    clock.advance(sign_in.settings.refresh_token_idle_s + 1)
    answers = [bank.refresh(first["refresh_token"]) for _ in range(3)]
    clock.advance(sign_in.settings.refresh_token_lifetime_s)

    for answer in answers:
        assert answer.json()["refresh_token"] == first["refresh_token"]
        assert answer.json()["refresh_token_expires_in"] < first["refresh_token_expires_in"]
    assert error_of(bank.refresh(first["refresh_token"])) == (400, "invalid_grant")


@pytest.fixture
def strict(make_sign_in: MakeSignIn) -> SignIn:
    """Give an installation that is held to the profile."""
    return make_sign_in(profile=Profile.FAPI2)


def test_an_installation_under_the_profile_serves_no_other_client(strict: SignIn) -> None:
    """At the authorization endpoint by a redirect, and wherever a client authenticates."""
    bank = bank_of(strict)

    assert bank.redeem(bank.code()).status_code == 200
    assert response_of(strict.ask())["error"] == "unauthorized_client"
    for answer in (strict.call("par", strict.request()), strict.redeem("c")):
        assert answer.json()["error"] == "unauthorized_client"


def test_discovery_promises_nothing_else(strict: SignIn) -> None:
    """§5.3.2.1: what a library reads is what it may do."""
    document = strict.metadata

    assert document["require_pushed_authorization_requests"] is True
    assert document["id_token_signing_alg_values_supported"] == ["ES256"]
    for endpoint in ("token", "revocation", "introspection"):
        methods = document[f"{endpoint}_endpoint_auth_methods_supported"]
        algorithms = document[f"{endpoint}_endpoint_auth_signing_alg_values_supported"]
        assert methods == ["private_key_jwt"]
        assert algorithms == ["ES256", "PS256"]
