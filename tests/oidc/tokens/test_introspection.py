"""Revocation (RFC 7009) and introspection (RFC 7662)."""

from typing import Any

import pytest

from oidc.client import Authentication
from oidc.types import Lifetimes
from tests.support.clock import FakeClock
from tests.support.service.sign_in import SignIn, error_of

OFFLINE = "openid offline_access"
UNKNOWN = ("unknown", "a.b.c", "ä.\x00", ".")
INACTIVE = {"active": False}


@pytest.fixture
def given(sign_in: SignIn) -> dict[str, Any]:
    """Give an access token and a refresh token."""
    return sign_in.tokens(scope=OFFLINE)


def revoke(sign_in: SignIn, token: str, **more: str) -> Any:
    """End a token."""
    return sign_in.call("revoke", {"token": token, **more})


def introspect(sign_in: SignIn, token: str) -> Any:
    """Ask whether a token is good."""
    answer = sign_in.call("introspect", {"token": token})
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return answer.json()


class TestRevocation:
    """A client ends what it was given."""

    @pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
    @pytest.mark.parametrize("endpoint", ["revoke", "oauth/revoke"])
    @pytest.mark.parametrize("hint", ["", "access_token", "refresh_token", "whatever"])
    def test_either_token_ends_everything(
        self, sign_in: SignIn, given: dict[str, Any], kind: str, endpoint: str, hint: str
    ) -> None:
        """RFC 7009 §2.1: half a sign-out would be none; a hint may be wrong; others go on."""
        another = sign_in.tokens()
        form = {"token": given[kind], "token_type_hint": hint}
        assert sign_in.userinfo(given["access_token"]).status_code == 200

        answer = sign_in.call(endpoint, form)

        assert (answer.status_code, answer.json()) == (200, {})
        assert sign_in.userinfo(given["access_token"]).status_code == 401
        assert error_of(sign_in.refresh(given["refresh_token"])) == (400, "invalid_grant")
        assert sign_in.userinfo(another["access_token"]).status_code == 200
        assert sign_in.call(endpoint, form).status_code == 200

    def test_a_spent_refresh_token_ends_its_family(
        self, sign_in: SignIn, given: dict[str, Any]
    ) -> None:
        """A client that lost the answer to its last refresh can still sign out."""
        second = sign_in.refresh(given["refresh_token"]).json()

        revoke(sign_in, given["refresh_token"])

        assert sign_in.userinfo(second["access_token"]).status_code == 401

    @pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
    def test_another_client_cannot_end_a_token(
        self, sign_in: SignIn, given: dict[str, Any], kind: str
    ) -> None:
        """RFC 7009 §2.1: refused, and said so."""
        assert error_of(revoke(sign_in.another(), given[kind])) == (400, "invalid_grant")
        assert sign_in.userinfo(given["access_token"]).status_code == 200

    @pytest.mark.parametrize("token", [*UNKNOWN, "{id_token}"])
    @pytest.mark.parametrize("options", [{}, {"authentication": Authentication.NONE}])
    def test_an_unknown_token_is_as_good_as_ended(
        self, sign_in: SignIn, given: dict[str, Any], token: str, options: dict[str, Any]
    ) -> None:
        """RFC 7009 §2.2: the purpose is reached. An ID token opens nothing and ends nothing."""
        ended = revoke(sign_in.another(**options), token.format(**given))

        assert ended.status_code == 200
        assert sign_in.userinfo(given["access_token"]).status_code == 200


class TestIntrospection:
    """A client, or a resource server, asks about a token."""

    def test_a_client_learns_about_its_access_token(
        self, sign_in: SignIn, given: dict[str, Any]
    ) -> None:
        """RFC 7662 §2.2: what the token itself says."""
        claims = sign_in.opened(given["access_token"]).claims

        introspected = introspect(sign_in, given["access_token"])

        assert claims.pop("grant_id")
        assert introspected == {"active": True, "token_type": "Bearer", **claims}

    def test_a_client_learns_about_its_refresh_token(
        self, sign_in: SignIn, given: dict[str, Any]
    ) -> None:
        """Asking neither spends it nor revokes anything."""
        introspected = introspect(sign_in, given["refresh_token"])

        now = int(sign_in.clock().timestamp())
        assert introspected == {
            "active": True,
            "iss": "https://id.example",
            "sub": sign_in.subject(given),
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

    def test_an_expired_refresh_token_is_inactive(
        self, sign_in: SignIn, given: dict[str, Any], clock: FakeClock
    ) -> None:
        """Also before it is deleted."""
        clock.advance(Lifetimes().refresh_token_idle_s)

        assert introspect(sign_in, given["refresh_token"]) == INACTIVE

    @pytest.mark.parametrize(
        ("options", "sees"),
        [({}, []), ({"redirect_uri": None, "resource_server": True}, ["access_token"])],
    )
    def test_others_learn_nothing_and_resource_servers_of_access_tokens_only(
        self, sign_in: SignIn, given: dict[str, Any], options: dict[str, Any], sees: list[str]
    ) -> None:
        """Not even that the token exists. RFC 7662 §4."""
        other = sign_in.another(**options)

        for kind in ("access_token", "refresh_token"):
            assert introspect(other, given[kind])["active"] is (kind in sees)

    @pytest.mark.parametrize("token", [*UNKNOWN, "{id_token}"])
    def test_an_unknown_token_is_inactive(
        self, sign_in: SignIn, given: dict[str, Any], token: str
    ) -> None:
        """The same answer as for a dead one; an ID token is no access token. RFC 8725 §3.11."""
        assert introspect(sign_in, token.format(**given)) == INACTIVE

    def test_a_public_client_may_not_ask(self, sign_in: SignIn) -> None:
        """RFC 7662 §2.1: anybody could claim its name, and try tokens."""
        app = sign_in.another(authentication=Authentication.NONE)

        assert app.call("introspect", {"token": "x"}).status_code == 401


@pytest.mark.parametrize("endpoint", ["revoke", "introspect"])
def test_a_token_and_a_client_are_needed(sign_in: SignIn, endpoint: str) -> None:
    """As at the token endpoint; an empty token counts as absent."""
    for fields in ({}, {"token": ""}):
        assert error_of(sign_in.call(endpoint, fields)) == (400, "invalid_request")
    outsider = sign_in.browser.post(f"/{endpoint}", data={"token": "x"})
    assert error_of(outsider) == (401, "invalid_client")
    assert outsider.headers["www-authenticate"].startswith("Basic realm=")
