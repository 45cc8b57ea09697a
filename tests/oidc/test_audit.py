"""What happens to clients, keys, developers and grants is noted; whose grant it was, never."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import text

from mobile_api.errors import AuditBroken
from mobile_api.observability.audit import require_whole
from oidc.clients.registration import issue_initial_token, revoke_initial_token
from oidc.keys import Overlap, load_cipher, rotate_key
from oidc.linked_clients import LinkedClients
from oidc.plumbing.audit_entry import AuditEntry
from oidc.storage.database import Database, open_engine
from oidc.storage.migrate import migrate_database
from oidc.types import AuditEvent, Claimant
from tests.oidc.clients.test_registration import manage, register
from tests.support.clock import FakeClock
from tests.support.service.portal_developer import Visitor, invite
from tests.support.service.sign_in import ANNA, BERT, PHONE, SignIn

NOW = FakeClock().now


@pytest.fixture
def empty(database_url: str) -> Iterator[Database]:
    """Give an empty protocol database of either kind."""
    database = Database(open_engine(database_url))
    migrate_database(database.engine)
    yield database
    database.close()


def noted(database: Database, after: int = 0) -> list[AuditEntry]:
    """Return the entries of a chain that is whole."""
    with database.read() as stores:
        entries = list(stores.audit.entries())
    require_whole(entries)
    return entries[after:]


def events(sign_in: SignIn, act: Callable[[], object]) -> list[tuple[str, dict[str, object]]]:
    """Return what an act notes."""
    before = len(noted(sign_in.database))
    act()
    return [(each.event, json.loads(each.details)) for each in noted(sign_in.database, before)]


def _grow(database: Database, count: int) -> None:
    for number in range(count):
        with database.write() as stores:
            stores.audit.record(AuditEvent.CLIENT_CHANGED, NOW, client=f"c{number}")
            stores.audit.record(AuditEvent.CLIENT_REMOVED, NOW, client=f"c{number}")


def test_writers_at_once_make_one_chain(empty: Database) -> None:
    """Two entries after one would leave a chain that proves nothing."""
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: _grow(empty, 3), range(6)))

    assert [each.position for each in noted(empty)] == list(range(1, 37))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit_entries SET event='client_registered' WHERE position=2",
        "UPDATE audit_entries SET details='{}' WHERE position=3",
        "UPDATE audit_entries SET at=at+1000 WHERE position=1",
        "DELETE FROM audit_entries WHERE position=2",
        "UPDATE audit_entries SET position=9 WHERE position=4",
    ],
)
def test_whatever_is_changed_is_noticed(empty: Database, change: str) -> None:
    """That is what the chain is for."""
    _grow(empty, 2)
    with empty.engine.begin() as connection:
        connection.execute(text(change))

    with pytest.raises(AuditBroken):
        noted(empty)


def test_old_entries_are_forgotten_and_the_chain_holds(empty: Database) -> None:
    """The newest old entry stays, so that the first new one has something to hang on."""
    for days in (10, 9, 0):
        with empty.write() as stores:
            stores.audit.record(AuditEvent.CLIENT_CHANGED, NOW - timedelta(days), client="c")
    with empty.write() as stores:
        stores.audit.purge(NOW - timedelta(days=1))

    assert [each.position for each in noted(empty)] == [2, 3]


def test_keys_and_initial_tokens_are_noted_by_name_only(sign_in: SignIn) -> None:
    """The holder of a signing key can sign in as anyone."""
    settings, clock = sign_in.settings, sign_in.clock

    def act() -> None:
        cipher = load_cipher(settings.key_source)
        with sign_in.database.write() as stores:
            rotate_key(stores, cipher, "ES256", Overlap.none(), clock())
            rotate_key(stores, cipher, "ES256", Overlap.for_tokens(settings.lifetimes), clock())
            given = issue_initial_token(stores, "Team A", timedelta(days=1), clock())
            revoke_initial_token(stores, given.stored.token_id, clock())

    found = events(sign_in, act)

    assert [event for event, _ in found] == [
        "signing_key_made", "signing_key_made", "initial_token_given", "initial_token_revoked",
    ]  # fmt: skip
    assert [details.get("compromised") for _, details in found] == [1, 0, None, None]
    assert found[2][1] == found[3][1]


@pytest.mark.parametrize("credential", ["code", "refresh_token"])
def test_a_credential_in_two_hands_is_noted_once(sign_in: SignIn, credential: str) -> None:
    """The client that leaks has to be found; the person it concerned does not."""
    code = sign_in.code(scope="openid offline_access")
    first = sign_in.redeem(code).json()
    sign_in.refresh(first["refresh_token"])
    sign_in.clock.advance(60)

    def twice() -> None:
        for _ in range(2):
            if credential == "code":
                sign_in.redeem(code)
            else:
                sign_in.refresh(first["refresh_token"])

    expected = {"client": sign_in.shop.client.client_id, "credential": credential}
    assert events(sign_in, twice) == [("credential_reused", expected)]


def test_what_persons_end_names_no_client(sign_in: SignIn) -> None:
    """Entries of one moment that named clients would join one person's pseudonyms."""
    sign_in.tokens(ANNA)
    sign_in.tokens(BERT)
    connections = LinkedClients(sign_in.database, sign_in.clock)

    def leave() -> None:
        connections.disconnect(ANNA, connections.of(ANNA)[0].handle)
        sign_in.handoff.delete_account(BERT)
        sign_in.handoff.delete_account(BERT)

    assert events(sign_in, leave) == [("pseudonym_withdrawn", {}), ("account_forgotten", {})]


def test_a_reported_login_is_noted_at_once(sign_in: SignIn) -> None:
    """A person was shown a foreign code: that client's users may be under attack."""
    login = sign_in.handoff.claim(sign_in.ticket_on(sign_in.open_page()), PHONE).login_id

    found = events(sign_in, lambda: sign_in.handoff.report(login, PHONE))

    assert found == [("login_reported", {"client": sign_in.shop.client.client_id})]


@pytest.mark.alone
def test_logins_are_counted_by_the_hour_when_they_are_forgotten(sign_in: SignIn) -> None:
    """How many failed is worth knowing for ever; who signed in when is not."""
    clock, housekeeping = sign_in.clock, sign_in.housekeeping
    for _ in range(3):
        sign_in.tokens()
    declined = sign_in.open_page()
    login = sign_in.handoff.claim(sign_in.ticket_on(declined), Claimant("p")).login_id
    sign_in.handoff.decline(login, Claimant("p"))
    clock.advance(3700)
    sign_in.tokens()  # of the next hour
    housekeeping.sweep()
    too_early = events(sign_in, housekeeping.purge)
    clock.advance(3900)
    sign_in.sweep()

    found = events(sign_in, housekeeping.purge)
    again = events(sign_in, housekeeping.purge)

    hour = "2026-11-20T12:00+00:00"
    assert too_early == again == []
    assert found == [("logins_ended", {"hour": hour, "completed": 3, "declined": 1})]


def test_no_entry_holds_a_person(sign_in: SignIn) -> None:
    """Neither account nor subject, login, address, browser or phone."""
    tokens = sign_in.tokens(ANNA, scope="openid offline_access")
    login = sign_in.recognise(sign_in.open_page(), ANNA)
    sign_in.handoff.report(login, PHONE)
    sign_in.refresh(tokens["refresh_token"])
    sign_in.clock.advance(60)
    sign_in.refresh(tokens["refresh_token"])
    sign_in.handoff.delete_account(ANNA)
    subject = sign_in.subject(tokens)
    kept = " ".join(f"{each.event} {each.details}" for each in noted(sign_in.database))

    assert "account_forgotten" in kept
    named = (str(ANNA), subject, login, PHONE, tokens["refresh_token"])
    assert [each for each in named if each in kept] == []


def test_it_is_noted_who_changes_clients_over_the_network(sign_in: SignIn) -> None:
    """A developer in the portal, or the client itself; without a word: an operator."""
    dora = Visitor(sign_in, ANNA)

    def work() -> None:
        dora.join(invite(sign_in))
        client_id, _ = dora.registered()
        dora.send(f"/clients/{client_id}/secret", f"/clients/{client_id}", overlap="24")
        dora.send(f"/clients/{client_id}/remove", f"/clients/{client_id}", sure="yes")
        with sign_in.database.write() as stores:
            given = issue_initial_token(stores, "Team A", timedelta(days=1), sign_in.clock())
        manage(sign_in, "DELETE", register(sign_in, given.token).json())

    found = [(event, details.get("by")) for event, details in events(sign_in, work)]

    assert found == [
        ("client_registered", None),  # the portal itself and its sandbox
        ("client_registered", None),
        ("developer_invited", None),
        ("developer_joined", None),
        ("client_registered", "developer"),
        ("client_secret_rotated", "developer"),
        ("client_removed", "developer"),
        ("initial_token_given", None),
        ("client_registered", "client"),
        ("client_removed", "client"),
    ]
