"""Relying parties and their secrets."""

from datetime import datetime, timedelta

import pytest

from oidc.clients import registry
from oidc.clients.names import is_reserved
from oidc.errors import ClientRefused
from oidc.storage.database import Database, Stores
from tests.support.clock import FakeClock
from tests.support.service.clients import add_client, change_client

NOW = FakeClock()()
URI = "https://a.example/cb"


def test_a_secret_is_shown_once_and_kept_as_a_digest(database: Database) -> None:
    """256 random bits; SHA-256 suffices for them (ASVS 6.5.2)."""
    with database.write() as stores:
        registered = add_client(stores, " Shop ", [URI, URI], NOW)
        kept = registry.find(stores, registered.client.client_id)

    assert kept == registered.client
    assert len(registered.secret) == 43
    assert registered.secret not in repr(registered)
    assert len(registered.client.secret_digest) == 32
    assert (registered.client.name, registered.client.redirect_uris) == ("Shop", (URI,))
    assert str(registered.client.sector) == str(registered.client.client_id)


def good(stores: Stores, name: str, *shown: str, at: datetime = NOW) -> list[bool]:
    """Tell of each secret whether it proves the client."""
    return [registry.authenticate(stores, name, each, at) is not None for each in shown]


def test_two_secrets_are_good_during_a_rollover(database: Database) -> None:
    """Several servers of an app cannot change over at once; two are good, never three."""
    hour = timedelta(hours=1)
    with database.write() as stores:
        one = add_client(stores, "One", [URI], NOW)
        name, old = one.client.client_id, one.secret

        new = registry.rotate_secret(stores, name, now=NOW, overlap=hour)
        assert good(stores, name, old, new, at=NOW + hour * 0.99) == [True, True]
        assert good(stores, name, old, new, at=NOW + hour) == [False, True]
        newest = registry.rotate_secret(stores, name, now=NOW, overlap=hour)
        assert good(stores, name, old, new, newest, "") == [False, True, True, False]
        kept = registry.find(stores, name)

    assert kept is not None
    assert "former_secret_digest" not in repr(kept)


def test_a_change_does_not_bring_back_a_secret_that_was_replaced_meanwhile(
    database: Database,
) -> None:
    """A person who changes a client read it before; the old secret may have leaked."""
    with database.write() as stores:
        read = add_client(stores, "One", [URI], NOW).client
    with database.write() as stores:
        new = registry.rotate_secret(stores, read.client_id, now=NOW)
    with database.write() as stores:
        change_client(stores, read, "Two", [URI], NOW)

        changed = registry.authenticate(stores, read.client_id, new, NOW)

    assert changed is not None
    assert changed.name == "Two"


@pytest.mark.parametrize(
    "name",
    [
        "", "   ", "n" * 81, "a\nb", "Shop\u202eknaB", "a\x00b", "P\u0430ypal",
        "\u0420\u0430\u0443\u0420\u0430l", "\u0420\u0410\u0423", "\u0420\u0430\u0443 Pal",
        "\u039f\u03a1\u0395\u039d Bank", "\u13aa\u13e2\u13e2", "Bank ✓", "Bank ✅", "Bank √",
        "Ba\u3164nk", "Bank\u115f", "Ba\ufe0fnk", "Ba\u034fnk", "B\u0301ank",
        "Bank®", "O\u20dd", "Verified Bank", "Bank (\uff36erified)",
    ],
)  # fmt: skip
def test_a_name_that_could_mislead_is_refused(database: Database, name: str) -> None:
    """Turned text; Cyrillic, Greek or rare letters that look Latin; marks of a check."""
    with database.write() as stores, pytest.raises(ClientRefused):
        add_client(stores, name, [URI], NOW)


OURS = (
    "Official Thenar App", "T h e n a r", "THE-NAR", "MyThénar", "ᴛʜᴇɴᴀʀ", "Ŧħ3n4r",
    "ТНЕ nar Жизнь", "Then\u1160ar", "Thənar", "Theŋar", "ᵺenar", "Tꜧenar", "ТНЕИАЯ", "The ŋar",
)  # fmt: skip
OTHERS = "The Narrative", "Athénée", "Теннис", "Θέατρο", "温泉旅館案内", "Athens Art"


@pytest.mark.parametrize("name", OURS + OTHERS)
def test_our_own_name_is_known_in_any_letters(name: str) -> None:
    """Spaces, accents, digits, small capitals, Cyrillic and what is invisible."""
    assert is_reserved(name) is (name in OURS)


@pytest.mark.timeout(20)
def test_a_name_that_is_too_long_is_not_searched_for_ours() -> None:
    """A caller who may send one, without any token, would keep the service busy for minutes."""
    assert not is_reserved("a " * 8_000)


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("Café & Co. + 1", "Café & Co. + 1"),
        ("Яндекс Go", "Яндекс Go"),
        ("Сахар и соль", "Сахар и соль"),
        ("株式会社カフェーBar 24", "株式会社カフェーBar 24"),
        ("मधुशाला", "मधुशाला"),
        ("מקהל כפר €", "מקהל כפר €"),
        ("\U0001d401\U0001d41a\U0001d427\U0001d424", "Bank"),
    ],
)
def test_an_honest_name_of_any_language_is_taken(
    database: Database, name: str, stored: str
) -> None:
    """One script a word, or Latin beside the East Asian ones; letters in disguise are plain."""
    with database.write() as stores:
        registered = add_client(stores, name, [URI], NOW)

    assert registered.client.name == stored
