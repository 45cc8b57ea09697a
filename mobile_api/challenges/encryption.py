"""Encrypts what a challenge keeps between its steps, and what it gives when it is passed.

AES-256-GCM, bound to the phone, the challenge, its step and what it is for: a row that was
copied or changed does not open.
"""

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from engine.presentation_attack.challenge import Challenge
from engine.presentation_attack.session import Observation
from engine.template_codec import decode_template, encode_template
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.stores.challenges import PendingChallenge
from mobile_api.types import CapturedPalm

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """A challenge and what was seen of it.

    Attributes:
        answered_s: for each step, from sending it to receiving its frames.
        owner_alone: whether the palm counts for the phone's own account only.
    """

    challenge: Challenge = field(repr=False)
    steps: tuple[tuple[Observation, ...], ...] = field(repr=False, default=())
    answered_s: tuple[float, ...] = ()
    owner_alone: bool = False


class ChallengeEncryption:
    """Encrypts and decrypts progress and palms of pending challenges."""

    def __init__(self, cipher: TemplateCipher) -> None:
        self._cipher = cipher

    def with_progress(self, pending: PendingChallenge, progress: Progress) -> PendingChallenge:
        """Return the challenge with this progress."""
        steps = [[_text(one.to_bytes()) for one in step] for step in progress.steps]
        content = {
            "challenge": progress.challenge.to_json(),
            "steps": steps,
            "answered_s": progress.answered_s,
            "owner_alone": progress.owner_alone,
        }
        return self._encrypted(pending, content)

    def progress(self, pending: PendingChallenge) -> Progress:
        """Return the progress of a challenge. Raises DecryptionFailed."""
        content = self._decrypted(pending)
        steps = [_all(Observation.from_bytes, step) for step in content["steps"]]
        challenge = Challenge.from_json(content["challenge"])
        answered_s, owner_alone = tuple(content["answered_s"]), content["owner_alone"]
        return Progress(challenge, tuple(steps), answered_s, owner_alone)

    def with_palms(
        self, pending: PendingChallenge, palms: Sequence[CapturedPalm]
    ) -> PendingChallenge:
        """Return the challenge with the palms that it gives."""
        content = [
            (
                [_text(encode_template(t, as_probe=True)) for t in palm.templates],
                palm.owner_alone,
            )
            for palm in palms
        ]
        return self._encrypted(pending, content)

    def palms(self, pending: PendingChallenge) -> list[CapturedPalm]:
        """Return the palms of a challenge. Raises DecryptionFailed."""
        return [
            replace(CapturedPalm.of(_all(decode_template, templates)), owner_alone=owner_alone)
            for templates, owner_alone in self._decrypted(pending)
        ]

    def _encrypted(self, pending: PendingChallenge, content: object) -> PendingChallenge:
        ciphertext = self._cipher.encrypt(
            json.dumps(content).encode(),
            self._cipher.keys.primary,
            owner=_owner(pending),
            record=pending.challenge_id,
        )
        return replace(pending, sealed=ciphertext)

    def _decrypted(self, pending: PendingChallenge) -> Any:  # noqa: ANN401 - our own JSON
        decrypted = self._cipher.decrypt(
            pending.sealed, owner=_owner(pending), record=pending.challenge_id
        )
        return json.loads(decrypted.content)


def _owner(pending: PendingChallenge) -> str:
    return " ".join(
        (
            "challenge",
            pending.device_id,
            pending.purpose,
            pending.attempt_id or "-",
            pending.hand or "-",
            str(pending.step),
        )
    )


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _all(read: Callable[[bytes], T], texts: Sequence[str]) -> tuple[T, ...]:
    return tuple(read(base64.b64decode(text)) for text in texts)
