"""Pseudonyms: random, stored, per client, and withdrawn for ever."""

import ast
import re
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import text

from oidc.accounts import pseudonym
from oidc.client import Client
from oidc.storage.database import Stores
from oidc.types import AccountId, Grant, GrantId, Level
from tests.support.service.sign_in import ANNA, SignIn


def test_a_subject_has_the_form_clients_know_and_says_nothing() -> None:
    """``vu-`` and a random UUID: nothing in it comes from the account."""
    form = r"vu-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    subjects = {pseudonym.new_subject() for _ in range(100)}

    assert len(subjects) == 100
    assert all(re.fullmatch(form, subject) for subject in subjects)


def test_no_other_module_touches_the_table_of_pseudonyms() -> None:
    """One module names accounts; the import contract cannot see attributes, so this does."""
    package = Path(pseudonym.__file__).parents[1]
    users = {
        path.name
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "pseudonyms"
    }

    assert users == {"pseudonym.py"}


def test_clients_of_a_deleted_person_are_notified_at_random_times(sign_in: SignIn) -> None:
    """Two that compare the times of their notification must not find that it is one person."""
    clients = set()
    for number in range(6):
        options = {"backchannel_logout_uri": f"https://shop{number}.example/logout"}
        shop = sign_in.register(f"Shop {number}", f"https://shop{number}.example/cb", **options)
        with sign_in.database.write() as stores:
            _grant(stores, ANNA, shop.client, sign_in.clock())
        clients.add(shop.client.client_id)
    began = sign_in.clock()
    sign_in.handoff.delete_account(ANNA)
    with sign_in.database.write() as stores:
        until = began + timedelta(hours=24)
        now = stores.logouts.claim(began, began, count=9)
        later = stores.logouts.claim(until, until + timedelta(1), count=9)
        revoked = stores.connection.execute(text("SELECT DISTINCT revoked_at FROM grants"))

        assert len(now) < 6
        assert {each.client_id for each in now + later} == clients
        assert [each % 86_400_000_000 for each in revoked.scalars()] == [0]
    sign_in.clock.advance(15)
    sign_in.sweep()
    with sign_in.database.read() as stores:
        assert stores.connection.execute(text("SELECT count(*) FROM grants")).scalar_one() == 0


def _grant(stores: Stores, account: AccountId, client: Client, now: datetime) -> None:
    subject = pseudonym.subject_for(stores, account, client.sector, now)
    grant = Grant(
        GrantId(client.client_id), client.client_id, subject, ("openid",), None, now, Level.PALM
    )
    stores.grants.add(grant, now + timedelta(days=90))
