"""Revocation (RFC 7009) and introspection (RFC 7662)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oidc.clients.registry import RegisteredClient
from oidc.types import Authentication, Lifetimes
from tests.support.clock import FakeClock
from tests.support.service.sign_in import ANNA, SignIn

OFFLINE = "openid offline_access"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
INACTIVE = {"active": False}


@pytest.fixture
def given(sign_in: SignIn) -> dict[str, Any]:
    """Give an access token and a refresh token."""
    return sign_in.tokens(scope=OFFLINE)


@pytest.fixture
def other(sign_in: SignIn) -> RegisteredClient:
    """Give another client."""
    return sign_in.register("Other", "https://other.example/cb")


def call(
    sign_in: SignIn,
    endpoint: str,
    token: str | None,
    by: RegisteredClient | None = None,
    **more: str,
) -> Any:
    """Ask about a token."""
    fields = {} if token is None else {"token": token}
    return sign_in.new_browser().post(
        f"/{endpoint}", data={**fields, **more}, headers=sign_in.basic(by)
    )


def introspect(
    sign_in: SignIn, token: str, by: RegisteredClient | None = None, **more: str
) -> Any:
    """Ask whether a token is good."""
    answer = call(sign_in, "introspect", token, by, **more)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return answer.json()


class TestRevocation:
    """A client ends what it was given."""

    @pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
    @pytest.mark.parametrize("endpoint", ["revoke", "oauth/revoke"])
    def test_either_token_ends_everything(
        self, sign_in: SignIn, given: dict[str, Any], kind: str, endpoint: str
    ) -> None:
        """RFC 7009 §2.1: half a sign-out would be none."""
        answer = call(sign_in, endpoint, given[kind])

        assert (answer.status_code, answer.json()) == (200, {})
        assert sign_in.userinfo(given["access_token"]).status_code == 401
        assert sign_in.refresh(given["refresh_token"]).json()["error"] == "invalid_grant"
        assert call(sign_in, endpoint, given[kind]).status_code == 200

    def test_other_logins_go_on(self, sign_in: SignIn, given: dict[str, Any]) -> None:
        """One grant ends, not the person."""
        another = sign_in.tokens()

        call(sign_in, "revoke", given["refresh_token"])

        assert sign_in.userinfo(another["access_token"]).status_code == 200

    def test_a_spent_refresh_token_ends_its_family(
        self, sign_in: SignIn, given: dict[str, Any]
    ) -> None:
        """A client that lost the answer to its last refresh can still sign out."""
        second = sign_in.refresh(given["refresh_token"]).json()

        call(sign_in, "revoke", given["refresh_token"])

        assert sign_in.userinfo(second["access_token"]).status_code == 401

    @pytest.mark.parametrize("hint", ["access_token", "refresh_token", "whatever"])
    def test_a_wrong_hint_does_no_harm(
        self, sign_in: SignIn, given: dict[str, Any], hint: str
    ) -> None:
        """RFC 7009 §2.1: the hint helps, and may be wrong."""
        call(sign_in, "revoke", given["access_token"], token_type_hint=hint)

        assert sign_in.userinfo(given["access_token"]).status_code == 401

    @pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
    def test_another_client_cannot_end_a_token(
        self, sign_in: SignIn, given: dict[str, Any], other: RegisteredClient, kind: str
    ) -> None:
        """RFC 7009 §2.1: refused, and said so."""
        answer = call(sign_in, "revoke", given[kind], other)

        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
        assert sign_in.userinfo(given["access_token"]).status_code == 200

    @pytest.mark.parametrize("token", ["unknown", "a.b.c", "ä.\x00", "."])
    def test_an_unknown_token_is_as_good_as_ended(self, sign_in: SignIn, token: str) -> None:
        """RFC 7009 §2.2: the purpose is reached."""
        assert call(sign_in, "revoke", token).status_code == 200

    def test_an_id_token_is_not_a_token_to_end(
        self, sign_in: SignIn, given: dict[str, Any]
    ) -> None:
        """It opens nothing; many parties may have seen it."""
        assert call(sign_in, "revoke", given["id_token"]).status_code == 200
        assert sign_in.userinfo(given["access_token"]).status_code == 200

    def test_a_public_client_may_end_its_own(self, sign_in: SignIn) -> None:
        """RFC 7009 §2.1: it only says who it is."""
        app = sign_in.register("App", "com.example.app:/cb", authentication=Authentication.NONE)
        fields = {"token": "unknown", "client_id": app.client.client_id}

        assert sign_in.browser.post("/revoke", data=fields).status_code == 200


class TestIntrospection:
    """A client, or a resource server, asks about a token."""

    def test_a_client_learns_about_its_access_token(
        self, sign_in: SignIn, given: dict[str, Any]
    ) -> None:
        """RFC 7662 §2.2: what the token itself says."""
        claims = sign_in.opened(given["access_token"]).claims

        told = introspect(sign_in, given["access_token"])

        assert claims.pop("grant_id")
        assert told == {"active": True, "token_type": "Bearer", **claims}

    def test_a_client_learns_about_its_refresh_token(
        self, sign_in: SignIn, given: dict[str, Any]
    ) -> None:
        """Asking neither spends it nor revokes anything."""
        told = introspect(sign_in, given["refresh_token"])

        now = int(sign_in.clock().timestamp())
        assert told == {
            "active": True,
            "iss": "https://id.example",
            "sub": sign_in.opened(given["id_token"]).claims["sub"],
            "client_id": sign_in.shop.client.client_id,
            "scope": OFFLINE,
            "exp": now + Lifetimes().refresh_token_idle_s,
        }
        assert sign_in.refresh(given["refresh_token"]).status_code == 200

    def test_a_spent_refresh_token_is_inactive_and_its_family_lives(
        self, sign_in: SignIn, given: dict[str, Any], clock: FakeClock
    ) -> None:
        """Looking is not using."""
        second = sign_in.refresh(given["refresh_token"]).json()
        clock.advance(60)

        assert introspect(sign_in, given["refresh_token"]) == INACTIVE
        assert introspect(sign_in, second["refresh_token"])["active"] is True

    @pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
    def test_a_dead_token_is_inactive_and_nothing_else(
        self, sign_in: SignIn, given: dict[str, Any], kind: str
    ) -> None:
        """A deleted person's tokens are dead at once."""
        sign_in.door.erase_account(ANNA)

        assert introspect(sign_in, given[kind]) == INACTIVE

    def test_late_tokens_are_inactive(
        self, sign_in: SignIn, given: dict[str, Any], clock: FakeClock
    ) -> None:
        """Each at its own end."""
        clock.advance(Lifetimes().access_token_s)
        assert introspect(sign_in, given["access_token"]) == INACTIVE
        assert introspect(sign_in, given["refresh_token"])["active"] is True
        clock.advance(Lifetimes().refresh_token_idle_s)
        assert introspect(sign_in, given["refresh_token"]) == INACTIVE

    @pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
    def test_another_client_learns_nothing(
        self, sign_in: SignIn, given: dict[str, Any], other: RegisteredClient, kind: str
    ) -> None:
        """Not even that the token exists. RFC 7662 §4."""
        assert introspect(sign_in, given[kind], other) == INACTIVE

    def test_a_resource_server_learns_about_access_tokens_only(
        self, sign_in: SignIn, given: dict[str, Any]
    ) -> None:
        """Refresh tokens are never shown to it by an honest client."""
        api = sign_in.register("API", None, resource_server=True)

        assert introspect(sign_in, given["access_token"], api)["active"] is True
        assert introspect(sign_in, given["refresh_token"], api) == INACTIVE

    @pytest.mark.parametrize("token", ["unknown", "a.b.c", "ä.\x00", "."])
    def test_an_unknown_token_is_inactive(self, sign_in: SignIn, token: str) -> None:
        """The same answer as for a dead one."""
        assert introspect(sign_in, token) == INACTIVE

    def test_an_id_token_is_inactive(self, sign_in: SignIn, given: dict[str, Any]) -> None:
        """It is no access token. RFC 8725 §3.11."""
        assert introspect(sign_in, given["id_token"]) == INACTIVE

    def test_a_public_client_may_not_ask(self, sign_in: SignIn) -> None:
        """RFC 7662 §2.1: anybody could claim its name, and try tokens."""
        app = sign_in.register("App", "com.example.app:/cb", authentication=Authentication.NONE)
        fields = {"token": "x", "client_id": app.client.client_id}

        assert sign_in.browser.post("/introspect", data=fields).status_code == 401


@pytest.mark.parametrize("endpoint", ["revoke", "introspect"])
class TestBothEndpoints:
    """Forms and clients are judged as at the token endpoint."""

    def test_a_token_is_needed(self, sign_in: SignIn, endpoint: str) -> None:
        """An empty one counts as absent."""
        answers = [call(sign_in, endpoint, token) for token in (None, "")]

        assert [(a.status_code, a.json()["error"]) for a in answers] == [
            (400, "invalid_request")
        ] * 2

    def test_a_stranger_is_refused(self, sign_in: SignIn, endpoint: str) -> None:
        """With the scheme named."""
        answer = sign_in.browser.post(f"/{endpoint}", data={"token": "x"})

        assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")
        assert answer.headers["www-authenticate"].startswith("Basic realm=")

    @pytest.mark.parametrize(
        ("headers", "body"),
        [
            ({"Content-Type": "application/json"}, b"{}"),
            (FORM, b"token=%ff"),
            (FORM, b"token=a&token=b"),
            (FORM, b"token=" + b"a" * 20_000),
        ],
    )
    def test_a_body_that_is_no_small_form_is_refused(
        self, sign_in: SignIn, endpoint: str, headers: dict[str, str], body: bytes
    ) -> None:
        """RFC 6749 §3.2, applied here, too."""
        answer = sign_in.browser.post(
            f"/{endpoint}", content=body, headers={**headers, **sign_in.basic()}
        )

        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")

    def test_tokens_do_not_belong_into_addresses(self, sign_in: SignIn, endpoint: str) -> None:
        """POST only."""
        assert sign_in.browser.get(f"/{endpoint}?token=x").status_code == 405


def test_the_endpoints_are_promised(sign_in: SignIn) -> None:
    """With the ways in which clients prove themselves there."""
    document = json.loads(sign_in.browser.get("/.well-known/openid-configuration").text)
    methods = document["token_endpoint_auth_methods_supported"]

    assert document["revocation_endpoint"] == "https://id.example/revoke"
    assert document["introspection_endpoint"] == "https://id.example/introspect"
    assert document["revocation_endpoint_auth_methods_supported"] == methods
    assert document["introspection_endpoint_auth_methods_supported"] == [
        method for method in methods if method != "none"
    ]
