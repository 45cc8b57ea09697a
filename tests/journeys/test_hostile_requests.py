"""Mutated requests to the real service: no fault, no silence, and no secret written anywhere.

What the API descriptions cover is drawn by schemathesis, in other tests; this is the protocol,
and what is wrong below HTTP.
"""

import json
import re
from collections.abc import Iterator

import httpx2
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.hostile.mutations import Mutation, mutate, mutations
from tests.support.hostile.odd_values import CANARIES
from tests.support.hostile.raw_http import Request, needs_half_close, send
from tests.support.hostile.valid_requests import REQUESTS, Visitor
from tests.support.secret_search import found_in
from tests.support.service.journey import Serve, World
from tests.support.service.process import free_port

ADA = 0

REQUESTS_SENT = 1000

FAULT = re.compile(r"^(\S+ )?(ERROR|CRITICAL)\b.*|^Traceback.*", re.MULTILINE)

REPEATED = ("state", "nonce")
"""Kept by the provider until the login ends, because it gives them back."""

METRICS = str(free_port())


@pytest.fixture(scope="module")
def attacked(serve: Serve) -> Iterator[World]:
    """Give a service of our own whose limits let requests reach the code behind them."""
    with serve(
        THENAR_MOBILE_METRICS_PORT=METRICS,
        THENAR_OIDC_SESSION_MINUTES="60",
        THENAR_OIDC_REGISTRATIONS_HOURLY="100000",
    ) as world:
        yield world


@pytest.fixture(scope="module")
def visitor(attacked: World) -> Iterator[Visitor]:
    """Give a person who is signed in."""
    address = attacked.service.local_url
    given = attacked.service.run("client", "token", "add", "--name", "x", "--json")
    with attacked.begin(scope="openid offline_access") as login:
        login.answer(attacked.person(ADA))
        tokens = login.redeem().tokens
        phone = attacked.new_phone()
        token = json.loads(given)["initial_access_token"]
        visitor = Visitor(address, attacked.shop, login.browser, phone, tokens, token)
        for kind in ("access_token", "refresh_token", "id_token"):
            visitor.keep(kind, tokens[kind])
        visitor.keep("initial access token", token)
        for cookie in login.browser.http.cookies.jar:
            visitor.keep("cookie", cookie.value or "")
        yield visitor


def answer_to(world: World, request: Request) -> int:
    """Send a request; return the status, 0 if the service hung up."""
    wait_less = needs_half_close(request)
    answer = send(world.service.port, request.octets(), needs_half_close=wait_less)
    assert not answer.hung, request
    return answer.status


def test_what_is_mutated_is_valid_before(attacked: World, visitor: Visitor) -> None:
    """Otherwise every mutation would end at the first check."""
    statuses = {kind: answer_to(attacked, make(visitor)) for kind, make in REQUESTS.items()}

    refused = {kind: status for kind, status in statuses.items() if not 200 <= status < 400}
    assert refused == {}


def test_no_mutation_is_a_fault_of_the_service_or_leaks(
    attacked: World, visitor: Visitor
) -> None:
    """Afterwards the service is ready, and its log, metrics and databases hold no secret."""

    @settings(
        max_examples=REQUESTS_SENT,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(sorted(REQUESTS)), st.lists(mutations, min_size=1, max_size=3))
    def sent(kind: str, applied: list[Mutation]) -> None:
        request = mutate(REQUESTS[kind](visitor), applied)
        assert answer_to(attacked, request) < 500, (kind, request)

    sent()
    printed = attacked.service.log.read_text("utf-8", "replace")
    metrics = httpx2.get(f"http://127.0.0.1:{METRICS}/metrics", timeout=60).text
    ready = httpx2.get(f"{attacked.service.local_url}/readyz", timeout=60)
    canaries = {f"canary {number}": each for number, each in enumerate(CANARIES)}
    issued = {name: each for name, each in visitor.kept.items() if name[:5] not in REPEATED}

    assert ready.status_code == 200
    assert FAULT.findall(printed) == []
    assert found_in(printed + metrics, visitor.kept | canaries) == []
    for database in attacked.service.folder.glob("*.sqlite3*"):
        assert found_in(database.read_bytes().decode("latin-1"), issued) == [], database
