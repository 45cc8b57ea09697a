"""What the release after 0.2.0 stores: days, stations, codes, messages.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

DAY_MS = 86_400_000

DAYS = {
    "accounts": ("consented_at",),
    "biometric_references": ("enrolled_at",),
    "departures": ("erased_at",),
    "devices": (
        "registered_at",
        "bound_at",
        "used_on",
        "trusted_at",
        "asked_at",
        "request_ends_at",
    ),
    "disputes": ("opened_at",),
    "notices": ("at",),
    "passkeys": ("added_at",),
}
"""Times of which only the day is kept."""

# Parents first. Those of True are of somebody: their rows must not be in the order of time.
TABLES = {
    "accounts": True,
    "devices": True,
    "deletion_codes": True,
    "recovery_codes": True,
    "disputes": True,
    "passkeys": True,
    "vouched_devices": True,
    "notices": True,
    "attempts": False,
    "enrolments": False,
    "enrolment_samples": False,
    "challenges": False,
    "biometric_references": True,
    "departures": True,
}

REWRITES = tuple(TABLES)
ROWS_PER_S = 25_000
"""SQLite, two cores beside other work: 66,000 of 20,000 rows a table, 27,000 of 100,000."""

MADE_BY = (
    "CONSTRAINT fk_passkeys_made_by FOREIGN KEY(made_by)"
    " REFERENCES devices (device_id) ON DELETE SET NULL"
)

ATTEMPTS = "attempt, at, failed, network, network_wide, network_widest"


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    op.execute("DELETE FROM challenges")  # what is in them is written otherwise now
    with op.batch_alter_table("disputes") as disputes:
        disputes.add_column(sa.Column("claimant", sa.String(43)))
        disputes.add_column(
            sa.Column("is_contrary", sa.Boolean, nullable=False, server_default=sa.false())
        )
        disputes.add_column(sa.Column("suspended_on", sa.BigInteger))
        disputes.add_column(sa.Column("dismissed_on", sa.BigInteger))
        disputes.create_foreign_key(
            "fk_disputes_claimant", "devices", ["claimant"], ["device_id"], ondelete="SET NULL"
        )
        disputes.create_index("ix_disputes_claimant", ["claimant"])
    op.add_column("passkeys", sa.Column("made_by", sa.String(43)))
    op.create_index("ix_passkeys_made_by", "passkeys", ["made_by"])
    op.execute(
        "UPDATE passkeys SET made_by = found.made_by FROM (SELECT credential_id,"
        " min(device_id) AS made_by FROM vouched_devices GROUP BY credential_id) AS found"
        " WHERE found.credential_id = passkeys.credential_id"
    )
    for table, columns in DAYS.items():
        for column in columns:
            op.execute(f"UPDATE {table} SET {column} = {column} - {column} % {DAY_MS}")
    if is_sqlite:
        _rebuild()
    else:
        _change_in_place()
    op.add_column(
        "mobile_version",
        sa.Column("oldest_program", sa.String(32), nullable=False, server_default=revision),
    )
    op.add_column("devices", sa.Column("owns_from", sa.BigInteger))
    op.create_table(
        "push_subscriptions",
        sa.Column(
            "device_id",
            sa.String(43),
            sa.ForeignKey("devices.device_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("encrypted", sa.LargeBinary, nullable=False),
        sa.Column("due_at", sa.BigInteger, index=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "stations",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("networks", sa.Text, nullable=False),
        sa.Column("challenge", sa.String(16), nullable=False),
        sa.Column("used_on", sa.BigInteger),
        sa.Column("code_digest", sa.LargeBinary(32), unique=True),
        sa.Column("code_ends_at", sa.BigInteger, index=True),
        sa.Column("device_id", sa.String(43), sa.ForeignKey("devices.device_id"), unique=True),
        sa.Column("cookie_digest", sa.LargeBinary(32)),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "motion_codes",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
        sa.Column(
            "device_id", sa.String(43), sa.ForeignKey("devices.device_id", ondelete="CASCADE")
        ),
        sqlite_with_rowid=False,
    )


def _rebuild() -> None:
    """Make SQLite's tables anew: only so it changes their order and keys."""
    connection = op.get_bind()
    made = {
        name: connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)
        ).scalar_one()
        for name in TABLES
    }
    made["passkeys"] = f"{made['passkeys'].removesuffix(')')}, {MADE_BY})"
    indexes = {
        name: connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?"
            " AND sql IS NOT NULL",
            (name,),
        )
        .scalars()
        .all()
        for name in TABLES
    }
    for name in TABLES:
        op.execute(f"CREATE TEMP TABLE kept_{name} AS SELECT * FROM {name}")
    for name in reversed(TABLES):
        op.execute(f"DROP TABLE {name}")
    for name, is_of_somebody in TABLES.items():
        if name == "attempts":
            _create_attempts()
            op.execute(
                f"INSERT INTO attempts (payer, {ATTEMPTS})"
                f" SELECT device_id, {ATTEMPTS} FROM kept_attempts"
            )
        elif name == "notices":
            _create_notices()
            op.execute(
                "INSERT INTO notices SELECT lower(hex(randomblob(16))), device_id, kind, at"
                " FROM kept_notices"
            )
        else:
            op.execute(made[name] + (" WITHOUT ROWID" if is_of_somebody else ""))
            op.execute(f"INSERT INTO {name} SELECT * FROM kept_{name}")
            for each in indexes[name]:
                op.execute(each)
        op.execute(f"DROP TABLE kept_{name}")


def _change_in_place() -> None:
    op.execute(f"ALTER TABLE passkeys ADD {MADE_BY}")
    found = sa.inspect(op.get_bind())
    (key,) = found.get_foreign_keys("attempts")
    op.drop_constraint(str(key["name"]), "attempts", type_="foreignkey")
    op.drop_index("ix_attempts_device_id_at", "attempts")
    op.alter_column("attempts", "device_id", new_column_name="payer")
    op.add_column("attempts", _known())
    op.create_index("ix_attempts_payer_at", "attempts", ["payer", "at"])
    op.execute("CREATE TEMP TABLE kept_notices AS SELECT device_id, kind, at FROM notices")
    op.drop_table("notices")
    _create_notices()
    op.execute("INSERT INTO notices SELECT gen_random_uuid(), * FROM kept_notices")
    op.execute("DROP TABLE kept_notices")
    for name, is_of_somebody in TABLES.items():
        if is_of_somebody:
            key_name = sa.inspect(op.get_bind()).get_pk_constraint(name)["name"]
            op.execute(f'CLUSTER {name} USING "{key_name}"')


def _known() -> "sa.Column[bool]":
    return sa.Column("known", sa.Boolean, nullable=False, server_default=sa.false())


def _create_attempts() -> None:
    op.create_table(
        "attempts",
        sa.Column("attempt", sa.Integer, primary_key=True),
        sa.Column("payer", sa.String(43), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False, index=True),
        sa.Column("failed", sa.SmallInteger, nullable=False),
        sa.Column("network", sa.String(43)),
        sa.Column("network_wide", sa.String(43)),
        sa.Column("network_widest", sa.String(43)),
        _known(),
        sa.Index("ix_attempts_payer_at", "payer", "at"),
        sa.Index("ix_attempts_failed_at", "failed", "at"),
        sa.Index("ix_attempts_network_at", "network", "at"),
        sa.Index("ix_attempts_network_wide_failed_at", "network_wide", "failed", "at"),
        sa.Index("ix_attempts_network_widest_failed_at", "network_widest", "failed", "at"),
    )


def _create_notices() -> None:
    owner = sa.ForeignKey("devices.device_id", ondelete="CASCADE")
    op.create_table(
        "notices",
        sa.Column("notice_id", sa.Uuid, primary_key=True),
        sa.Column("device_id", sa.String(43), owner, nullable=False, index=True),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False, index=True),
        sqlite_with_rowid=False,
    )
