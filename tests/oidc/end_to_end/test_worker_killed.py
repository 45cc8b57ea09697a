"""Two workers share one database; one of them is killed (kill -9) in the middle of its work."""

import itertools
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from subprocess import Popen
from urllib.parse import urlsplit

import httpx2
import pytest

from benchmarks.oidc.requests import REDIRECT_URI
from mobile_api.reference_phone.client import parse_link
from tests.support.service.handoff_client import HandoffClient
from tests.support.service.html_page import read_page
from tests.support.service.process import Service
from tests.support.service.relying_party import RelyingParty
from tests.support.service.sign_in import onward, query_of

LOGINS = 24


@dataclass
class Workers:
    """Two workers with one address, one of them mortal."""

    mortal: Service
    other: Service
    process: Popen[bytes]
    party: RelyingParty
    phones: HandoffClient

    def token(self, worker: Service, fields: dict[str, str]) -> dict[str, str] | None:
        """Ask one of them for tokens; None if it is dead."""
        client = self.party.registration
        proof = {"client_id": client.client_id, "client_secret": client.client_secret}
        try:
            answer = httpx2.post(f"{worker.local_url}/token", data=fields | proof, timeout=60)
        except httpx2.TransportError:
            return None
        assert answer.status_code in {200, 400}, answer.text
        body: dict[str, str] = answer.json()
        return body


@pytest.fixture
def workers(tmp_path: Path, database_url: str) -> Iterator[Workers]:
    """Start both; the second gets the first's address."""
    patient = {
        f"THENAR_OIDC_{name}_S": "600" for name in ("PENDING", "APPROVED", "CODE_LIFETIME")
    }
    mortal = Service(tmp_path, settings={"THENAR_OIDC_DATABASE_URL": database_url, **patient})
    shared = {
        name: value for name, value in mortal.environment.items() if name.startswith("THENAR_")
    }
    other = Service(tmp_path, settings=shared)
    mortal.run("migrate")
    client = mortal.add_client("Shop", REDIRECT_URI, "--confirm-code", "never")
    with ExitStack() as stack:
        process = stack.enter_context(mortal.running("--only", "oidc"))
        stack.enter_context(other.running("--only", "oidc"))
        party = RelyingParty(mortal.issuer, client)
        stack.callback(party.http.close)
        phones = stack.enter_context(closing(HandoffClient(database_url, mortal.issuer)))
        yield Workers(mortal, other, process, party, phones)


def opened(workers: Workers) -> tuple[str, str]:
    """Begin a login at the mortal worker and answer it on a phone; return path and cookie."""
    scope = {"scope": "openid offline_access"}
    answer = httpx2.get(workers.party.authorization_url(**scope), timeout=60)
    given = answer.headers.get_list("set-cookie")
    cookie = "; ".join(each.partition(";")[0] for each in given)
    address = str(answer.url.join(answer.headers["location"]))
    shown = httpx2.get(address, headers={"Cookie": cookie}, timeout=60)
    page = read_page(address, shown.status_code, dict(shown.headers.items()), shown.text)
    ticket = parse_link(page.address("phone-link", "href")).ticket
    workers.phones.answer(ticket, datetime.now(UTC))()  # noqa: TID251 -- a phone's clock
    return urlsplit(address).path, cookie


def collected(workers: Workers, worker: Service, login: tuple[str, str]) -> str | None:
    """Press *continue*; return the code, None if the worker is dead, empty if there is none."""
    path, cookie = login
    form = {"Cookie": cookie, "Origin": workers.mortal.local_url}
    try:
        answer = httpx2.post(f"{worker.local_url}{path}/continue", headers=form, timeout=60)
    except httpx2.TransportError:
        return None
    return query_of(onward(answer)).get("code", "")


@pytest.mark.timeout(300)
def test_a_killed_worker_loses_no_login_and_leaves_nothing_valid_twice(
    workers: Workers,
) -> None:
    """What it had not answered another finishes; what it had spent stays spent."""
    logins = [opened(workers) for _ in range(LOGINS)]
    waiting, working = logins[: LOGINS // 2], logins[LOGINS // 2 :]
    codes = [collected(workers, workers.mortal, login) for login in working]
    fields = [
        {"grant_type": "authorization_code", "code": code or "", "redirect_uri": REDIRECT_URI}
        for code in codes
    ]
    answered = itertools.count()
    third = threading.Event()

    def exchange(form: dict[str, str]) -> dict[str, str] | None:
        body = workers.token(workers.mortal, form)
        if next(answered) == len(fields) // 3:
            third.set()
        return body

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(exchange, form) for form in fields]
        assert third.wait(60)
        workers.process.kill()
        first = [each.result() for each in asked]
    workers.process.wait()
    second = [workers.token(workers.other, form) for form in fields]

    # A code that gave tokens gives none again: asking twice even revokes what it gave.
    for before, after in zip(first, second, strict=True):
        assert after is not None
        was_given = before is not None and "access_token" in before
        assert not (was_given and "access_token" in after), json.dumps(sorted(after))
    # Of what the dead worker left unanswered, at most the one exchange each of its threads was
    # in the middle of may be spent: a code is spent before anything is minted.
    lost = [a for b, a in zip(first, second, strict=True) if b is None and "error" in (a or {})]
    assert len(lost) <= 4
    # Every login it had not collected is finished by the other.
    assert all(collected(workers, workers.other, login) for login in waiting)
