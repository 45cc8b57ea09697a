"""Pending challenges: one of each phone, taken out whenever it is looked at.

Who takes a challenge out is alone with it, and puts it back to let it go on. So of two requests
one finds it, and after a failure or a crash nothing of it is left.
"""

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Final

from sqlalchemy import delete, insert, or_

from engine.types import Hand
from mobile_api.storage import schema as t
from mobile_api.storage.stores.devices import devices_of
from mobile_api.types import ChallengeId, DeviceId, Purpose
from oidc.plumbing.store import Store, these
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class PendingChallenge:
    """A challenge of a phone, or one that it has just passed; times aware, UTC.

    Attributes:
        attempt_id: the login or enrolment that it is for; empty: none.
        hand: the only one that may be shown; None: either.
        step: the one that is awaited, from 1; 0: all were passed.
        charge: the attempt that it was charged as.
        sealed: what was seen so far, encrypted.
    """

    device_id: DeviceId
    challenge_id: ChallengeId
    purpose: Purpose
    attempt_id: str
    hand: Hand | None
    step: int
    sent_at: datetime
    expires_at: datetime
    charge: int
    sealed: bytes = field(repr=False)


_EXPIRES_AT: Final = t.challenges.c.expires_at


class Challenges(Store):
    """Pending challenges."""

    def put_back(self, pending: PendingChallenge) -> bool:
        """Save a challenge; False if the phone has begun another one meanwhile."""
        return self._insert_if_absent(t.challenges, **asdict(pending))

    def discard(self, device_id: DeviceId) -> None:
        """Delete the challenge of a phone."""
        self._delete(t.challenges, device_id=device_id)

    def take(
        self, device_id: DeviceId, challenge_id: ChallengeId, step: int, now: datetime
    ) -> PendingChallenge | None:
        """Delete and return this phone's challenge if this step is awaited, else None.

        Atomic: of two concurrent calls, one gets it.
        """
        its = {"device_id": device_id, "challenge_id": challenge_id, "step": step}
        taken = delete(t.challenges).where(*these(t.challenges, now < _EXPIRES_AT, **its))
        return self._one(PendingChallenge, taken.returning(t.challenges))

    def has(self, device_id: DeviceId, challenge_id: ChallengeId, now: datetime) -> bool:
        """Return whether this phone has this challenge, at whichever step."""
        its = {"device_id": device_id, "challenge_id": challenge_id}
        return self._has(t.challenges, now < _EXPIRES_AT, **its)

    def discard_of(self, account: AccountId) -> None:
        """Delete the challenges of an account's phones."""
        self._delete(t.challenges, t.challenges.c.device_id.in_(devices_of(account)))


class MotionCodes(Store):
    """An operator's codes for people who cannot do every motion, as digests."""

    def add(self, digest: bytes, expires_at: datetime) -> None:
        """Save a code."""
        values = {"digest": digest, "expires_at": expires_at}
        self._connection.execute(insert(t.motion_codes).values(values))

    def use(self, digest: bytes, device_id: DeviceId, now: datetime) -> bool:
        """Bind a code to the first device that uses it; False if it is no code of this one."""
        its = t.motion_codes.c.device_id
        usable = t.motion_codes.c.expires_at > now, or_(its.is_(None), its == device_id)
        bound = {"device_id": device_id}
        return self._update(t.motion_codes, bound, *usable, digest=digest) == 1
