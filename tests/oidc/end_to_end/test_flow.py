"""The whole flow on every database, and what it leaves in the logs."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.util.concurrency import in_greenlet

from oidc.storage.stores.clients import ClientStore
from oidc.storage.stores.grants import GrantStore
from tests.support.service.sign_in import SignIn

OFFLINE = "openid offline_access"


def test_an_event_loop_never_waits_for_a_server(
    anywhere: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It serves others meanwhile, and hands no request over to a thread."""
    tokens, code = anywhere.tokens(scope=OFFLINE), anywhere.code(scope=OFFLINE)
    noted: set[tuple[bool, bool]] = set()
    for kind in (ClientStore, GrantStore):
        monkeypatch.setattr(kind, "find", noting_loops(kind.find, noted))

    assert anywhere.redeem(code).status_code == 200
    assert anywhere.refresh(tokens["refresh_token"]).status_code == 200
    assert anywhere.userinfo(tokens["access_token"]).status_code == 200
    writing = (True, True) if anywhere.database.is_server else (False, False)
    assert noted == {writing, (True, anywhere.database.is_server)}


def noting_loops(find: Callable[..., Any], noted: set[tuple[bool, bool]]) -> Callable[..., Any]:
    """Return the same function; it notes whether it is in a loop, which it leaves to others."""

    def noting(store: Any, name: Any) -> Any:
        noted.add((asyncio._get_running_loop() is not None, in_greenlet()))
        return find(store, name)

    return noting
