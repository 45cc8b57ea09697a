"""The whole flow on every database, and what it leaves in the logs."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from oidc.storage.stores.clients import ClientStore
from oidc.storage.stores.grants import GrantStore
from tests.support.service.sign_in import SignIn

OFFLINE = "openid offline_access"


def test_an_event_loop_never_waits_for_a_server(
    anywhere: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request that serves others meanwhile reads a file at most."""
    tokens, code = anywhere.tokens(scope=OFFLINE), anywhere.code(scope=OFFLINE)
    in_loop: list[bool] = []
    for kind in (ClientStore, GrantStore):
        monkeypatch.setattr(kind, "find", noting_loops(kind.find, in_loop))

    assert anywhere.redeem(code).status_code == 200
    assert anywhere.refresh(tokens["refresh_token"]).status_code == 200
    assert anywhere.userinfo(tokens["access_token"]).status_code == 200
    assert in_loop
    assert not (anywhere.database.is_server and True in in_loop)


def noting_loops(find: Callable[..., Any], in_loop: list[bool]) -> Callable[..., Any]:
    """Return the same function; it notes whether an event loop waits for it."""

    def noting(store: Any, name: Any) -> Any:
        in_loop.append(asyncio._get_running_loop() is not None)
        return find(store, name)

    return noting
