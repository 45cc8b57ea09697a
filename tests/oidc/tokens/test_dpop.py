"""Tokens that are worth nothing without a key: RFC 9449 from token to userinfo."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from joserfc.jwk import ECKey, OctKey, RSAKey

from oidc.client import Authentication
from oidc.tokens.access import DpopNonces
from tests.support.clock import FakeClock
from tests.support.service.dpop_client import Holder
from tests.support.service.sign_in import MakeSignIn, SignIn, error_of

TOKEN = "https://id.example/token"
USERINFO = "https://id.example/userinfo"
PAR = "https://id.example/par"
OFFLINE = "openid offline_access"


@pytest.fixture
def holder(clock: FakeClock) -> Holder:
    """Give a client's key."""
    return Holder(clock)


def proofs(*given: str) -> list[tuple[str, str]]:
    """Return headers that carry these proofs."""
    return [("DPoP", proof) for proof in given]


def redeem(sign_in: SignIn, code: str, *given: str) -> Any:
    """Exchange a code, with these proofs."""
    return sign_in.redeem(code, headers=proofs(*given))


def refresh(sign_in: SignIn, token: str, *given: str) -> Any:
    """Use a refresh token, with these proofs."""
    return sign_in.refresh(token, headers=proofs(*given))


def bound_tokens(sign_in: SignIn, holder: Holder, **changes: str | None) -> dict[str, Any]:
    """Go all the way to tokens that are bound to the holder's key."""
    answer = redeem(sign_in, sign_in.code(**changes), holder.proof("POST", TOKEN))
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def ask(sign_in: SignIn, token: str, *given: str, scheme: str = "DPoP") -> Any:
    """Ask the userinfo endpoint."""
    headers = [("Authorization", f"{scheme} {token}"), *proofs(*given)]
    return sign_in.new_browser().get(USERINFO, headers=headers)


@pytest.mark.parametrize("keys", [(), (RSAKey.generate_key(2048),)])
def test_a_proof_binds_the_access_token_to_its_key(
    sign_in: SignIn, clock: FakeClock, keys: tuple[RSAKey, ...]
) -> None:
    """§5, §6.1: the type says so, and every resource server finds the thumbprint.

    PS256 is for keys in hardware that knows no curve.
    """
    holder = Holder(clock, *keys)
    body = bound_tokens(sign_in, holder)

    assert body["token_type"] == "DPoP"
    assert sign_in.opened(body["access_token"]).claims["cnf"] == {"jkt": holder.thumbprint}
    token = body["access_token"]
    answer = ask(sign_in, token, holder.proof("GET", USERINFO, token))
    assert answer.json() == {"sub": sign_in.subject(body)}


Make = Callable[[Holder], str]


def claims(**changes: Any) -> Make:
    """Make a proof that claims something else."""
    return lambda h: h.proof("POST", TOKEN, **changes)


def header(**changes: object) -> Make:
    """Make a proof with another header."""
    return lambda h: h.proof("POST", TOKEN, header=changes)


def request(method: str, uri: str = TOKEN) -> Make:
    """Make a proof of another request."""
    return lambda h: h.proof(method, uri)


def at(claim: str, seconds: int) -> Make:
    """Make a proof whose time is that far from now."""
    return lambda h: claims(**{claim: int(h.clock().timestamp()) + seconds})(h)


def unsigned(**changes: object) -> Make:
    """Make a proof without a signature."""

    def make(holder: Holder) -> str:
        jwk = holder.key.as_dict(private=False)
        header = {"typ": "dpop+jwt", "alg": "none", "jwk": jwk, **changes}
        said = holder.proof("POST", TOKEN).split(".")[1]
        return f"{base64.urlsafe_b64encode(json.dumps(header).encode()).decode()}.{said}."

    return make


def _foreign_signature(holder: Holder) -> str:
    head, said, _ = holder.proof("POST", TOKEN).split(".")
    return f"{head}.{said}.{holder.proof('POST', TOKEN).split('.')[2]}"


OTHER, P384 = ECKey.generate_key("P-256"), ECKey.generate_key("P-384")
WRONG: dict[str, Make] = {
    "§4.3-2 no JWT": lambda _: "x",
    "§4.3-2 not ASCII": lambda h: "é" + h.proof("POST", TOKEN),
    "§4.3-2 too long": claims(filler="x" * 5000),
    "§4.3-3 no jti": claims(jti=None),
    "§4.3-3 empty jti": claims(jti=""),
    "§4.3-3 long jti": claims(jti="j" * 256),
    "§4.3-3 jti is a number": claims(jti=7),
    "§4.3-3 no iat": claims(iat=None),
    "§4.3-3 no htm": claims(htm=None),
    "§4.3-3 no htu": claims(htu=None),
    "§4.3-4 no typ": header(typ=None),
    "§4.3-4 another typ": header(typ="JWT"),
    "§4.3-5 alg none": unsigned(),
    "§4.3-6 a signature of another proof": _foreign_signature,
    "§4.3-6 no key": header(jwk=None),
    "§4.3-6 a key that is none": header(jwk={"kty": "EC"}),
    "§4.3-6 a key that is on no curve": header(jwk=OTHER.as_dict(private=False) | {"x": "AA"}),
    "§4.3-6 a key that is a list": unsigned(alg="ES256", jwk=[1]),
    "§4.3-6 a curve that is a number": unsigned(alg="ES256", jwk={"kty": "EC", "crv": 5}),
    "RFC 7515 §4.1.11 an odd crit": unsigned(alg="ES256", crit=5),
    "§4.3-6 an empty RSA key": unsigned(alg="PS256", jwk={"kty": "RSA", "n": "", "e": ""}),
    "§4.3-6 a foreign key": header(jwk=OTHER.as_dict(private=False)),
    "§4.3-7 the private key": lambda h: header(jwk=h.key.as_dict(private=True))(h),
    "§4.3-7 a symmetric key": header(jwk=OctKey.generate_key(256).as_dict()),
    "§4.3-8 another method": request("GET"),
    "§4.3-9 another endpoint": request("POST", USERINFO),
    "§4.3-9 another host": request("POST", "https://evil.example/token"),
    "§4.3-9 plain http": request("POST", "http://id.example/token"),
    "§4.3-9 another port": request("POST", "https://id.example:8443/token"),
    "§4.3-9 a port that is none": request("POST", "https://id.example:port/token"),
    "§4.3-9 no address": request("POST", "https://[/token"),
    "§4.3-9 an address that is a number": claims(htu=7),
    "§4.3-11 too old": at("iat", -61),
    "§4.3-11 from the future": at("iat", 11),
    "RFC 7519 §4.1.4 expired": at("exp", -11),
    "RFC 7519 §4.1.5 not yet valid": at("nbf", 11),
    "RFC 7519 §2 an end that is text": claims(exp="now"),
    "§4.3-11 a time that is text": claims(iat="now"),
    "§4.3-11 a time that is true": claims(iat=True),
    "§4.3-11 a time without end": claims(iat=10**400),
    "§4.3-11 a time that is no number": claims(iat=float("nan")),
    "a key of another curve": unsigned(alg="ES256", jwk=P384.as_dict(private=False)),
    "another curve": lambda h: header(alg="ES384")(Holder(h.clock, P384)),
    "RFC 8725 §3.5 a weak key": unsigned(
        alg="PS256", jwk={"kty": "RSA", "e": "AQAB", "n": "w" * 171}
    ),
}


@pytest.mark.parametrize("make", WRONG.values(), ids=WRONG.keys())
def test_a_proof_with_one_thing_wrong_is_refused_and_costs_no_code(
    sign_in: SignIn, holder: Holder, make: Make
) -> None:
    """Each line of §4.3; the honest client tries again with the same code."""
    code = sign_in.code()

    answer = sign_in.redeem(code, headers=[(b"DPoP", make(holder).encode())])

    assert answer.status_code == 400
    assert answer.json()["error"] in {"invalid_dpop_proof", "use_dpop_nonce"}
    assert redeem(sign_in, code, holder.proof("POST", TOKEN)).status_code == 200


def test_two_proofs_are_none(sign_in: SignIn, holder: Holder) -> None:
    """§4.3-1: which one would count?"""
    answer = redeem(sign_in, sign_in.code(), *(holder.proof("POST", TOKEN) for _ in range(2)))

    assert answer.json()["error"] == "invalid_dpop_proof"


@pytest.mark.parametrize(
    "uri",
    [
        "HTTPS://ID.EXAMPLE:443/token",
        "https://id.example/oauth/%2e%2e/./%74oken",
        "https://id.example/oauth/token",
        f"{TOKEN}?a=b#c",
    ],
)
def test_one_address_may_be_written_in_several_ways(
    sign_in: SignIn, holder: Holder, uri: str
) -> None:
    """§4.3-9: normalisation by syntax and scheme, and both addresses of the endpoint."""
    assert redeem(sign_in, sign_in.code(), holder.proof("POST", uri)).status_code == 200


def test_the_address_comes_from_settings_and_not_from_the_request(
    make_sign_in: MakeSignIn, clock: FakeClock
) -> None:
    """Behind a proxy the request knows another host; an attacker names another."""
    sign_in = make_sign_in(base_url="https://api.example/oauth2")
    holder, code = Holder(clock), sign_in.code()

    def answer(uri: str) -> int:
        headers = {"DPoP": holder.proof("POST", uri), "Host": "inner:8080"}
        return int(sign_in.redeem(code, headers=headers).status_code)

    assert answer("https://inner:8080/oauth2/token") == 400
    assert answer("https://api.example/oauth2/token") == 200


def test_a_used_proof_is_remembered_until_its_moment_is_over(
    sign_in: SignIn, holder: Holder, clock: FakeClock
) -> None:
    """§11.1: in the database, for every process, also where the sweeping host is ahead."""
    proof = holder.proof("POST", TOKEN, iat=int(clock().timestamp()) + 10)
    assert redeem(sign_in, sign_in.code(), proof).status_code == 200

    clock.advance(70 + 59)
    sign_in.sweep()
    clock.advance(-59)

    assert redeem(sign_in, sign_in.code(), proof).json()["error"] == "invalid_dpop_proof"


def test_a_client_without_its_secret_learns_nothing_of_its_proof(sign_in: SignIn) -> None:
    """And fills no table of used proofs: the client is authenticated first."""
    answer = sign_in.redeem(sign_in.code(), headers=proofs("x"), client_secret="wrong")

    assert error_of(answer) == (401, "invalid_client")


class TestNonce:
    """§8: an installation may demand its own nonce."""

    def test_a_protected_resource_asks_by_its_challenge(
        self, make_sign_in: MakeSignIn, holder: Holder
    ) -> None:
        """§9: 401 and the name of the scheme."""
        sign_in = make_sign_in(dpop_nonce=True)
        code = sign_in.code()
        wanted = redeem(sign_in, code, holder.proof("POST", TOKEN))
        nonce = wanted.headers["dpop-nonce"]
        body = redeem(sign_in, code, holder.proof("POST", TOKEN, nonce=nonce)).json()
        token = body["access_token"]

        refused = ask(sign_in, token, holder.proof("GET", USERINFO, token))
        again = holder.proof("GET", USERINFO, token, nonce=refused.headers["dpop-nonce"])

        assert (error_of(wanted), refused.status_code) == ((400, "use_dpop_nonce"), 401)
        challenge = refused.headers["www-authenticate"]
        assert 'DPoP realm="userinfo", error="use_dpop_nonce"' in challenge
        assert ask(sign_in, token, again).status_code == 200

    def test_an_old_nonce_does_no_harm(self, sign_in: SignIn, holder: Holder) -> None:
        """Where none is needed: from before the operator switched it off."""
        proof = holder.proof("POST", TOKEN, nonce="old")
        assert redeem(sign_in, sign_in.code(), proof).status_code == 200

    def test_a_nonce_is_the_same_in_every_process_and_ends(self, clock: FakeClock) -> None:
        """No table: five minutes, and five more for a client that got it late."""
        one, other, foreign = (DpopNonces(key * 32) for key in (b"k", b"k", b"x"))
        nonce = one.current(clock())

        assert other.is_good(nonce, clock())
        assert not foreign.is_good(nonce, clock())
        clock.advance(300)
        assert other.is_good(nonce, clock())
        clock.advance(300)
        assert not other.is_good(nonce, clock())
        assert not other.is_good("\ud800", clock())
        assert not other.is_good(7, clock())


class TestUserinfo:
    """§7: a bound token needs its key."""

    def test_a_token_and_its_scheme_and_key_belong_together(
        self, sign_in: SignIn, holder: Holder, clock: FakeClock
    ) -> None:
        """§7.2: not as a bearer token, in a form, with the thief's key; nor a bearer token."""
        token, bearer = bound_tokens(sign_in, holder)["access_token"], sign_in.tokens()
        unbound = bearer["access_token"]

        answers = [
            ask(sign_in, token, scheme="Bearer"),
            ask(sign_in, token, holder.proof("GET", USERINFO, token), scheme="Bearer"),
            sign_in.new_browser().post(USERINFO, data={"access_token": token}),
            ask(sign_in, token, Holder(clock).proof("GET", USERINFO, token)),
            ask(sign_in, unbound, holder.proof("GET", USERINFO, unbound)),
        ]

        assert [error_of(answer) for answer in answers] == [(401, "invalid_token")] * 5

    @pytest.mark.parametrize(
        "changes",
        [*({"ath": each} for each in (None, "x", 7, "é")), {"htm": "POST"}, {"htu": TOKEN}],
    )
    def test_a_proof_for_something_else_is_refused(
        self, sign_in: SignIn, holder: Holder, changes: dict[str, Any]
    ) -> None:
        """§4.3-12: also for another access token."""
        token = bound_tokens(sign_in, holder)["access_token"]

        answer = ask(sign_in, token, holder.proof("GET", USERINFO, token, **changes))

        assert error_of(answer) == (401, "invalid_dpop_proof")
        challenge = answer.headers["www-authenticate"]
        assert challenge.startswith("DPoP ")
        assert 'algs="ES256 PS256"' in challenge

    def test_a_proof_is_good_once_and_needed_each_time(
        self, sign_in: SignIn, holder: Holder
    ) -> None:
        """A recorded request cannot be sent again."""
        token = bound_tokens(sign_in, holder)["access_token"]
        proof = holder.proof("GET", USERINFO, token)

        codes = [ask(sign_in, token, *proofs).status_code for proofs in ([proof], [proof], [])]

        assert codes == [200, 401, 401]


class TestRefresh:
    """§5: the refresh tokens of public clients are bound, too."""

    @pytest.fixture
    def public(self, sign_in: SignIn) -> SignIn:
        """Give a client that lives in a browser."""
        uri = "https://browser.example/cb"
        return sign_in.another(redirect_uri=uri, authentication=Authentication.NONE)

    @staticmethod
    def _first(public: SignIn, *given: str) -> str:
        token: str = redeem(public, public.code(scope=OFFLINE), *given).json()["refresh_token"]
        return token

    @pytest.mark.parametrize("begins", [True, False])
    def test_a_public_clients_refresh_token_needs_its_key(
        self, public: SignIn, holder: Holder, clock: FakeClock, *, begins: bool
    ) -> None:
        """Stolen from a browser's storage it is worth nothing, as soon as a key was proved."""
        first = self._first(public, *([holder.proof("POST", TOKEN)] if begins else []))
        bound = refresh(public, first, holder.proof("POST", TOKEN)).json()

        answers = [
            refresh(public, bound["refresh_token"]),
            refresh(public, bound["refresh_token"], Holder(clock).proof("POST", TOKEN)),
            refresh(public, bound["refresh_token"], holder.proof("POST", TOKEN)),
        ]

        assert [error_of(each) for each in answers[:2]] == [(400, "invalid_grant")] * 2
        good = answers[2].json()
        assert good["token_type"] == "DPoP"
        assert public.opened(good["access_token"]).claims["cnf"] == {"jkt": holder.thumbprint}

    def test_within_the_grace_a_bound_successor_is_for_its_key_alone(
        self, public: SignIn, holder: Holder
    ) -> None:
        """The predecessor was unbound: its thief gets nothing, and the family ends."""
        first = self._first(public)
        bound = [refresh(public, first, holder.proof("POST", TOKEN)).json() for _ in range(2)]

        assert bound[0]["refresh_token"] == bound[1]["refresh_token"]
        assert error_of(refresh(public, first)) == (400, "invalid_grant")

    def test_a_client_with_a_secret_may_take_another_key(
        self, sign_in: SignIn, holder: Holder, clock: FakeClock
    ) -> None:
        """Its refresh token is bound to the client itself, so keys can be rotated."""
        token = bound_tokens(sign_in, holder, scope=OFFLINE)["refresh_token"]
        other = Holder(clock)

        answer = refresh(sign_in, token, other.proof("POST", TOKEN))

        claims = sign_in.opened(answer.json()["access_token"]).claims
        assert claims["cnf"] == {"jkt": other.thumbprint}

    def test_a_broken_proof_spends_no_refresh_token(
        self, sign_in: SignIn, holder: Holder
    ) -> None:
        """A clock that is wrong must not sign anybody out."""
        token = bound_tokens(sign_in, holder, scope=OFFLINE)["refresh_token"]

        assert error_of(refresh(sign_in, token, "x")) == (400, "invalid_dpop_proof")
        assert sign_in.refresh(token).status_code == 200


class TestCodes:
    """§10: a code that is worth something to one key only."""

    def test_a_code_bound_to_a_key_needs_that_key(
        self, sign_in: SignIn, holder: Holder, clock: FakeClock
    ) -> None:
        """A stolen code is worth nothing, even with the client's secret."""
        code = sign_in.code(dpop_jkt=holder.thumbprint)

        without = redeem(sign_in, code)
        stolen = redeem(sign_in, code, Holder(clock).proof("POST", TOKEN))
        good = redeem(sign_in, code, holder.proof("POST", TOKEN))

        assert [a.json().get("error") for a in (without, stolen)] == ["invalid_grant"] * 2
        assert good.status_code == 200

    @staticmethod
    def _push(sign_in: SignIn, *given: str, **changes: str | None) -> Any:
        return sign_in.call("par", sign_in.request(**changes), proofs(*given))

    def test_a_pushed_request_may_prove_the_key_at_once(
        self, sign_in: SignIn, holder: Holder
    ) -> None:
        """§10.1: the proof stands for ``dpop_jkt``."""
        pushed = self._push(sign_in, holder.proof("POST", PAR)).json()
        shop = {"client_id": sign_in.shop.client.client_id}
        page = sign_in.authorize({**shop, "request_uri": pushed["request_uri"]})
        code = sign_in.code_on(page.headers["location"])

        assert error_of(redeem(sign_in, code)) == (400, "invalid_grant")
        assert redeem(sign_in, code, holder.proof("POST", TOKEN)).status_code == 200

    def test_a_pushed_request_names_one_key(self, sign_in: SignIn, holder: Holder) -> None:
        """§10.1: proof and parameter must agree, and the proof must be good."""
        other = Holder(holder.clock).thumbprint

        both = self._push(sign_in, holder.proof("POST", PAR), dpop_jkt=holder.thumbprint)
        differing = self._push(sign_in, holder.proof("POST", PAR), dpop_jkt=other)
        broken = self._push(sign_in, "x")

        assert both.status_code == 201
        for answer in (differing, broken):
            assert error_of(answer) == (400, "invalid_dpop_proof")


def test_a_client_may_be_held_to_it(sign_in: SignIn, holder: Holder) -> None:
    """``dpop_bound_access_tokens`` of §5.2: no token without a proof, at refresh neither."""
    strict = sign_in.another(require_dpop=True)
    code = strict.code(scope=OFFLINE)

    refused = redeem(strict, code)
    body = redeem(strict, code, holder.proof("POST", TOKEN)).json()

    assert error_of(refused) == (400, "invalid_dpop_proof")
    assert error_of(strict.refresh(body["refresh_token"])) == (400, "invalid_dpop_proof")


def test_introspection_tells_the_key_and_revocation_needs_none(
    sign_in: SignIn, holder: Holder
) -> None:
    """§6.2: others can check the proof; a client that lost the key can end the token."""
    token = bound_tokens(sign_in, holder)["access_token"]

    introspected = sign_in.call("introspect", {"token": token}).json()
    sign_in.call("revoke", {"token": token})

    assert introspected["token_type"] == "DPoP"
    assert introspected["cnf"] == {"jkt": holder.thumbprint}
    assert ask(sign_in, token, holder.proof("GET", USERINFO, token)).status_code == 401
