"""known_tokens: a signature that was checked once is not checked again; all else is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from oidc.errors import TokenInvalid
from oidc.keys import rotation
from oidc.keys.encryption import load_cipher
from oidc.keys.keyring import KeyRing
from oidc.keys.rotation import Overlap, rotate_key
from oidc.keys.verified_cache import VerifiedToken, VerifiedTokenCache
from oidc.settings import OidcSettings
from oidc.storage.database import Database
from oidc.types import GrantId
from tests.support.clock import FakeClock
from tests.support.service.sign_in import SignIn

ACCESS = {"typ": "at+jwt", "algorithm": "ES256"}
SAID = VerifiedToken("kid", "at+jwt", {"sub": "x"})


@pytest.fixture
def make_ring(
    database: Database, settings: OidcSettings, clock: FakeClock
) -> Callable[[], KeyRing]:
    """Give a function that opens the keys as another process does."""
    cipher = load_cipher(None, settings.key_encryption_key_file)
    return lambda: KeyRing(database, cipher, clock)


def test_the_oldest_is_forgotten() -> None:
    """Memory stays bounded however many tokens there are."""
    known = VerifiedTokenCache(most=2)

    for token in ("a", "b", "c"):
        known.add(token, SAID)

    assert [known.find(token) for token in ("a", "b", "c")] == [None, SAID, SAID]


def test_another_process_verifies_once(
    make_ring: Callable[[], KeyRing], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it knows the token, as the process does that made it."""
    maker, other = make_ring(), make_ring()
    token = maker.sign({"sub": "x"}, **ACCESS)
    assert other.verify(token, typ="at+jwt") == {"sub": "x"}

    monkeypatch.delattr("joserfc.jwt.decode")

    assert other.verify(token, typ="at+jwt") == {"sub": "x"}
    assert maker.verify(token, typ="at+jwt") == {"sub": "x"}
    with pytest.raises(AttributeError):
        make_ring().verify(token, typ="at+jwt")


def test_a_changed_token_is_not_known(make_ring: Callable[[], KeyRing]) -> None:
    """Every character counts, also those that decode to the same octets."""
    ring = make_ring()
    head, claims, signature = ring.sign({"sub": "x"}, **ACCESS).split(".")
    assert ring.verify(f"{head}.{claims}.{signature}", typ="at+jwt")

    for forged in (f"{head}.{claims}.{signature[:-2]}AA", f"{head}.{claims}A.{signature}"):
        with pytest.raises(TokenInvalid):
            ring.verify(forged, typ="at+jwt")


def test_what_is_told_cannot_be_changed_by_its_reader(
    make_ring: Callable[[], KeyRing],
) -> None:
    """The next reader gets what was signed."""
    ring = make_ring()
    token = ring.sign({"sub": "x"}, **ACCESS)

    ring.verify(token, typ="at+jwt")["sub"] = "y"

    assert ring.verify(token, typ="at+jwt") == {"sub": "x"}


def test_a_known_token_is_of_one_type(make_ring: Callable[[], KeyRing]) -> None:
    """An access token is no ID token, remembered or not."""
    ring = make_ring()

    with pytest.raises(TokenInvalid):
        ring.verify(ring.sign({"sub": "x"}, **ACCESS), typ="jwt")


def test_a_compromised_key_ends_what_is_known(
    make_ring: Callable[[], KeyRing],
    database: Database,
    settings: OidcSettings,
    clock: FakeClock,
) -> None:
    """Within the minute in which processes follow a withdrawn key."""
    ring = make_ring()
    token = ring.sign({"sub": "x"}, **ACCESS)
    with database.write() as stores:
        cipher = load_cipher(None, settings.key_encryption_key_file)
        rotate_key(stores, cipher, "ES256", Overlap.none(), clock())
    clock.advance(rotation.KEY_REFRESH_INTERVAL.total_seconds())

    with pytest.raises(TokenInvalid):
        ring.verify(token, typ="at+jwt")


def test_a_known_token_ends_with_its_time_and_with_its_grant(
    sign_in: SignIn, clock: FakeClock
) -> None:
    """Asked about before or not."""
    token = sign_in.tokens()["access_token"]
    other = sign_in.tokens()["access_token"]
    assert sign_in.userinfo(token).status_code == sign_in.userinfo(other).status_code == 200

    with sign_in.database.write() as stores:
        grant_id = sign_in.opened(token).claims["grant_id"]
        stores.grants.revoke(GrantId(grant_id), clock())
    assert sign_in.userinfo(token).status_code == 401

    clock.advance(timedelta(hours=1).total_seconds())
    assert sign_in.userinfo(other).status_code == 401
