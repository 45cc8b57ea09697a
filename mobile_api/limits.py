"""Limits: bytes of request bodies in memory, and palms per day, phone and network.

A body that needs memory takes it from the one that has been arriving for the longest time: an
honest phone sends its picture in a second, and who holds bytes back loses the place first.

Each palm that is compared with enrolled ones is one question. It is charged before the
comparison, to its phone, its networks and everybody together. A match clears it: it then counts
among the day's palms, not among those without a match. Without a template it is given back:
only its phone is charged. So neither concurrency nor a crash bypasses a limit.

Every palm counts, matches too: an attacker can approach a template step by step by learning
whether each try matches. Device keys cost nothing, so networks and all devices together are
limited as well.
"""

import hmac
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Final

import anyio
from starlette.requests import ClientDisconnect, Request

from engine.errors import EngineError, PresentationAttack
from mobile_api.errors import (
    BodyIncomplete,
    BodyTooLarge,
    ChallengeGone,
    ServiceBusy,
    TemplateNotAccepted,
    TemplateUnmatched,
    TooManyAttempts,
)
from mobile_api.messages import base64url_encode
from mobile_api.storage.database import Database, Transaction
from mobile_api.storage.stores.attempts import Question, Requester
from mobile_api.types import AttemptLimits, Clock, Device, DeviceId, Networks
from oidc.plumbing.client_address import client_networks


@dataclass(eq=False, slots=True)
class _Body:
    """A body that arrives, or is being used."""

    chunks: list[bytes] = field(default_factory=list)
    size_bytes: int = 0
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class BodyBudget:
    """Reads bodies while all of them fit. Used in one event loop."""

    def __init__(self, most_bytes: int) -> None:
        self._free_bytes = most_bytes
        self._arriving: dict[_Body, None] = {}

    @asynccontextmanager
    async def read(self, request: Request, limit_bytes: int) -> AsyncIterator[bytes]:
        """Read a body; its memory is reserved until the end of the context.

        Raises BodyTooLarge, BodyIncomplete, or ServiceBusy if others needed its memory.
        """
        body = _Body()
        self._arriving[body] = None
        try:
            with body.scope:
                await self._fill(body, request, limit_bytes)
            if body.scope.cancelled_caught:
                raise ServiceBusy("the body came too slowly, and others needed its memory")
            self._arriving.pop(body)
            whole, body.chunks = b"".join(body.chunks), []
            yield whole
        finally:
            self._arriving.pop(body, None)
            self._give_back(body)

    async def _fill(self, body: _Body, request: Request, limit_bytes: int) -> None:
        too_large = BodyTooLarge(f"the body has over {limit_bytes} bytes")
        length = request.headers.get("content-length", "0")
        if not length.isdecimal():
            raise BodyIncomplete("the body's length is no number")
        if int(length) > limit_bytes:
            raise too_large
        try:
            async for chunk in request.stream():
                if body.size_bytes + len(chunk) > limit_bytes:
                    raise too_large
                self._take(body, len(chunk))
                body.chunks.append(chunk)
        except ClientDisconnect:
            raise BodyIncomplete("the body ended too soon: send it again") from None

    def _take(self, body: _Body, size_bytes: int) -> None:
        """Reserve memory for a chunk, from the oldest of the others if there is none."""
        while size_bytes > self._free_bytes:
            oldest = next((each for each in self._arriving if each is not body), None)
            if oldest is None:
                raise ServiceBusy("too many bodies are being read: try again in a moment")
            self._arriving.pop(oldest)
            oldest.scope.cancel()
            self._give_back(oldest)
        self._free_bytes -= size_bytes
        body.size_bytes += size_bytes

    def _give_back(self, body: _Body) -> None:
        self._free_bytes += body.size_bytes
        body.size_bytes, body.chunks = 0, []


@dataclass(frozen=True, slots=True)
class NetworkDigests:
    """Makes keyed digests of networks and phones.

    A copied database must not show where people were, nor which phone an attempt was of.
    """

    key: Callable[[], bytes]

    def of(self, address: str | None) -> Networks | None:
        """Return the networks of an address, None for loopback or without an address."""
        networks = client_networks(address)
        return None if networks is None else Networks(*map(self._digest, networks))

    def of_device(self, device_id: DeviceId) -> str:
        """Return the digest of a phone."""
        return self._digest(f"phone {device_id}")

    def _digest(self, name: str) -> str:
        """Return the keyed SHA-256 of a name, base64url without padding."""
        return base64url_encode(hmac.digest(self.key(), name.encode("ascii"), "sha256"))


DAY: Final = timedelta(days=1)

_TOO_MANY: Final = "too many palms were presented today"


def start_of_day(now: datetime) -> datetime:
    """Return when a day began, in UTC. Attempts keep nothing finer; M60."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True, slots=True)
class Charge:
    """A question that was charged and may be asked.

    Attributes:
        device: as it was then.
        own_account: the claimed account is the device's own, or both are None.
    """

    database: Database
    attempt: int
    question: Question
    device: Device
    own_account: bool

    def require(self, question: Question) -> None:
        """Raise TooManyAttempts if another question was charged."""
        if self.question is not question:
            raise TooManyAttempts(_TOO_MANY)

    def clear(self) -> None:
        """Count it as a match."""
        with self.database.write() as transaction:
            transaction.attempts.clear(self.attempt)

    def give_back(self) -> None:
        """Charge the phone alone: nothing was compared."""
        with self.database.write() as transaction:
            transaction.attempts.give_back(self.attempt)


@dataclass(frozen=True, slots=True)
class GalleryBudget:
    """Charges questions to the gallery."""

    database: Database
    digests: NetworkDigests
    clock: Clock
    limits: AttemptLimits

    def charge_sample(self, transaction: Transaction, device: Device) -> int:
        """Charge an enrolment's sample and return its attempt. Raises TooManyAttempts."""
        transaction.devices.hold(device.device_id)
        return self._charge(transaction, device, Question.WHOSE_PALM)

    def require_allowed(self, transaction: Transaction, device: Device) -> None:
        """Raise TooManyAttempts if a sample could not be charged; costs no processing."""
        now = self.clock()
        if not transaction.attempts.is_allowed(
            self._requester(device, now), start_of_day(now), self.limits, Question.WHOSE_PALM
        ):
            raise _too_many(now)

    def charge_attempt(self, transaction: Transaction, device: Device) -> None:
        """Count an attempt that asks the gallery nothing. Raises TooManyAttempts."""
        transaction.devices.hold(device.device_id)
        self._charge(transaction, device, Question.NONE)

    def charge_draw(self, device: Device) -> int:
        """Charge a challenge to its phone alone, if the limits allow the palm to come.

        Raises TooManyAttempts.
        """
        with self.database.write() as transaction:
            transaction.devices.hold(device.device_id)
            if not device.is_trusted and device.station is None:
                self.require_allowed(transaction, device)
            return self._charge(transaction, device, Question.OWN_PALM)

    def charge_shown(self, device: Device, attempt: int) -> None:
        """Charge a challenge that was drawn as a palm, now that it shows a hand.

        Raises TooManyAttempts.
        """
        if device.station is not None:
            return
        with self.database.write() as transaction:
            now = self.clock()
            requester, day = self._requester(device, now), start_of_day(now)
            is_allowed = transaction.attempts.ask(attempt, requester, day, self.limits)
            if not is_allowed and not device.is_trusted:
                raise _too_many(now)

    def charge(self, device: Device, *, own_account: bool) -> Charge:
        """Charge a palm now; it counts until it is cleared. As ``charged``."""
        question = Question.WHOSE_PALM
        with self.database.write() as transaction:
            held = transaction.devices.hold(device.device_id)
            try:
                attempt = self._charge(transaction, device, question)
            except TooManyAttempts:
                if not (own_account and device.is_trusted):
                    raise
                question = Question.OWN_PALM
                attempt = self._charge(transaction, device, question)
        current = replace(held, networks=device.networks, station=device.station)
        return Charge(self.database, attempt, question, current, own_account)

    @contextmanager
    def charged(self, device: Device, *, own_account: bool) -> Iterator[Charge]:
        """Charge a palm before it is read.

        At the limit of questions about all accounts, a trusted phone may still ask about its
        owner if ``own_account``. What gives no template gives the question back, unless it
        shows an artefact or was compared with other accounts.

        Raises TooManyAttempts.
        """
        charge = self.charge(device, own_account=own_account)
        try:
            yield charge
        except PresentationAttack:
            raise
        except (EngineError, ServiceBusy, ChallengeGone, TemplateNotAccepted) as fault:
            is_own = own_account and device.is_trusted
            if is_own or not isinstance(fault, TemplateUnmatched):
                charge.give_back()
            raise

    def _charge(self, transaction: Transaction, device: Device, question: Question) -> int:
        """Count an attempt of a held phone and return its number. Raises TooManyAttempts."""
        now = self.clock()
        if device.station is not None:
            question = Question.OWN_PALM
        requester, limits = self._requester(device, now), self._limits(device)
        attempt = transaction.attempts.add(requester, start_of_day(now), limits, question)
        if attempt is None:
            raise _too_many(now)
        return attempt

    def _limits(self, device: Device) -> AttemptLimits:
        """Return a phone's limits; a station has those of a network, to itself."""
        if device.station is None:
            return self.limits
        return replace(
            self.limits,
            submissions=self.limits.network_submissions,
            failed_identifications=self.limits.network_failed,
        )

    def count_beside(
        self, transaction: Transaction, device: Device, others: Sequence[DeviceId]
    ) -> int:
        """Return how many other phones showed palms in this one's network lately."""
        if device.networks is None:
            return 0
        digests = [self.digests.of_device(each) for each in others]
        return transaction.attempts.requesters_in(device.networks.narrow, digests)

    def _requester(self, device: Device, now: datetime) -> Requester:
        digest = self.digests.of_device(device.device_id)
        return Requester(digest, device.networks, device.is_known(now - DAY))


def _too_many(now: datetime) -> TooManyAttempts:
    tomorrow = start_of_day(now) + DAY
    return TooManyAttempts(_TOO_MANY, ceil((tomorrow - now).total_seconds()))
