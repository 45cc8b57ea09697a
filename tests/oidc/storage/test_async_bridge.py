"""A plain function waits inside a coroutine, and the event loop serves others."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import pytest

from oidc.storage.sql.greenlet_bridge import GreenletBridge, bridge_context, wait

REQUEST: ContextVar[str] = ContextVar("request")


def plainly(future: asyncio.Future[str]) -> str:
    """Wait like a function that knows no event loop, and say where it was."""
    return f"{wait(future)} in {REQUEST.get()} with {bridge_context(str)}"


async def later(answer: str | Exception) -> str:
    """Answer after others had their turn."""
    await asyncio.sleep(0)
    if isinstance(answer, Exception):
        raise answer
    return answer


def test_a_plain_function_waits_and_others_go_on() -> None:
    """Two calls alternate; each keeps its own context across its waits."""
    order = []

    async def steps(name: str) -> str:
        REQUEST.set(name)
        order.append(name)
        first = plainly(asyncio.ensure_future(later("one")))
        await asyncio.sleep(0)
        order.append(name)
        return f"{first}, {plainly(asyncio.ensure_future(later('two')))}"

    async def scene() -> list[str]:
        walks = [GreenletBridge(steps(name), f"bag {name}") for name in "ab"]
        return list(await asyncio.gather(*walks))

    assert asyncio.run(scene()) == [
        f"one in {name} with bag {name}, two in {name} with bag {name}" for name in "ab"
    ]
    assert order == ["a", "b", "a", "b"]


def test_a_fault_is_raised_where_it_was_waited_for() -> None:
    """And may be handled there, or leave the walk."""

    async def steps(*, handled: bool) -> str:
        try:
            return wait(asyncio.ensure_future(later(ValueError("wrong"))))
        except ValueError:
            if handled:
                return "handled"
            raise

    async def scene(*, handled: bool) -> str:
        return await GreenletBridge(steps(handled=handled), None)

    assert asyncio.run(scene(handled=True)) == "handled"
    with pytest.raises(ValueError, match="wrong"):
        asyncio.run(scene(handled=False))


def test_who_is_cancelled_in_the_middle_tidies_up() -> None:
    """The plain function sees it, too."""
    tidied = []

    async def steps() -> None:
        try:
            wait(asyncio.get_running_loop().create_future())
        finally:
            tidied.append("plain")

    async def scene() -> None:
        walking = asyncio.ensure_future(_awaited(GreenletBridge(steps(), None)))
        await asyncio.sleep(0)
        walking.cancel()
        await asyncio.gather(walking, return_exceptions=True)
        assert walking.cancelled()

    asyncio.run(scene())

    assert tidied == ["plain"]


async def _awaited(walk: GreenletBridge[None, None]) -> None:
    await walk


def test_outside_a_walk_nobody_carries_anything() -> None:
    """Nor bridge_context of another kind inside of one."""

    async def steps() -> object:
        return bridge_context(int)

    async def scene() -> object:
        return await GreenletBridge(steps(), "a string")

    assert bridge_context(str) is None
    assert asyncio.run(scene()) is None
