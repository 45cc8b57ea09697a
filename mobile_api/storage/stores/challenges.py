"""Pending challenges: one of each phone, taken out whenever it is looked at.

Who takes a challenge out is alone with it, and puts it back to let it go on. So of two requests
one finds it, and after a failure or a crash nothing of it is left.
"""

from dataclasses import asdict
from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, delete, insert, or_, select, update

from engine.types import Hand
from mobile_api.storage import schema as t
from mobile_api.types import ChallengeId, DeviceId, PendingChallenge, Purpose
from oidc.plumbing.store import Store
from oidc.types import AccountId

_OF_DEVICE: Final = t.challenges.c.device_id == bindparam("its_device")
_DISCARD: Final = delete(t.challenges).where(_OF_DEVICE)
_ITS_OWN: Final = (
    _OF_DEVICE,
    t.challenges.c.challenge_id == bindparam("its_id"),
    t.challenges.c.expires_at > bindparam("now"),
)
_TAKE: Final = (
    delete(t.challenges)
    .where(*_ITS_OWN, t.challenges.c.step == bindparam("awaited"))
    .returning(*t.challenges.c)
)
_HAS: Final = select(t.challenges.c.step).where(*_ITS_OWN)
_DISCARD_OF: Final = delete(t.challenges).where(
    t.challenges.c.device_id.in_(
        select(t.devices.c.device_id).where(t.devices.c.account == bindparam("whose"))
    )
)


class Challenges(Store):
    """Pending challenges."""

    def put_back(self, pending: PendingChallenge) -> bool:
        """Save a challenge; False if the phone has begun another one meanwhile."""
        hand = None if pending.hand is None else pending.hand.value
        values = asdict(pending) | {"purpose": pending.purpose.value, "hand": hand}
        ciphertext = values.pop("ciphertext")
        return self._insert_if_absent(t.challenges, **values, sealed=ciphertext)

    def discard(self, device_id: DeviceId) -> None:
        """Delete the challenge of a phone."""
        self._connection.execute(_DISCARD, {"its_device": device_id})

    def take(
        self, device_id: DeviceId, challenge_id: ChallengeId, step: int, now: datetime
    ) -> PendingChallenge | None:
        """Delete and return this phone's challenge if this step is awaited, else None.

        Atomic: of two concurrent calls, one gets it.
        """
        which = {"its_device": device_id, "its_id": challenge_id, "now": now, "awaited": step}
        row = self._connection.execute(_TAKE, which).one_or_none()
        if row is None:
            return None
        return PendingChallenge(
            DeviceId(row.device_id),
            ChallengeId(row.challenge_id),
            Purpose(row.purpose),
            row.attempt_id,
            None if row.hand is None else Hand(row.hand),
            row.step,
            row.sent_at,
            row.expires_at,
            row.charge,
            row.sealed,
        )

    def has(self, device_id: DeviceId, challenge_id: ChallengeId, now: datetime) -> bool:
        """Return whether this phone has this challenge, at whichever step."""
        which = {"its_device": device_id, "its_id": challenge_id, "now": now}
        return self._connection.execute(_HAS, which).first() is not None

    def discard_of(self, account: AccountId) -> None:
        """Delete the challenges of an account's phones."""
        self._connection.execute(_DISCARD_OF, {"whose": account})

    def purge(self, now: datetime) -> None:
        """Delete expired ones."""
        self._connection.execute(delete(t.challenges).where(t.challenges.c.expires_at <= now))


class MotionCodes(Store):
    """An operator's codes for people who cannot do every motion, as digests."""

    def add(self, digest: bytes, expires_at: datetime) -> None:
        """Save a code."""
        values = {"digest": digest, "expires_at": expires_at}
        self._connection.execute(insert(t.motion_codes).values(values))

    def use(self, digest: bytes, device_id: DeviceId, now: datetime) -> bool:
        """Bind a code to the first device that uses it; False if it is no code of this one."""
        codes = t.motion_codes.c
        usable = (
            codes.digest == digest,
            codes.expires_at > now,
            or_(codes.device_id.is_(None), codes.device_id == device_id),
        )
        bound = update(t.motion_codes).where(*usable).values(device_id=device_id)
        return self._connection.execute(bound).rowcount == 1

    def purge(self, now: datetime) -> None:
        """Delete expired ones."""
        codes = t.motion_codes
        self._connection.execute(delete(codes).where(codes.c.expires_at <= now))
