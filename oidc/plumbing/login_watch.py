"""Wakes waiting streams when their login changes.

One query per interval covers all waiting logins of this process, or only the changed ones
where the database sends notifications. Each login has one stream; a new stream ends the old.
"""

import asyncio
import hashlib
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Generic, TypeVar

from starlette.concurrency import run_in_threadpool

from oidc.errors import DatabaseUnavailable
from oidc.types import LoginId

S = TypeVar("S")
"""The known state of a login; an equal one wakes no waiter."""

NOTIFIED_INTERVAL_S: Final = 15.0
"""Interval of full queries while change notifications are active."""

LOGGER: Final = logging.getLogger(__name__)


def notification_key(login_id: LoginId) -> str:
    """Return SHA-256 of the login's id, hexadecimal, as the database's trigger computes it.

    The id itself is part of the consent page's address and must not be published.
    """
    return hashlib.sha256(login_id.encode("utf-8")).hexdigest()


class Subscription(Generic[S]):
    """One stream's subscription to one login."""

    def __init__(self, login_id: LoginId, state: S) -> None:
        self.login_id, self.state = login_id, state
        self.is_closed = False
        self._changed = asyncio.Event()

    def notify(self, state: S) -> None:
        """Wake the stream if the state changed."""
        if state != self.state:
            self.state = state
            self._changed.set()

    def close(self) -> None:
        """End the stream."""
        self.is_closed = True
        self._changed.set()

    async def change(self, timeout_s: float) -> bool:
        """Wait for a change; False on timeout."""
        try:
            await asyncio.wait_for(self._changed.wait(), timeout_s)
        except TimeoutError:
            return False
        self._changed.clear()
        return True


class LoginWatch(Generic[S]):
    """Queries the states of all subscribed logins. Used in one event loop.

    Args:
        fetch: returns the states of logins, by one query; a missing one is left out.
        interval_s: between queries without change notifications.
        capacity: maximum number of subscriptions.
        lasts_s: how long a state may last before it changes by time alone.
    """

    def __init__(
        self,
        fetch: Callable[[Sequence[LoginId]], Mapping[LoginId, S]],
        *,
        interval_s: float,
        capacity: int,
        lasts_s: Callable[[S], float] = lambda _state: math.inf,
    ) -> None:
        self._fetch, self._lasts_s = fetch, lasts_s
        self._interval_s, self._capacity = interval_s, capacity
        self._subscriptions: dict[LoginId, Subscription[S]] = {}
        self._task: asyncio.Task[None] | None = None
        self._names: dict[str, LoginId] = {}
        self._notified: set[LoginId] = set()
        self._woken = asyncio.Event()
        self._is_notified = False
        self._is_over = False

    def end(self) -> None:
        """End all streams and accept no more: the process stops, others serve them."""
        self._is_over = True
        self._close_all()

    def subscribe(self, login_id: LoginId, state: S) -> Subscription[S] | None:
        """Return a subscription, ending the login's older one; None at full capacity."""
        older = self._subscriptions.get(login_id)
        is_full = older is None and len(self._subscriptions) >= self._capacity
        if is_full or self._is_over:
            return None
        if older is not None:
            older.close()
        subscription = self._subscriptions[login_id] = Subscription(login_id, state)
        name = notification_key(login_id)
        self._names[name] = login_id
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())
        elif self._is_notified:
            self.notify(name)  # it may have changed before the subscription
        return subscription

    def unsubscribe(self, subscription: Subscription[S]) -> None:
        """Remove the subscription."""
        login_id = subscription.login_id
        if self._subscriptions.get(login_id) is subscription:
            del self._subscriptions[login_id]
            del self._names[notification_key(login_id)]

    def notify(self, name: str) -> None:
        """Query a changed login, if it is subscribed. In the event loop."""
        if name in self._names:
            self._notified.add(self._names[name])
            self._woken.set()

    def set_active(self, *, active: bool) -> None:
        """Set whether notifications cover all changes; query everything once. In the loop."""
        self._is_notified = active
        self._notified.update(self._subscriptions)
        self._woken.set()

    async def _watch(self) -> None:
        try:
            due = list(self._subscriptions)
            while self._subscriptions:
                for login_id, state in (await run_in_threadpool(self._fetch, due)).items():
                    if login_id in self._subscriptions:
                        self._subscriptions[login_id].notify(state)
                due = await self._due()
        except DatabaseUnavailable:
            LOGGER.warning("could not query the waiting logins: their pages connect again")
        finally:
            self._close_all()  # on any error: a process that reaches the database may answer

    def _close_all(self) -> None:
        for subscription in self._subscriptions.values():
            subscription.close()

    async def _due(self) -> list[LoginId]:
        """Wait; return the changed logins, or all of them on timeout."""
        try:
            await asyncio.wait_for(self._woken.wait(), self._pause_s())
        except TimeoutError:
            return list(self._subscriptions)
        self._woken.clear()
        notified, self._notified = self._notified, set()
        return [login_id for login_id in notified if login_id in self._subscriptions]

    def _pause_s(self) -> float:
        """Return the time until all logins are queried again."""
        if not self._is_notified:
            return self._interval_s
        states = (each.state for each in self._subscriptions.values())
        lasts_s = min(map(self._lasts_s, states), default=0.0)
        return min(NOTIFIED_INTERVAL_S, max(self._interval_s, lasts_s))
