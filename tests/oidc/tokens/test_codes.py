"""Authorization codes: spent once, by the client they were issued to."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from oidc.storage.database import Database
from oidc.storage.stores.grants import Code
from oidc.storage.transactions import Stores
from oidc.tokens import codes
from oidc.types import (
    Authentication,
    AuthorizationRequest,
    Grant,
    GrantId,
    Level,
    PairwiseSubject,
)
from tests.support.clock import FakeClock
from tests.support.service.clients import add_client
from tests.support.service.sign_in import CHALLENGE, REDIRECT_URI, VERIFIER, SignIn, error_of

NOW = FakeClock()()
SOON = NOW + timedelta(seconds=60)
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}


def test_a_reused_code_revokes_what_it_gave(sign_in: SignIn) -> None:
    """RFC 6749 §4.1.2, RFC 9700 §4.3.1: it is in two hands, so nobody keeps anything."""
    code = sign_in.code(scope="openid offline_access")
    given = sign_in.redeem(code).json()

    assert error_of(sign_in.redeem(code)) == (400, "invalid_grant")
    assert sign_in.userinfo(given["access_token"]).status_code == 401
    assert error_of(sign_in.refresh(given["refresh_token"])) == (400, "invalid_grant")


@pytest.mark.parametrize("options", [{}, {"authentication": Authentication.NONE}])
def test_another_client_can_neither_use_nor_burn_a_code(
    sign_in: SignIn, options: dict[str, Any]
) -> None:
    """RFC 6749 §4.1.3, §10.5: bound to its client, with a secret or public."""
    other = sign_in.another(redirect_uri=REDIRECT_URI, **options)
    code = sign_in.code(**PKCE)

    assert error_of(other.redeem(code, code_verifier=VERIFIER)) == (400, "invalid_grant")
    assert sign_in.redeem(code, code_verifier=VERIFIER).status_code == 200


def _spend(stores: Stores, shown: Code) -> None:
    assert codes.consume(stores, shown, NOW) is not None


def _revoke(stores: Stores, _shown: Code) -> None:
    stores.grants.revoke(GrantId("g"), NOW)


@pytest.mark.parametrize("meanwhile", [_spend, _revoke])
def test_whoever_loses_a_race_gets_nothing_and_leaves_nothing(
    database: Database, meanwhile: Callable[[Stores, Code], None]
) -> None:
    """Between showing the code and spending it: spent by another, or the account deleted."""
    with database.write() as stores:
        client = add_client(stores, "Shop", [REDIRECT_URI], NOW).client
        request = AuthorizationRequest(
            client.client_id, client.name, client.sector, REDIRECT_URI, ("openid",)
        )
        subject = PairwiseSubject("vu-1")
        grant = Grant(
            GrantId("g"), client.client_id, subject, ("openid",), "n", NOW, Level.PALM
        )
        assert codes.find_unspent(stores, "unknown", client.client_id, NOW) is None
        code = codes.issue(stores, grant, request, expires_at=SOON, keep_until=SOON)
        shown = codes.find_unspent(stores, code, client.client_id, NOW)
        assert shown is not None
        meanwhile(stores, shown)

        assert codes.consume(stores, shown, NOW) is None
        assert stores.grants.find(grant.grant_id) is None
