"""PostgreSQL tells every listener which login has moved, as soon as the move is committed.

The name of the login is told as a digest: whoever may listen on the database learns that
something happened to some login, and cannot open its page. SQLite has no listeners.

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
