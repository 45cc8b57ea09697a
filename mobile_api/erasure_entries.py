"""The entries of the list of erasures: chained, authenticated, and each written twice.

An entry is an identifier (16 bytes) and its authenticator (32 bytes): HMAC-SHA-256 of the
chain's digest. The first identifier is the list's own, random; the others stand for accounts:
half a SHA-256 of the list's own and the account, whose 122 random bits cannot be guessed. The
digest covers all identifiers so far, so an entry is true at its place in its list only. The
second copy repairs a damaged one: no other place records who was erased.
"""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from mobile_api.storage.stores.references import ListHead

IDENTIFIER_BYTES: Final = 16
COPY_BYTES: Final = IDENTIFIER_BYTES + 32
ENTRY_BYTES: Final = 2 * COPY_BYTES

_START: Final = hashlib.sha256(b"thenar/erasures/2").digest()


@dataclass(frozen=True, slots=True)
class Entries:
    """The readable part of a list.

    Attributes:
        identifiers: the list's own and its accounts, authenticated, in order.
        digest: the chain's, at the end.
        damage_count: entries of which one copy is damaged.
        rest: what follows them and is no entry of this list.
    """

    identifiers: tuple[UUID, ...]
    digest: bytes
    damage_count: int
    rest: bytes

    @property
    def is_torn(self) -> bool:
        """Return whether the rest is a write that a power cut interrupted.

        It is short, or part of it was never written; an authenticator has no such zeros.
        """
        return len(self.rest) < ENTRY_BYTES or bytes(IDENTIFIER_BYTES) in self.rest


def name_of(own: UUID, account: UUID) -> UUID:
    """Return the identifier of an account on the list with this own identifier."""
    digest = hashlib.sha256(b"thenar erased account" + own.bytes + account.bytes).digest()
    return UUID(bytes=digest[:IDENTIFIER_BYTES])


def read_entries(data: bytes, keys: Sequence[bytes]) -> Entries:
    """Read entries, each authenticated by any of the keys, up to the first that is not."""
    identifiers: list[UUID] = []
    digest, damage_count, offset = _START, 0, 0
    while offset < len(data):
        entry = data[offset : offset + ENTRY_BYTES]
        copies = entry[:COPY_BYTES], entry[COPY_BYTES:]
        found = next((each for each in copies if _is_true(each, digest, keys)), None)
        if found is None:
            break
        identifiers.append(UUID(bytes=found[:IDENTIFIER_BYTES]))
        digest = next_digest(digest, identifiers[-1])
        damage_count += copies[0] != copies[1]
        offset += ENTRY_BYTES
    return Entries(tuple(identifiers), digest, damage_count, data[offset:])


def write_entries(identifiers: Iterable[UUID], digest: bytes, key: bytes) -> bytes:
    """Return entries that continue a chain from this digest."""
    data = b""
    for identifier in identifiers:
        digest = next_digest(digest, identifier)
        data += 2 * (identifier.bytes + hmac.digest(key, digest, "sha256"))
    return data


def head_of(identifiers: Sequence[UUID]) -> ListHead:
    """Return how many accounts a list has, and the digest of its chain."""
    digest = _START
    for identifier in identifiers:
        digest = next_digest(digest, identifier)
    return ListHead(len(identifiers) - 1, digest)


def next_digest(digest: bytes, identifier: UUID) -> bytes:
    """Return the chain's digest after one more identifier."""
    return hashlib.sha256(digest + identifier.bytes).digest()


def _is_true(copy: bytes, digest: bytes, keys: Sequence[bytes]) -> bool:
    if len(copy) != COPY_BYTES:
        return False
    identifier, authenticator = copy[:IDENTIFIER_BYTES], copy[IDENTIFIER_BYTES:]
    after = next_digest(digest, UUID(bytes=identifier))
    return any(
        hmac.compare_digest(hmac.digest(key, after, "sha256"), authenticator) for key in keys
    )
