"""The token endpoint: what it gives, and the table of what it refuses."""

from __future__ import annotations

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

import pytest

from oidc.clients import secrets as client_secrets
from oidc.types import Lifetimes
from tests.support.clock import FakeClock
from tests.support.service.sign_in import ANNA, BERT, CHALLENGE, VERIFIER, SignIn, half_hash

PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
OFFLINE = "openid offline_access"


def test_a_code_becomes_the_tokens_of_the_specification(sign_in: SignIn) -> None:
    """Specification §2 and §4.3, RFC 6749 §5.1; no refresh token without offline_access."""
    answer = sign_in.redeem(sign_in.code())

    body = answer.json()
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json"
    assert set(body) == {"access_token", "id_token", "token_type", "expires_in", "scope"}
    assert (body["token_type"], body["expires_in"], body["scope"]) == ("Bearer", 3600, "openid")


def test_an_id_token_says_who_and_when_and_nothing_else(sign_in: SignIn) -> None:
    """OpenID Connect Core §2. Every further claim would be a way to recognise a person.

    ``sid`` differs for every client: `test_entrance.py`.
    """
    body = sign_in.tokens(nonce="n-0S6_WzA2Mj")

    token = sign_in.opened(body["id_token"])
    claims, now = token.claims, int(sign_in.clock().timestamp())
    assert token.header["alg"] == "RS256"
    assert token.header["kid"]
    assert claims.pop("jti")
    assert claims.pop("sid")
    assert claims.pop("sub") == claims.pop("external_user_id")
    assert claims == {
        "iss": "https://id.example",
        "aud": sign_in.shop.client.client_id,
        "iat": now,
        "nbf": now,
        "exp": now + 3600,
        "auth_time": now,
        "nonce": "n-0S6_WzA2Mj",
        "at_hash": half_hash(body["access_token"]),
        "acr": "https://id.example/acr/palm-and-phone",
        "amr": ["user", "mfa"],
    }


def test_an_access_token_is_an_rfc_9068_jwt(sign_in: SignIn) -> None:
    """A resource server verifies it with the published keys alone. RFC 9068 §2."""
    body = sign_in.tokens()

    token = sign_in.opened(body["access_token"])
    claims, now = token.claims, int(sign_in.clock().timestamp())
    assert token.header["typ"] == "at+jwt"
    assert claims["sub"] == sign_in.opened(body["id_token"]).claims["sub"]
    assert claims["aud"] == claims["iss"] == "https://id.example"
    assert claims["client_id"] == sign_in.shop.client.client_id
    assert claims["scope"] == "openid"
    assert (claims["iat"], claims["nbf"], claims["exp"]) == (now, now, now + 3600)


def test_a_nonce_appears_only_if_it_was_sent(sign_in: SignIn) -> None:
    """Specification §4.1: the nonce is optional."""
    assert "nonce" not in sign_in.opened(sign_in.tokens()["id_token"]).claims


def test_two_tokens_of_one_second_differ(sign_in: SignIn) -> None:
    """A ``jti`` made of a timestamp would collide; 256 random bits do not."""
    first, second = (sign_in.opened(sign_in.tokens()["id_token"]).claims for _ in "ab")

    assert first["sub"] == second["sub"]
    assert first["jti"] != second["jti"]


def test_external_user_id_can_be_left_out_per_client(sign_in: SignIn) -> None:
    """Some libraries warn about claims they do not know."""
    quiet = sign_in.register("Quiet", "https://q.example/cb", external_user_id=False)
    page = sign_in.authorize(sign_in.request(quiet)).headers["location"]
    sign_in.approve(page)
    code = sign_in.proceed(page).headers["location"].partition("code=")[2].partition("&")[0]

    body = sign_in.redeem(
        code,
        client_id=quiet.client.client_id,
        client_secret=quiet.secret,
        redirect_uri="https://q.example/cb",
    ).json()

    assert "external_user_id" not in sign_in.opened(body["id_token"]).claims


def test_the_client_may_authenticate_by_http_basic(sign_in: SignIn) -> None:
    """client_secret_basic. RFC 6749 §2.3.1."""
    fields = sign_in.token_request(code=sign_in.code(), client_id=None, client_secret=None)

    assert sign_in.post_token(fields, headers=sign_in.basic()).status_code == 200


def test_basic_may_repeat_the_client_id_in_the_form(sign_in: SignIn) -> None:
    """Many libraries do; it says the same."""
    fields = sign_in.token_request(code=sign_in.code(), client_secret=None)

    assert sign_in.post_token(fields, headers=sign_in.basic()).status_code == 200


def test_both_addresses_of_the_token_endpoint_answer(sign_in: SignIn) -> None:
    """Specification §4: both path forms are listed."""
    fields = sign_in.token_request(code=sign_in.code())

    assert sign_in.browser.post("/oauth/token", data=fields).status_code == 200


@pytest.mark.parametrize(
    ("change", "status", "error"),
    [
        ({"grant_type": None}, 400, "invalid_request"),
        ({"grant_type": ""}, 400, "invalid_request"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": 'evil"\n\\'}, 400, "unsupported_grant_type"),
        ({"code": None}, 400, "invalid_request"),
        ({"code": ""}, 400, "invalid_request"),
        ({"code": "unknown"}, 400, "invalid_grant"),
        ({"code": "\x00ä"}, 400, "invalid_grant"),
        ({"redirect_uri": None}, 400, "invalid_request"),
        ({"redirect_uri": "https://shop.example/other"}, 400, "invalid_grant"),
        ({"client_id": None}, 401, "invalid_client"),
        ({"client_id": "unknown"}, 401, "invalid_client"),
        ({"client_id": "\x00"}, 401, "invalid_client"),
        ({"client_secret": None}, 401, "invalid_client"),
        ({"client_secret": ""}, 401, "invalid_client"),
        ({"client_secret": "wrong"}, 401, "invalid_client"),
        ({"code_verifier": VERIFIER}, 400, "invalid_request"),
    ],
)
def test_one_wrong_field_is_refused_for_that(
    sign_in: SignIn, change: dict[str, Any], status: int, error: str
) -> None:
    """RFC 6749 §5.2. The code survives: the honest client can still use it."""
    code = sign_in.code()

    answer = sign_in.redeem(**{"code": code, **change})

    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.headers["cache-control"] == "no-store"
    assert _is_legal(answer.json()["error_description"])
    assert sign_in.redeem(code).status_code == 200


def test_a_refused_client_is_told_the_scheme_and_its_realm(sign_in: SignIn) -> None:
    """RFC 6749 §5.2 and RFC 7617 §2: a 401 names the scheme."""
    answer = sign_in.redeem("code", client_secret="wrong")

    assert answer.headers["www-authenticate"].startswith('Basic realm="')


@pytest.mark.parametrize(
    "header",
    [
        "Basic",
        "Basic !!!",
        "Basic " + base64.b64encode(b"\xff\xfe:secret").decode(),
        "Basic " + base64.b64encode(b"no colon").decode(),
        "Bearer abc",
        "Basic " + base64.b64encode(b"a:b").decode() + ", Basic x",
    ],
)
def test_a_malformed_authorization_header_is_a_client_that_failed(
    sign_in: SignIn, header: str
) -> None:
    """Some providers answer a stranger's bytes with a server error."""
    fields = sign_in.token_request(code="c", client_id=None, client_secret=None)

    answer = sign_in.post_token(fields, headers={"Authorization": header})

    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")


@pytest.mark.parametrize("change", [{}, {"client_secret": None, "client_id": "another"}])
def test_two_ways_of_authentication_at_once_are_refused(
    sign_in: SignIn, change: dict[str, str | None]
) -> None:
    """RFC 6749 §2.3: a client uses one method in each request."""
    fields = sign_in.token_request(code="c", **change)

    answer = sign_in.post_token(fields, headers=sign_in.basic())

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("name", ["code", "client_id", "grant_type", "whatever"])
def test_a_repeated_field_is_refused(sign_in: SignIn, name: str) -> None:
    """RFC 6749 §3.2: no parameter twice."""
    fields = urlencode([*sign_in.token_request(code="c").items(), (name, "1"), (name, "2")])

    answer = sign_in.browser.post(
        "/token", content=fields, headers={"Content-Type": "application/x-www-form-urlencoded"}
    )

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b"{}"),
        ("", b"grant_type=authorization_code"),
        ("multipart/form-data; boundary=x", b"--x--"),
        ("application/x-www-form-urlencoded", b"code=%ff"),
        ("application/x-www-form-urlencoded", "code=ä".encode()),
        ("application/x-www-form-urlencoded", b"&".join([b"a=1"] * 100)),
        ("application/x-www-form-urlencoded", b"code=" + b"c" * 20_000),
    ],
)
def test_a_body_that_is_no_small_form_is_refused(
    sign_in: SignIn, content_type: str, body: bytes
) -> None:
    """The only content type is the form's. RFC 6749 §3.2."""
    answer = sign_in.browser.post(
        "/token", content=body, headers={"Content-Type": content_type}
    )

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


def test_the_form_may_name_its_character_set(sign_in: SignIn) -> None:
    """Libraries add ``charset``; the media type is still the form's."""
    answer = sign_in.browser.post(
        "/token",
        content=urlencode(sign_in.token_request(code=sign_in.code())),
        headers={"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"},
    )

    assert answer.status_code == 200


def test_the_token_endpoint_is_post_only(sign_in: SignIn) -> None:
    """Secrets do not belong into addresses. RFC 6749 §3.2."""
    assert sign_in.browser.get("/token", params=sign_in.token_request()).status_code == 405


class TestPkce:
    """RFC 7636 with S256 only."""

    def test_the_right_verifier_opens_the_code(self, sign_in: SignIn) -> None:
        """The example of appendix B."""
        assert sign_in.redeem(sign_in.code(**PKCE), code_verifier=VERIFIER).status_code == 200

    @pytest.mark.parametrize(
        ("verifier", "error"),
        [
            (None, "invalid_request"),
            (CHALLENGE, "invalid_grant"),
            ("x" * 43, "invalid_grant"),
            ("short", "invalid_request"),
        ],
    )
    def test_every_other_verifier_is_refused(
        self, sign_in: SignIn, verifier: str | None, error: str
    ) -> None:
        """Sending the challenge itself would pass if it were compared as plain."""
        code = sign_in.code(**PKCE)

        answer = sign_in.redeem(code, code_verifier=verifier)

        assert (answer.status_code, answer.json()["error"]) == (400, error)
        assert sign_in.redeem(code, code_verifier=VERIFIER).status_code == 200


class TestCodes:
    """A code is spent once."""

    def test_a_reused_code_revokes_what_it_gave(self, sign_in: SignIn) -> None:
        """RFC 6749 §4.1.2: the code is in two hands, so nobody keeps anything."""
        code = sign_in.code(scope=OFFLINE)
        given = sign_in.redeem(code).json()

        again = sign_in.redeem(code)

        assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
        assert sign_in.userinfo(given["access_token"]).status_code == 401
        assert sign_in.refresh(given["refresh_token"]).json()["error"] == "invalid_grant"

    def test_a_code_dies_after_its_minute(self, sign_in: SignIn, clock: FakeClock) -> None:
        """Short-lived, so that a leaked address is worth little. ASVS 10.4.3."""
        code = sign_in.code()
        clock.advance(Lifetimes().code_s)

        assert sign_in.redeem(code).json()["error"] == "invalid_grant"

    def test_another_client_can_neither_use_nor_burn_a_code(self, sign_in: SignIn) -> None:
        """Bound to its client (RFC 6749 §4.1.3), and strangers must not burn codes."""
        other = sign_in.register("Other", "https://other.example/cb")
        code = sign_in.code()

        stolen = sign_in.redeem(
            code, client_id=other.client.client_id, client_secret=other.secret
        )

        assert stolen.json()["error"] == "invalid_grant"
        assert sign_in.redeem(code).status_code == 200

    def test_of_concurrent_redemptions_at_most_one_wins(self, sign_in: SignIn) -> None:
        """Check-then-act would give two sets of tokens for one code. ASVS 15.4.2."""
        code = sign_in.code()

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: sign_in.redeem(code), range(8)))

        assert sorted(answer.status_code for answer in answers) == [200] + [400] * 7


class TestRefresh:
    """Refresh tokens rotate; a family lives and dies together."""

    def test_a_refresh_gives_everything_anew(self, sign_in: SignIn, clock: FakeClock) -> None:
        """OpenID Connect Core §12.2: same person, same auth_time, no nonce."""
        first = sign_in.tokens(scope=OFFLINE, nonce="n")
        clock.advance(100)

        second = sign_in.refresh(first["refresh_token"]).json()

        before = sign_in.opened(first["id_token"]).claims
        after = sign_in.opened(second["id_token"]).claims
        assert set(second) == set(first)
        assert second["refresh_token"] != first["refresh_token"]
        assert {k: after[k] for k in ("iss", "sub", "aud", "auth_time")} == {
            k: before[k] for k in ("iss", "sub", "aud", "auth_time")
        }
        assert after["iat"] == before["iat"] + 100
        assert after["at_hash"] == half_hash(second["access_token"])
        assert "nonce" not in after

    def test_another_client_can_neither_use_nor_burn_a_refresh_token(
        self, sign_in: SignIn
    ) -> None:
        """Bound to its client. RFC 6749 §10.4."""
        other = sign_in.register("Other", "https://other.example/cb")
        token = sign_in.tokens(scope=OFFLINE)["refresh_token"]

        stolen = sign_in.refresh(
            token, client_id=other.client.client_id, client_secret=other.secret
        )

        assert stolen.json()["error"] == "invalid_grant"
        assert sign_in.refresh(token).status_code == 200

    def test_a_client_may_ask_for_less_and_not_for_more(self, sign_in: SignIn) -> None:
        """RFC 6749 §6. Asking for too much does not cost the token."""
        token = sign_in.tokens(scope=OFFLINE)["refresh_token"]

        more = sign_in.refresh(token, scope="openid profile")
        less = sign_in.refresh(token, scope="offline_access").json()

        assert (more.status_code, more.json()["error"]) == (400, "invalid_scope")
        assert less["scope"] == "offline_access"
        assert "id_token" not in less
        assert sign_in.userinfo(less["access_token"]).status_code == 403
        assert sign_in.refresh(less["refresh_token"]).json()["scope"] == OFFLINE

    @pytest.mark.parametrize(
        ("token", "error"), [(None, "invalid_request"), ("unknown", "invalid_grant")]
    )
    def test_a_missing_or_unknown_refresh_token_is_refused(
        self, sign_in: SignIn, token: str | None, error: str
    ) -> None:
        """RFC 6749 §5.2."""
        answer = sign_in.post_token(
            sign_in.token_request(grant_type="refresh_token", refresh_token=token)
        )

        assert (answer.status_code, answer.json()["error"]) == (400, error)

    def test_a_rotated_secret_ends_the_old_one(self, sign_in: SignIn) -> None:
        """The store keeps a digest only: what is replaced is gone."""
        with sign_in.database.write() as stores:
            new = client_secrets.rotate_secret(
                stores, sign_in.shop.client.client_id, now=sign_in.clock()
            )
        code = sign_in.code()

        assert sign_in.redeem(code).json()["error"] == "invalid_client"
        assert sign_in.redeem(code, client_secret=new).status_code == 200


def test_a_deleted_account_takes_every_token_along(sign_in: SignIn) -> None:
    """Codes, refresh tokens, access tokens and the pseudonym itself: dead at once."""
    given = sign_in.tokens(scope=OFFLINE)
    subject = sign_in.opened(given["id_token"]).claims["sub"]
    code = sign_in.code()
    others = sign_in.tokens(BERT)

    sign_in.door.erase_account(ANNA)

    assert sign_in.userinfo(given["access_token"]).status_code == 401
    assert sign_in.refresh(given["refresh_token"]).json()["error"] == "invalid_grant"
    assert sign_in.redeem(code).json()["error"] == "invalid_grant"
    refused = sign_in.authorize(sign_in.request(user_id=subject)).headers["location"]
    assert "error=invalid_request" in refused
    assert sign_in.userinfo(others["access_token"]).status_code == 200


def test_no_secret_is_stored_readably(sign_in: SignIn, folder: Any) -> None:
    """Whoever copies the database can use nothing in it."""
    page = sign_in.open_page(scope=OFFLINE)
    ticket, cookie = sign_in.ticket_on(page), next(iter(sign_in.browser.cookies.values()))
    sign_in.approve(page)
    code = sign_in.proceed(page).headers["location"].partition("code=")[2].partition("&")[0]
    body = sign_in.redeem(code).json()

    stored = b"".join(path.read_bytes() for path in folder.glob("protocol.sqlite3*"))
    secrets = [ticket, cookie, code, body["refresh_token"], sign_in.shop.secret]
    assert [secret for secret in secrets if secret.encode() in stored] == []
    assert json.dumps(sign_in.opened(body["id_token"]).claims["sub"])[1:-1].encode() in stored


def _is_legal(description: str) -> bool:
    """RFC 6749 §5.2: which characters a description may have."""
    return all(" " <= char <= "~" and char not in '"\\' for char in description)
