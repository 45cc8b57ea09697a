"""known_tokens: a signature that was checked once is not checked again; all else is."""

from collections.abc import Callable

import pytest

from oidc.errors import TokenInvalid
from oidc.keys import SigningKeys, VerifiedToken, VerifiedTokenCache, load_cipher
from oidc.settings import OidcSettings
from oidc.storage.database import Database
from tests.support.clock import FakeClock

ACCESS = {"typ": "at+jwt", "algorithm": "ES256"}
SAID = VerifiedToken("kid", "at+jwt", {"sub": "x"})


@pytest.fixture
def make_keys(
    database: Database, settings: OidcSettings, clock: FakeClock
) -> Callable[[], SigningKeys]:
    """Give a function that opens the keys as another process does."""
    cipher = load_cipher(settings.key_source)
    return lambda: SigningKeys(database, cipher, clock)


def test_the_oldest_is_forgotten() -> None:
    """Memory stays bounded however many tokens there are."""
    known = VerifiedTokenCache(most=2)

    for token in ("a", "b", "c"):
        known.add(token, SAID)

    assert [known.find(token) for token in ("a", "b", "c")] == [None, SAID, SAID]


def test_another_process_verifies_once(
    make_keys: Callable[[], SigningKeys], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then it knows the token, as the process does that made it."""
    maker, other = make_keys(), make_keys()
    token = maker.sign({"sub": "x"}, **ACCESS)
    assert other.verify(token, typ="at+jwt") == {"sub": "x"}

    monkeypatch.delattr("joserfc.jwt.decode")

    assert other.verify(token, typ="at+jwt") == {"sub": "x"}
    assert maker.verify(token, typ="at+jwt") == {"sub": "x"}
    with pytest.raises(AttributeError):
        make_keys().verify(token, typ="at+jwt")


def test_a_changed_token_is_not_known(make_keys: Callable[[], SigningKeys]) -> None:
    """Every character counts, also those that decode to the same octets."""
    keys = make_keys()
    head, claims, signature = keys.sign({"sub": "x"}, **ACCESS).split(".")
    assert keys.verify(f"{head}.{claims}.{signature}", typ="at+jwt")

    end = "BA" if signature.endswith("AA") else "AA"  # one octet; one signature of 256 has it
    for forged in (f"{head}.{claims}.{signature[:-2]}{end}", f"{head}.{claims}A.{signature}"):
        with pytest.raises(TokenInvalid):
            keys.verify(forged, typ="at+jwt")


def test_returned_claims_cannot_be_changed_by_their_reader(
    make_keys: Callable[[], SigningKeys],
) -> None:
    """The next reader gets what was signed."""
    keys = make_keys()
    token = keys.sign({"sub": "x"}, **ACCESS)

    keys.verify(token, typ="at+jwt")["sub"] = "y"

    assert keys.verify(token, typ="at+jwt") == {"sub": "x"}
