"""Access tokens whose signature is known to be good: made or verified by this process before.

A token is asked about soon after it was made, and often again; its signature never changes.
Whatever can change is judged each time: whether the time is right, whether its key is still
trusted, and whether its grant lives.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from oidc.protocol.identifiers import digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping

KEPT: Final = 4096
"""Tokens that one process remembers: about 6 MB."""


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """What a token says.

    Attributes:
        kid: of the key that signed it.
        typ: of its header.
        claims: as they were signed.
    """

    kid: str
    typ: str
    claims: Mapping[str, Any] = field(repr=False)


class VerifiedTokenCache:
    """The latest tokens, by their digests. Safe in several threads.

    Args:
        most: how many are remembered.
    """

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[bytes, VerifiedToken] = OrderedDict()

    def find(self, token: str) -> VerifiedToken | None:
        """Return what a token says; None if it is not remembered."""
        return self._kept.get(digest_of(token))

    def add(self, token: str, known: VerifiedToken) -> None:
        """Remember a token, and forget the oldest where there are too many."""
        with self._lock:
            self._kept[digest_of(token)] = known
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
