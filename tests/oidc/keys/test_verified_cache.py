"""known_tokens: a signature that was checked once is not checked again; all else is."""

from collections.abc import Callable

import pytest

from oidc.errors import TokenInvalid
from oidc.keys.encryption import load_cipher
from oidc.keys.keyring import KeyRing
from oidc.keys.verified_cache import VerifiedToken, VerifiedTokenCache
from oidc.settings import OidcSettings
from oidc.storage.database import Database
from tests.support.clock import FakeClock

ACCESS = {"typ": "at+jwt", "algorithm": "ES256"}
SAID = VerifiedToken("kid", "at+jwt", {"sub": "x"})


@pytest.fixture
def make_ring(
    database: Database, settings: OidcSettings, clock: FakeClock
) -> Callable[[], KeyRing]:
    """Give a function that opens the keys as another process does."""
    cipher = load_cipher(settings.key_source)
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


def test_what_is_told_cannot_be_changed_by_its_reader(make_ring: Callable[[], KeyRing]) -> None:
    """The next reader gets what was signed."""
    ring = make_ring()
    token = ring.sign({"sub": "x"}, **ACCESS)

    ring.verify(token, typ="at+jwt")["sub"] = "y"

    assert ring.verify(token, typ="at+jwt") == {"sub": "x"}
