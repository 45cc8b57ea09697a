"""Through the recipes' proxies, every client gets the answers to its own requests.

A proxy keeps its connections to the service and sends requests of all clients over them.
"""

import itertools
import re
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPSConnection
from pathlib import Path
from threading import Event

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.support.hostile.connections import OFFERS, serving
from tests.support.servers.recipes import RECIPES, proxied
from tests.support.service.process import free_port

REQUESTS = 10_000

OTHERS = 4

ATTACKERS = 2

PAUSE_S = 0.005

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

LIMIT_S = 60


async def _echo(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        length = len(await Request(scope, receive).body())
        await PlainTextResponse(f"{scope['path']} {length}")(scope, receive, send)


def _as_shipped(text: str) -> str:
    return re.sub(r"health_.*", "", text)


def _passing_offers_on(text: str) -> str:
    """Change a recipe as many write one, for applications with websockets."""
    text = text.replace('Connection "";', "Connection $http_connection;")
    text = text.replace('Upgrade "";', "Upgrade $http_upgrade;")
    return re.sub(r"header_up -.*", "", _as_shipped(text))


@pytest.mark.parametrize("changed", [_as_shipped, _passing_offers_on])
@pytest.mark.parametrize("name", RECIPES)
def test_offers_shift_no_answer_of_another_client(
    name: str, changed: type[str], tmp_path: Path
) -> None:
    """While two clients offer, in each way and with bodies that would be requests."""
    port, ended = free_port(), Event()
    with (
        serving(_echo) as upstream,
        proxied(name, tmp_path, port, upstream, changed=changed) as trust,
        ThreadPoolExecutor(OTHERS + ATTACKERS) as pool,
    ):
        attacks = [pool.submit(_offer, port, trust, each, ended) for each in range(ATTACKERS)]
        others = [pool.submit(_ask, port, trust, each) for each in range(OTHERS)]
        wrong = list(itertools.chain.from_iterable(each.result() for each in others))
        ended.set()
        offered = [each.result() for each in attacks]

    assert wrong == []
    assert [wrong for _, wrong in offered] == [[]] * ATTACKERS
    assert sum(count for count, _ in offered) > len(OFFERS)


def _ask(port: int, trust: ssl.SSLContext, client: int) -> list[tuple[str, str]]:
    """Send requests of this client alone; return those with a wrong answer."""
    wrong = []
    connection = HTTPSConnection("localhost", port, timeout=LIMIT_S, context=trust)
    for number in range(REQUESTS // OTHERS):
        path = f"/{client}/{number}"
        connection.request("GET", path)
        got = connection.getresponse().read().decode()
        if got != f"{path} 0":
            wrong.append((path, got))
    connection.close()
    return wrong


def _offer(
    port: int, trust: ssl.SSLContext, client: int, ended: Event
) -> tuple[int, list[tuple[str, str]]]:
    """Offer until the others are through; return how often, and what was answered wrongly."""
    wrong = []
    for count, (name, times) in enumerate(_attacks()):
        if ended.is_set():
            break
        path, body = f"/attacker/{client}/{count}", SMUGGLED * times
        connection = HTTPSConnection("localhost", port, timeout=LIMIT_S, context=trust)
        connection.putrequest("POST", path)
        for line in OFFERS[name].decode("latin-1").split("\r\n"):
            connection.putheader(*line.split(":", 1))
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        ended.wait(PAUSE_S)
        connection.send(body)
        got = connection.getresponse().read().decode()
        if got != f"{path} {len(body)}":
            wrong.append((f"{name} {path}", got))
        connection.close()
    return count, wrong


def _attacks() -> Iterator[tuple[str, int]]:
    return itertools.cycle(itertools.product(OFFERS, (1, 50, 2000)))
