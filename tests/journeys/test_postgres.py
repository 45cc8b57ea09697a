"""A whole sign-in with both databases on PostgreSQL, through a pooler.

Without a pooler: ``test_backup.py``.
"""

import tempfile
from pathlib import Path

import pytest

from tests.support.databases.pooler import PROGRAM, pooled
from tests.support.databases.postgres import empty_database
from tests.support.service.journey import Serve

pytestmark = [pytest.mark.journey, pytest.mark.hands, pytest.mark.postgres]

ADA = 0


def test_a_sign_in_through_a_pooler(serve: Serve, postgres_url: str) -> None:
    """Enrol, log in, refresh, restart, verify, delete: what SQLite does, PostgreSQL does."""
    if not PROGRAM.exists():
        pytest.skip("pgbouncer is not installed: apt-get install pgbouncer")
    with (
        tempfile.TemporaryDirectory(prefix="thenar-pooler-") as folder,
        pooled(Path(folder), postgres_url, size=45) as url,
        empty_database(url) as protocol,
        empty_database(url) as biometric,
        serve(THENAR_OIDC_DATABASE_URL=protocol, THENAR_MOBILE_DATABASE_URL=biometric) as world,
    ):
        person = world.person(ADA)
        first = world.log_in(person, scope="openid offline_access")
        refreshed = world.shop.refresh(first.tokens["refresh_token"])
        world.restart()
        again = world.log_in(person, user_id=first.subject)
        code = world.callback(person).parameters["code"]
        spent = [world.shop.exchange(code).status_code for _ in range(2)]
        person.phone.delete_account(person.palm)
        gone = world.visit(user_id=first.subject)
        files = {file.suffix for file in world.service.folder.iterdir()}

    assert refreshed.status_code == 200
    assert again.subject == first.subject
    assert spent == [200, 400]
    assert gone.parameters["error"] == "invalid_request"
    assert ".sqlite3" not in files
