"""The whole road with both databases on PostgreSQL."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.support.servers.pooler import PROGRAM, pooled
from tests.support.servers.postgres import empty_database

pytestmark = [pytest.mark.journey, pytest.mark.hands, pytest.mark.postgres]

ADA, BEN = 0, 1


@pytest.fixture(params=["direct", "pooler"])
def cluster_url(request, postgres_url):
    """Give the cluster's URL, once through a pooler that lends its connections out."""
    if request.param == "direct":
        yield postgres_url
        return
    if not PROGRAM.exists():
        pytest.skip("pgbouncer is not installed: apt-get install pgbouncer")
    with (
        tempfile.TemporaryDirectory(prefix="thenar-pooler-") as folder,
        pooled(Path(folder), postgres_url, size=45) as url,
    ):
        yield url


def test_the_road_on_postgres(serve, cluster_url):
    """Enrol, log in, refresh, restart, verify, delete: what SQLite does, PostgreSQL does."""
    with empty_database(cluster_url) as protocol, empty_database(cluster_url) as biometric:
        settings = {
            "THENAR_OIDC_DATABASE_URL": protocol,
            "THENAR_MOBILE_DATABASE_URL": biometric,
        }
        with serve(**settings) as world:
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
