"""Creates logins: from a request, or again after one expired unclaimed."""

import hmac
from dataclasses import replace
from datetime import datetime, timedelta

from oidc.accounts import pseudonym
from oidc.client import AuthorizationRequest
from oidc.errors import AuthorizationRefused, WrongBrowser
from oidc.login import state_machine
from oidc.login.tickets import chain_of
from oidc.login.views import CreatedLogin, Visitor
from oidc.protocol import digest_of, is_identifier, new_identifier, new_secret
from oidc.storage.database import Stores
from oidc.storage.stores.logins import Login
from oidc.types import (
    AccountId,
    BrowserSecret,
    LoginId,
    LoginLimits,
    LoginState,
    SectorIdentifier,
)


def expected_account(stores: Stores, request: AuthorizationRequest) -> AccountId | None:
    """Return the account of ``user_id``, or None. Specification §4.6.

    Raises ``AuthorizationRefused`` if not linked to this client.
    """
    if request.user_id is None:
        return None
    account = pseudonym.account_of(stores, request.user_id, request.sector)
    if account is None:
        raise AuthorizationRefused("user_id is not a linked user of this client")
    return account


def is_known(stores: Stores, expected: AccountId | None, sector: SectorIdentifier) -> bool:
    """Return whether the account has a pseudonym there, locked until commit."""
    return expected is None or pseudonym.subject_of(stores, expected, sector) is not None


def create_login(
    stores: Stores,
    request: AuthorizationRequest,
    visitor: Visitor,
    expected: AccountId | None,
    limits: LoginLimits,
    now: datetime,
) -> CreatedLogin:
    """Store a new login; only ``expected`` may answer, None: anybody."""
    created = _new_secrets()
    login = Login(
        login_id=created.login_id,
        browser_digest=digest_of(created.browser_secret),
        ticket_anchor=_anchor(created, limits),
        request=replace(request, user_id=None),
        state=LoginState.PENDING,
        seq=0,
        attempts=0,
        expires_at=now + timedelta(seconds=limits.pending_s),
        opened_at=now,
        asked_at=now,
        expected_account=expected,
        origin=visitor.origin,
        browser_mark=visitor.mark,
        station=visitor.station,
    )
    stores.logins.add(login)
    return created


def recreate_login(
    stores: Stores, late: Login, limits: LoginLimits, now: datetime
) -> CreatedLogin:
    """Store an unclaimed login again: new secrets, same ``asked_at``."""
    created = _new_secrets()
    again = replace(
        late,
        login_id=created.login_id,
        browser_digest=digest_of(created.browser_secret),
        ticket_anchor=_anchor(created, limits),
        state=LoginState.PENDING,
        seq=0,
        expires_at=now + timedelta(seconds=limits.pending_s),
        opened_at=now,
    )
    stores.logins.add(again)
    return created


def supersede(
    stores: Stores, request: AuthorizationRequest, visitor: Visitor, now: datetime
) -> None:
    """End this browser's unapproved logins at this client."""
    for login_id, secret in sorted(visitor.logins.items()):
        older = find_owned(stores, login_id, secret)
        if older is None or older.request.client_id != request.client_id:
            continue
        before = state_machine.with_expiry(older, now)
        after = state_machine.superseded(before, now)
        stores.logins.move(older, after, now)


def require_owned(stores: Stores, login_id: LoginId, browser_secret: BrowserSecret) -> Login:
    """Return the login of the browser that began it. Raises ``WrongBrowser``."""
    login = find_owned(stores, login_id, browser_secret)
    if login is None:
        raise WrongBrowser
    return login


def find_owned(
    stores: Stores, login_id: LoginId, browser_secret: BrowserSecret
) -> Login | None:
    """Return the login, or None to another browser. Constant time."""
    login = stores.logins.find(login_id) if is_identifier(login_id) else None
    if login is None or not hmac.compare_digest(
        login.browser_digest, digest_of(browser_secret)
    ):
        return None
    return login


def _new_secrets() -> CreatedLogin:
    return CreatedLogin(LoginId(new_identifier()), BrowserSecret(new_secret()))


def _anchor(created: CreatedLogin, limits: LoginLimits) -> bytes:
    return chain_of(created.login_id, created.browser_secret, limits).anchor
