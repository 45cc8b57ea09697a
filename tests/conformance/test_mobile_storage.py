"""What the stores of the biometric database promise, on SQLite and on PostgreSQL."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError

from engine.types import ExtractorId, Hand, ReferenceId
from mobile_api.errors import DeviceUnknown
from mobile_api.storage.database import Database, Transaction, open_engine, upgrade
from mobile_api.storage.stores.attempts import Question, Requester
from mobile_api.storage.stores.enrolments import EncryptedSample, PendingEnrolment
from mobile_api.storage.stores.passkeys import Passkey
from mobile_api.storage.stores.references import ConsentGiven, EncryptedReference, ListHead
from mobile_api.storage.stores.retention import CLOCK_SKEW
from mobile_api.types import (
    AttemptLimits,
    CredentialId,
    DeviceId,
    EnrolmentId,
    Networks,
    SampleId,
)
from oidc.types import AccountId

NOW = datetime(2026, 11, 20, 12, 0, 0, 123_000, tzinfo=UTC)
LATER = NOW + timedelta(minutes=15)
PHONE, OTHER_PHONE = DeviceId("p" * 43), DeviceId("q" * 43)
CONSENT = ConsentGiven("2026-11", "0" * 64, "ja", NOW)
ENROLMENT = PendingEnrolment(EnrolmentId("e1"), PHONE, CONSENT, LATER, None)
EXTRACTOR, OTHER_EXTRACTOR = ExtractorId("fake-1"), ExtractorId("fake-2")
THREADS = 8

REQUESTER = Requester(PHONE)


def limits(**few: int) -> AttemptLimits:
    """Return limits that are not reached but those that are named."""
    usual = dict.fromkeys(AttemptLimits.__dataclass_fields__, 1000)
    return AttemptLimits(**(usual | {"new_networks_failed": 0} | few))


def at(narrow: str, device_id: DeviceId = PHONE) -> Requester:
    """Return a phone in a network such as "abc": within "ab", within "a"."""
    return Requester(device_id, Networks(*(narrow[:size].ljust(43, "-") for size in (3, 2, 1))))


def asks(
    transaction: Transaction,
    requester: Requester,
    few: AttemptLimits,
    question: Question = Question.WHOSE_PALM,
) -> bool:
    """Return whether an attempt is allowed; count it."""
    return transaction.attempts.add(requester, NOW, few, question) is not None


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """Give an engine on a migrated, empty database."""
    engine = open_engine(database_url)
    upgrade(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def database(engine: Engine) -> Database:
    """Give an empty database with two phones."""
    database = Database(engine)
    with database.write() as transaction:
        transaction.devices.add(PHONE, "Maya’s phone", NOW)
        transaction.devices.add(OTHER_PHONE, "another", NOW)
    return database


@pytest.fixture
def transaction(database: Database) -> Iterator[Transaction]:
    """Give one transaction on the database with two phones."""
    with database.write() as transaction:
        yield transaction


def an_account(database: Database) -> AccountId:
    """Keep a new account."""
    account = AccountId(uuid4())
    with database.write() as transaction:
        transaction.references.create_account(account, CONSENT)
    return account


def an_account_in(transaction: Transaction) -> AccountId:
    """Keep a new account, within a transaction."""
    account = AccountId(uuid4())
    transaction.references.create_account(account, CONSENT)
    return account


def a_reference(account: AccountId, extractor: ExtractorId = EXTRACTOR) -> EncryptedReference:
    """A reference that cannot be opened."""
    return EncryptedReference(ReferenceId(uuid4()), account, extractor, b"secret template")


def test_spent_nonces_are_forgotten_when_they_would_have_expired(
    transaction: Transaction,
) -> None:
    """Not before: a purged nonce could be used again."""
    transaction.nonces.consume(b"n" * 32, LATER)
    transaction.retention.purge(LATER + CLOCK_SKEW)
    early = transaction.nonces.consume(b"n" * 32, LATER)
    transaction.retention.purge(LATER + CLOCK_SKEW + timedelta(milliseconds=1))
    late = transaction.nonces.consume(b"n" * 32, LATER)

    assert (early, late) == (False, True)


def test_new_keys_do_not_widen_the_limit_of_a_network(transaction: Transaction) -> None:
    """A key costs nothing: what counts is where its requests come from."""
    few = limits(network_submissions=2)
    places = at("abc"), at("abc", OTHER_PHONE), at("abc", OTHER_PHONE), at("abd")
    results = [asks(transaction, each, few) for each in places]

    assert results == [True, True, False, True]
    assert asks(transaction, places[2], few, Question.OWN_PALM)  # the phone alone pays


@pytest.mark.parametrize(
    ("few", "expected"),
    [
        (limits(network_failed=2), [True, True, False, True, True, True]),
        (limits(network_wide_failed=2), [True, True, False, False, True, True]),
        (limits(network_widest_failed=2), [True, True, False, False, False, True]),
    ],
    ids=["narrow", "wide", "widest"],
)
def test_each_prefix_of_a_network_has_its_limit_of_questions(
    transaction: Transaction, few: AttemptLimits, expected: list[bool]
) -> None:
    """A customer has many addresses, and a provider's customer many networks."""
    places = "abc", "abc", "abc", "abd", "aef", "ghi"
    results = [asks(transaction, at(each), few) for each in places]

    assert results == expected


def test_a_part_of_the_total_is_for_networks_that_hardly_asked(
    transaction: Transaction,
) -> None:
    """Or a few networks could lock out the world."""
    few = limits(total_failed=6, new_networks_failed=3, failed_identifications=2)
    phones = [DeviceId(name * 43) for name in "rstuvw"]
    for each in phones:
        transaction.devices.add(each, "A phone", NOW)
    loud = [asks(transaction, at("abc", each), few) for each in phones]
    unknown = asks(transaction, REQUESTER, few)
    quiet = [asks(transaction, at("ghi", each), few) for each in phones]
    later = asks(transaction, at("jkl"), few)
    none_left = asks(transaction, at("mno"), few)

    assert loud == [True] * 3 + [False] * 3
    assert not unknown
    assert quiet == [True] * 2 + [False] * 4
    assert (later, none_left) == (True, False)


@pytest.mark.parametrize("ending", ["discard", "discard_of", "purge", "create"])
def test_an_enrolment_that_ends_takes_its_samples_along(
    database: Database, ending: str
) -> None:
    """Pending templates never outlive their enrolment; nor does a newer one keep them."""
    account = an_account(database)
    with database.write() as transaction:
        transaction.devices.bind(PHONE, account, NOW, trusted=True)
        transaction.enrolments.create(ENROLMENT)
        sample = EncryptedSample(SampleId(uuid4()), Hand.LEFT, b"secret template")
        transaction.enrolments.add_sample(ENROLMENT.enrolment_id, sample, 1)
        {
            "discard": lambda: transaction.enrolments.discard(PHONE),
            "discard_of": lambda: transaction.enrolments.discard_of(account),
            "purge": lambda: transaction.retention.purge(LATER + timedelta(days=1)),
            "create": lambda: transaction.enrolments.create(
                replace(ENROLMENT, enrolment_id=EnrolmentId("e2"))
            ),
        }[ending]()
    with database.read_in_transaction() as transaction:
        assert transaction.enrolments.lock(ENROLMENT.enrolment_id, PHONE, NOW) is None
        assert transaction.enrolments.samples(ENROLMENT.enrolment_id) == []


def test_references_come_back_by_account_extractor_and_name(transaction: Transaction) -> None:
    """No gallery sees another extractor's templates; it reads only what it lacks."""
    mine, other = an_account_in(transaction), an_account_in(transaction)
    kept = [a_reference(mine), a_reference(mine), a_reference(other)]
    foreign = a_reference(mine, OTHER_EXTRACTOR)
    transaction.references.add([*kept, foreign], NOW)
    of_mine = transaction.references.of_account(mine, EXTRACTOR)
    everything = list(transaction.references.all(EXTRACTOR))
    found = transaction.references.find_many([kept[1].reference_id, ReferenceId(uuid4())])

    assert {r.reference_id for r in of_mine} == {r.reference_id for r in kept[:2]}
    assert sorted(everything, key=_key) == sorted(kept, key=_key)
    assert {*transaction.references.ids(EXTRACTOR)} == {r.reference_id for r in kept}
    assert (found, transaction.references.find_many([])) == ([kept[1]], [])


def _key(reference: EncryptedReference) -> UUID:
    return reference.reference_id


def test_a_reference_needs_an_account_that_exists(database: Database) -> None:
    """It could be matched and never be deleted; and the fault's words quote no row."""
    with pytest.raises(IntegrityError) as caught, database.write() as transaction:
        transaction.references.add([a_reference(AccountId(uuid4()))], NOW)

    assert "secret template" not in str(caught.value)


def test_erasing_leaves_a_pending_erasure_alone(transaction: Transaction) -> None:
    """The provider still has to forget; nothing else of the account remains."""
    account = an_account_in(transaction)
    transaction.references.add([a_reference(account)], NOW)
    erased = [transaction.references.erase(account, NOW) for _ in range(2)]
    waiting = transaction.pending_erasures.all()
    transaction.pending_erasures.remove(account)
    after = transaction.pending_erasures.all()

    assert not transaction.references.lock_account(account)
    assert transaction.references.of_account(account, EXTRACTOR) == []
    assert erased == [True, False]
    assert (waiting, after) == ({account: []}, {})


def test_the_list_of_erasures_is_counted_upwards_only(transaction: Transaction) -> None:
    """Of two processes that add to it, the slower one does not count back."""
    heads = [ListHead(n, bytes([n]) * 32) for n in range(4)]
    pending = transaction.pending_erasures
    counted = [pending.counted()]
    pending.recount(heads[1])
    for head in (heads[3], heads[2]):
        pending.count(head)
        counted.append(pending.counted())
    pending.recount(heads[0])
    counted.append(pending.counted())

    assert counted == [None, heads[3], heads[3], heads[0]]


def test_changes_are_numbered_in_the_order_of_their_commits(database: Database) -> None:
    """A gallery that saw number n has seen every number below it."""
    accounts = [an_account(database) for _ in range(THREADS)]

    def change(account: AccountId) -> None:
        with database.write() as transaction:
            transaction.history.lock()
            transaction.history.record(account, NOW)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(change, accounts))

    with database.read_in_transaction() as transaction:
        changes = transaction.history.since(0)
        assert [each.sequence for each in changes] == list(range(1, THREADS + 1))
        assert {each.account for each in changes} == set(accounts)
        assert transaction.history.head() == THREADS
        assert transaction.history.since(THREADS - 1) == changes[-1:]


def test_an_undone_change_takes_no_number(database: Database) -> None:
    """A gap would make every gallery rebuild."""
    account = an_account(database)
    with pytest.raises(RuntimeError), database.write() as transaction:
        transaction.history.record(account, NOW)
        raise RuntimeError
    with database.write() as transaction:
        transaction.history.record(account, NOW)

        assert transaction.history.head() == 1


NAME = CredentialId(bytes(range(64)))


def a_passkey(account: AccountId, name: CredentialId = NAME, sign_count: int = 0) -> Passkey:
    """A passkey that signs nothing."""
    return Passkey(name, account, name[:32], "id.example.test", b"a key", sign_count)


AT_ONCE: dict[str, tuple[Callable[[Transaction, int], bool], int]] = {
    "nonce": (lambda on, _: on.nonces.consume(b"n" * 32, LATER), 1),
    "counter of a passkey": (lambda on, _: on.passkeys.count_up(NAME, 2**32 - 1), 1),
    "attempt": (lambda on, _: asks(on, REQUESTER, limits(submissions=3), Question.NONE), 3),
    "search": (
        lambda on, number: asks(
            on, at("abc", (PHONE, OTHER_PHONE)[number % 2]), limits(network_widest_failed=2)
        ),
        2,
    ),
}
"""What each thread does, and how many of them may."""


@pytest.mark.parametrize(("act", "allowed"), AT_ONCE.values(), ids=AT_ONCE)
def test_of_many_at_once_so_many_succeed(
    database: Database, act: Callable[[Transaction, int], bool], allowed: int
) -> None:
    """Nothing slips through between counting and noting; failed searches count beforehand."""
    with database.write() as transaction:
        transaction.passkeys.add(a_passkey(an_account_in(transaction)), NOW)

    def run(number: int) -> bool:
        with database.write() as transaction:
            return act(transaction, number)

    with ThreadPoolExecutor(THREADS) as pool:
        assert sum(pool.map(run, range(THREADS))) == allowed


def test_the_feed_forgets_accounts_that_are_gone(transaction: Transaction) -> None:
    """The change stays, with its ID: it is not taken for a gap or another history."""
    account, stays = an_account_in(transaction), an_account_in(transaction)
    transaction.history.record(account, NOW)
    transaction.history.record(stays, NOW)
    transaction.references.erase(account, NOW)
    before = transaction.history.since(0)
    transaction.retention.forget_erased(NOW)
    early = transaction.history.since(0)
    transaction.retention.forget_erased(LATER)
    after = transaction.history.since(0)

    assert before == early
    assert [each.account for each in after] == [None, stays]
    assert [each.change_id for each in after] == [each.change_id for each in before]


def test_an_erased_phone_leaves_its_attempts_to_no_other(transaction: Transaction) -> None:
    """Its network's budget stays spent; a request of it that is on the way is refused."""
    account, few = an_account_in(transaction), limits(network_submissions=2)
    transaction.devices.bind(PHONE, account, NOW, trusted=True)
    asks(transaction, at("abc"), few)
    (phone,) = transaction.devices.lock_all(account)
    transaction.devices.erase(phone)

    assert transaction.devices.find(PHONE) is None
    assert asks(transaction, at("abc", OTHER_PHONE), few)
    assert not asks(transaction, at("abc", OTHER_PHONE), few)
    with pytest.raises(DeviceUnknown):
        transaction.devices.hold(PHONE)
