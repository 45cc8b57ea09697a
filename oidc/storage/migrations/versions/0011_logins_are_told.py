"""PostgreSQL notifies listeners of changed logins after each commit.

A notification holds a digest of the login id, so that listeners cannot open its page.
SQLite sends none.

Revision ID: 0011
Revises: 0010
"""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_FUNCTION = """
CREATE FUNCTION thenar_tell_login() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify(
        'thenar_logins', encode(sha256(convert_to(NEW.login_id, 'UTF8')), 'hex')
    );
    RETURN NULL;
END
$$
"""

_TRIGGER = """
CREATE TRIGGER thenar_tell_login AFTER UPDATE ON logins
FOR EACH ROW EXECUTE FUNCTION thenar_tell_login()
"""


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_FUNCTION)
        op.execute(_TRIGGER)
