"""Tables of the biometric database. None names a person or a client.

Times and the order of rows would join it with the protocol database. So a time is a ``Day``
unless its row goes at a deadline, and a row of an account has no number that grows: on SQLite
its rows are in the order of random names.
"""

from datetime import timedelta
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    Uuid,
    false,
)
from sqlalchemy.schema import SchemaItem

from engine.types import Hand
from mobile_api.types import NoticeKind, Purpose, StationChallenge
from oidc.plumbing.columns import Choice, Moment


class UtcTime(Moment):
    """An exact time."""

    cache_ok = True
    unit = timedelta(milliseconds=1)


class Day(UtcTime):
    """The day of a time: finer ones would tell whose sign-in in the other database it was."""

    cache_ok = True
    is_day = True


SERIAL = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers only an INTEGER PRIMARY KEY by itself."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    }
)


def _table(name: str, *items: SchemaItem, is_random: bool = False) -> Table:
    """Return a table; ``is_random``: its rows are in the order of random names."""
    return Table(name, metadata, *items, sqlite_with_rowid=not is_random)


def _codes(name: str, *more: Column[Any], unique: bool) -> Table:
    """Return a table of codes of accounts, as digests; ``unique``: at most one an account."""
    digest = Column("digest", LargeBinary(32), primary_key=True)
    return _table(name, digest, _its_account(unique=unique), *more, is_random=True)


def _of(owner: str, kind: Any, **options: Any) -> Column[Any]:  # noqa: ANN401
    """Return the column of the row that this row is deleted with."""
    name = owner.partition(".")[2]
    its = ForeignKey(owner, ondelete="CASCADE")
    return Column(name, kind, its, nullable=False, **options)


def _its_account(*, unique: bool = False) -> Column[Any]:
    """Return the column of the account that the row is deleted with, indexed."""
    return _of("accounts.account", Uuid, unique=unique, index=not unique)


def _its_device(**options: bool) -> Column[Any]:
    """Return the column of the device that the row is deleted with."""
    return _of("devices.device_id", String(43), **options)


def _while_known(name: str) -> Column[str]:
    """Return the column of a device that the row may outlive."""
    owner = ForeignKey("devices.device_id", ondelete="SET NULL")
    return Column(name, String(43), owner, index=True)


UNDETERMINED: Final = "und"
"""Language of consents from before it was kept. RFC 5646 §4.1."""

accounts = _table(
    "accounts",
    Column("account", Uuid, primary_key=True),
    Column("consent_version", String(32), nullable=False),
    Column("consent_sha256", String(64), nullable=False),
    Column("consent_language", String(35), nullable=False, server_default=UNDETERMINED),
    Column("consented_at", Day, nullable=False),
    is_random=True,
)

devices = _table(
    "devices",
    Column("device_id", String(43), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("account", Uuid, ForeignKey("accounts.account"), index=True),
    Column("registered_at", Day, nullable=False),
    Column("bound_at", Day),
    Column("used_on", Day),
    Column("trusted_at", Day),
    # The day from which a phone may own that waiting made trusted.
    Column("owns_from", Day),
    # Its request to become trusted: asked, when waiting is over (then its day), when it lapses.
    Column("asked_at", Day),
    Column("due_at", UtcTime),
    Column("request_ends_at", Day),
    is_random=True,
)

stations = _table(
    "stations",
    Column("name", String(64), primary_key=True),
    # The only ones that it works in, separated by commas; empty: any.
    Column("networks", Text, nullable=False),
    Column("challenge", Choice(StationChallenge, 16), nullable=False),
    Column("used_on", Day),
    # Until a browser is enrolled: the code for it, and when it lapses with its row.
    Column("code_digest", LargeBinary(32), unique=True),
    Column("code_ends_at", UtcTime, index=True),
    # From then on: its key, and the secret of its cookie at the provider.
    Column("device_id", String(43), ForeignKey("devices.device_id"), unique=True),
    Column("cookie_digest", LargeBinary(32)),
    is_random=True,
)

notices = _table(
    "notices",
    # Random.
    Column("notice_id", Uuid, primary_key=True),
    _its_device(index=True),
    Column("kind", Choice(NoticeKind, 32), nullable=False),
    Column("at", Day, nullable=False, index=True),
    is_random=True,
)

attempts = _table(
    "attempts",
    Column("attempt", SERIAL, primary_key=True, autoincrement=True),
    # Digest of the phone. The database has the names of an applied migration.
    Column("payer", String(43), nullable=False, key="requester"),
    Column("at", UtcTime, nullable=False),
    # The ``Question`` without a match; 0: none, or one with a match.
    Column("failed", SmallInteger, nullable=False, key="question"),
    # Whether the phone was older than a day.
    Column("known", Boolean, nullable=False, server_default=false()),
    # What it counts for; NULL where only the phone is charged.
    # Digests of the client's network: /56 or an IPv4 address, /48 or /24, /32 or /16.
    Column("network", String(43)),
    Column("network_wide", String(43)),
    Column("network_widest", String(43)),
    Index("ix_attempts_payer_at", "requester", "at"),
    Index("ix_attempts_network_at", "network", "at"),
    Index("ix_attempts_network_wide_failed_at", "network_wide", "question", "at"),
    Index("ix_attempts_network_widest_failed_at", "network_widest", "question", "at"),
    Index("ix_attempts_failed_at", "question", "at"),
    Index("ix_attempts_at", "at"),
)

spent_nonces = _table(
    "spent_nonces",
    Column("digest", LargeBinary(32), primary_key=True),
    Column("expires_at", UtcTime, nullable=False, index=True),
)

enrolments = _table(
    "enrolments",
    Column("enrolment_id", String(43), primary_key=True),
    Column("device_id", ForeignKey("devices.device_id"), nullable=False, index=True),
    Column("consent_version", String(32), nullable=False),
    Column("consent_sha256", String(64), nullable=False),
    Column("consent_language", String(35), nullable=False, server_default=UNDETERMINED),
    Column("consented_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False, index=True),
    Column("enrolled_left", SmallInteger),
    Column("enrolled_right", SmallInteger),
)

enrolment_samples = _table(
    "enrolment_samples",
    Column("position", SERIAL, primary_key=True, autoincrement=True),
    Column("sample_id", Uuid, nullable=False, unique=True),
    _of("enrolments.enrolment_id", String(43), index=True),
    Column("hand", Choice(Hand, 5), nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("key_id", String(8), index=True),
    Column("attempt", BigInteger),
)

challenges = _table(
    "challenges",
    # One for each phone: a new one replaces it.
    _its_device(primary_key=True),
    Column("challenge_id", Uuid, nullable=False),
    Column("purpose", Choice(Purpose, 16), nullable=False),
    # The login or enrolment that it is for; empty: none.
    Column("attempt_id", String(64), nullable=False),
    Column("hand", Choice(Hand, 5)),
    # The step that is awaited, from 1; 0: passed.
    Column("step", SmallInteger, nullable=False),
    Column("sent_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False, index=True),
    # What it was charged as.
    Column("charge", BigInteger, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
)

motion_codes = _table(
    "motion_codes",
    Column("digest", LargeBinary, primary_key=True),
    Column("expires_at", UtcTime, nullable=False, index=True),
    # The first device that used it; no other can.
    Column("device_id", String(43), ForeignKey("devices.device_id", ondelete="CASCADE")),
    is_random=True,
)

references = _table(
    "biometric_references",
    Column("reference_id", Uuid, primary_key=True),
    Column("account", Uuid, ForeignKey("accounts.account"), nullable=False),
    Column("extractor", String(64), nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("key_id", String(8), index=True),
    Column("enrolled_at", Day, nullable=False),
    # The phone whose sign-ins added it, and for which it counts; NULL: it was enrolled.
    Column("device_id", String(43), ForeignKey("devices.device_id"), index=True),
    # Not one for each: of two that fit, SQLite may take the one that everybody is in.
    Index("ix_biometric_references_account_extractor", "account", "extractor"),
    is_random=True,
)

# Accounts that the provider still has to forget.
pending_erasures = _table(
    "departures",
    Column("account", Uuid, primary_key=True),
    Column("erased_at", Day, nullable=False),
    # Its phones, separated by spaces.
    Column("phones", Text, nullable=False, server_default=""),
    is_random=True,
)

erasure_list = _table(
    "erasure_list",
    Column("only", SmallInteger, primary_key=True, autoincrement=False),
    Column("count", BigInteger, nullable=False),
    Column("digest", LargeBinary(32), nullable=False),
)

alias_key = _table(
    "alias_key",
    Column("only", SmallInteger, primary_key=True, autoincrement=False),
    Column("sealed", LargeBinary, nullable=False),
)

deletion_codes = _codes("deletion_codes", unique=True)

recovery_codes = _codes("recovery_codes", unique=True)

disputes = _codes(
    "disputes",
    Column("hand", Choice(Hand, 5), nullable=False),
    Column("opened_at", Day, nullable=False, index=True),
    _while_known("claimant"),
    Column("is_contrary", Boolean, nullable=False, server_default=false()),
    Column("suspended_on", Day),
    Column("dismissed_on", Day),
    unique=False,
)

passkeys = _table(
    "passkeys",
    Column("credential_id", LargeBinary(1023), primary_key=True),
    _its_account(),
    Column("user_handle", LargeBinary(32), nullable=False, unique=True),
    Column("rp_id", String(253), nullable=False),
    Column("public_key", LargeBinary, nullable=False),
    Column("sign_count", BigInteger, nullable=False),
    Column("added_at", Day, nullable=False),
    _while_known("made_by"),
    is_random=True,
)

trusted_devices = _table(
    "vouched_devices",
    _its_device(primary_key=True),
    _of("passkeys.credential_id", LargeBinary(1023), index=True),
    # Its day, once it is not fresh any more.
    Column("at", UtcTime, nullable=False),
    is_random=True,
)

push_subscriptions = _table(
    "push_subscriptions",
    _its_device(primary_key=True),
    # Where the browser's push service takes messages, and the browser's keys.
    Column("encrypted", LargeBinary, nullable=False),
    # When its next message is sent; NULL: no phone asks.
    Column("due_at", UtcTime, index=True),
    is_random=True,
)

audit_entries = _table(
    "audit_entries",
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("at", UtcTime, nullable=False),
    Column("event", String(48), nullable=False),
    Column("details", Text, nullable=False),
    Column("digest", LargeBinary(32), nullable=False),
)

gallery_head = _table(
    "gallery_head",
    Column("only", SmallInteger, primary_key=True, autoincrement=False),
    Column("sequence", BigInteger, nullable=False),
)

gallery_changes = _table(
    "gallery_changes",
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    # Random: tells this history from another one.
    Column("mark", Uuid, nullable=False),
    # NULL: an account that is erased, or an old change.
    Column("account", Uuid),
    Column("at", UtcTime, nullable=False, index=True),
)
