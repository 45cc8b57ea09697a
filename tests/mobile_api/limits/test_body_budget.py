"""All bodies share so much memory, and the sender of a slow one loses it first."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from functools import wraps
from typing import Any

import anyio
import pytest
from starlette.requests import Request
from starlette.types import Message

from mobile_api.errors import BodyIncomplete, BodyTooLarge, ServiceBusy
from mobile_api.limits import BodyBudget

LIMIT = 60


def _in_loop(scene: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test in an event loop."""

    @wraps(scene)
    def run() -> None:
        asyncio.run(scene())

    return run


def _request(
    *chunks: bytes, ends: bool = True, length: str = "0", last: str = "request"
) -> Request:
    """Return a request whose body comes in these chunks and then ends, or never."""
    messages: list[Message] = [
        {"type": "http.request", "body": each, "more_body": True} for each in chunks
    ]

    async def receive() -> Message:
        if messages:
            return messages.pop(0)
        if not ends:
            await anyio.sleep_forever()
        return {"type": f"http.{last}", "body": b"", "more_body": False}

    headers = [(b"content-length", length.encode())]
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


async def _read(budget: BodyBudget, request: Request) -> bytes:
    async with budget.read(request, LIMIT) as body:
        return body


@_in_loop
async def test_what_arrives_for_the_longest_time_gives_way() -> None:
    """The next needs its memory: the oldest is refused, not the one that is being sent."""
    budget, refused = BodyBudget(100), []

    async def hold(name: str) -> None:
        try:
            await _read(budget, _request(bytes(50), ends=False))
        except ServiceBusy:
            refused.append(name)

    async with anyio.create_task_group() as holding:
        for name in ("first", "second"):
            holding.start_soon(hold, name)
            await anyio.sleep(0.01)
        whole = await _read(budget, _request(bytes(30), bytes(10)))
        while not refused:
            await anyio.sleep(0)
        at_the_end = list(refused)
        holding.cancel_scope.cancel()

    assert len(whole) == 40
    assert at_the_end == ["first"]
    assert len(await _read(budget, _request(bytes(60)))) == 60


@_in_loop
async def test_a_body_in_use_does_not_give_way() -> None:
    """Its picture is being looked at: the next one is sent away for a moment."""
    budget = BodyBudget(100)
    async with AsyncExitStack() as using:
        await using.enter_async_context(budget.read(_request(bytes(60)), LIMIT))
        with pytest.raises(ServiceBusy):
            await _read(budget, _request(bytes(50)))

    assert len(await _read(budget, _request(bytes(50)))) == 50


@_in_loop
async def test_a_body_that_is_too_long_is_not_one_that_ended_too_soon() -> None:
    """One has to be made smaller, the other is sent again."""
    incomplete = _request(bytes(9), last="disconnect"), _request(length="9 bytes")
    for request in incomplete:
        with pytest.raises(BodyIncomplete):
            await _read(BodyBudget(100), request)
    for request in (_request(bytes(61)), _request(length="61")):
        with pytest.raises(BodyTooLarge):
            await _read(BodyBudget(100), request)
