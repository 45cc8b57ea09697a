"""Caches access tokens whose signature this process made or verified.

A signature never changes. Time, key and grant are checked each time.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from oidc.protocol.identifiers import digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping

CAPACITY: Final = 4096
"""Tokens cached by one process: about 6 MB."""


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """The content of a token, as signed."""

    kid: str
    typ: str
    claims: Mapping[str, Any] = field(repr=False)


class VerifiedTokenCache:
    """The latest ``most`` tokens, by digest. Safe in several threads."""

    def __init__(self, most: int = CAPACITY) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[bytes, VerifiedToken] = OrderedDict()

    def find(self, token: str) -> VerifiedToken | None:
        """Return the token's content, or None."""
        return self._kept.get(digest_of(token))

    def add(self, token: str, known: VerifiedToken) -> None:
        """Add a token; drop the oldest above the capacity."""
        with self._lock:
            self._kept[digest_of(token)] = known
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
