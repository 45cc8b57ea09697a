"""The budget of questions to the gallery, the same for sign-ins, palm proofs and enrolments.

Each palm that is compared with enrolled ones is one question. It is charged before the
comparison, to its phone, its networks and everybody together, and given back if it has a match.
So neither concurrency nor a crash bypasses a limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.errors import EngineError, PresentationAttack
from mobile_api.errors import ServiceBusy, TooManyAttempts
from mobile_api.limits import attempts
from mobile_api.limits.attempts import AttemptLimits
from mobile_api.storage.database import Database
from mobile_api.storage.transaction import Transaction
from mobile_api.types import Clock, Device, Question


@dataclass(frozen=True, slots=True)
class Charge:
    """A question that was charged and may be asked."""

    storage: Database
    attempt: int
    question: Question

    def require(self, question: Question) -> None:
        """Raise TooManyAttempts if only a lesser question was left."""
        if self.question is not question:
            raise TooManyAttempts("too many palms were presented within 24 hours")

    def clear(self) -> None:
        """Give it back: it had a match, or was not asked."""
        with self.storage.writing() as transaction:
            transaction.attempts.clear(self.attempt)


@dataclass(frozen=True, slots=True)
class GalleryBudget:
    """Charges questions to the gallery."""

    storage: Database
    clock: Clock
    limits: AttemptLimits

    def charge_sample(self, transaction: Transaction, device: Device) -> int:
        """Charge an enrolment's sample and return its attempt. Raises TooManyAttempts."""
        return self._charge(transaction, device, Question.ANYBODY)

    def require_room(self, transaction: Transaction, device: Device) -> None:
        """Raise TooManyAttempts if a sample could not be charged; costs no processing."""
        attempts.require_room(transaction, device, self.clock(), self.limits, Question.ANYBODY)

    def charge(self, device: Device, *, own_account: bool) -> Charge:
        """Charge a palm now; it counts until it is cleared. As ``charged``."""
        return self._ask(device, own_account=own_account and device.is_trusted)

    @contextmanager
    def charged(self, device: Device, *, own_account: bool) -> Iterator[Charge]:
        """Charge a palm before it is read.

        Without room for a question about anybody, a trusted phone may still ask about its
        owner if ``own_account``. A picture without a template gives the question back, unless
        it shows an artefact.

        Raises TooManyAttempts.
        """
        charge = self.charge(device, own_account=own_account)
        try:
            yield charge
        except PresentationAttack:
            raise
        except (EngineError, ServiceBusy):
            charge.clear()
            raise

    def _ask(self, device: Device, *, own_account: bool) -> Charge:
        with self.storage.writing() as transaction:
            try:
                attempt = self._charge(transaction, device, Question.ANYBODY)
            except TooManyAttempts:
                if not own_account:
                    raise
                attempt = self._charge(transaction, device, Question.OWNER)
                return Charge(self.storage, attempt, Question.OWNER)
        return Charge(self.storage, attempt, Question.ANYBODY)

    def _charge(self, transaction: Transaction, device: Device, question: Question) -> int:
        return attempts.count(transaction, device, self.clock(), self.limits, question)
