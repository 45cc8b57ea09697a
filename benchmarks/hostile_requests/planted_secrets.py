"""Secrets that were planted, and where they turned up that they should not.

What the service prints and what its databases hold is searched for every secret that was ever
given or sent: as it is written, as hexadecimal, as base64 of it, and as the bytes it encodes.
Two pieces of each are looked for, so that a secret that was cut is found, too.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.hostile_requests.raw_http import Response

PIECE: Final = 16
"""Bytes of a piece: 96 random bits at least, however they are written."""

SECRET_FIELDS: Final = frozenset(
    {
        "access_token", "client_secret", "deletion_code", "id_token", "palm_proof",
        "refresh_token", "registration_access_token", "request_uri",
    }
)  # fmt: skip
"""Members of JSON answers that are secrets."""

_COOKIE: Final = re.compile(r"thenar-[A-Za-z0-9_.-]+=([^;]{16,})")


@dataclass(frozen=True, slots=True)
class Leak:
    """A secret where it must not be.

    Attributes:
        kind: which kind of secret.
        place: in what.
    """

    kind: str
    place: str


@dataclass(slots=True)
class PlantedSecrets:
    """Collects secrets from all threads, and finds them."""

    _pieces: dict[bytes, str] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock)
    count: int = 0

    def add(self, kind: str, secret: str | bytes) -> None:
        """Remember a secret."""
        text = secret.rpartition(":")[2] if isinstance(secret, str) else secret  # of a URN
        raw = text.encode("utf-8", "replace") if isinstance(text, str) else text
        pieces = {piece for form in _encodings(kind, raw) for piece in _pieces(form)}
        with self._lock:
            self.count += 1
            self._pieces.update(dict.fromkeys(pieces, kind))

    def collect(self, answer: Response) -> None:
        """Remember every secret that an answer gives: tokens, codes, cookies."""
        for value in answer.header("set-cookie"):
            for secret in _COOKIE.findall(value):
                self.add("cookie", secret)
        for place in answer.header("location"):
            for code in parse_qs(urlsplit(place).query).get("code", []):
                self.add("code", code)
        for name, secret in _members(answer.body):
            self.add(name, secret)

    def search(self, data: bytes, place: str) -> list[Leak]:
        """Return every kind of secret that is in these bytes."""
        pieces = self._pieces
        here = {data[at : at + PIECE] for at in range(len(data) - PIECE + 1)}
        return [
            Leak(kind, place)
            for kind in sorted({pieces[each] for each in here & pieces.keys()})
        ]

    def search_file(self, path: Path) -> list[Leak]:
        """Return every kind of secret that is in a file, a part at a time."""
        found: dict[Leak, None] = {}
        with path.open("rb") as file:
            rest = b""
            while part := file.read(1 << 20):
                found.update(dict.fromkeys(self.search(rest + part, path.name)))
                rest = part[-PIECE + 1 :]
        return list(found)


def _members(body: bytes) -> Iterator[tuple[str, str]]:
    try:
        document = json.loads(body)
    except ValueError:
        return
    if isinstance(document, dict):
        for name in SECRET_FIELDS & document.keys():
            if isinstance(document[name], str):
                yield name, document[name]


def _encodings(kind: str, raw: bytes) -> Iterator[bytes]:
    """Return how a secret may be written."""
    if raw.startswith(b"eyJ"):
        # Everybody knows how such a token begins: its claims and its signature are meant.
        for part in raw.split(b".")[1:]:
            yield part[-3 * PIECE :]
        return
    yield raw
    yield raw.hex().encode()
    yield base64.b64encode(raw).rstrip(b"=")
    if kind != "template" and len(raw) >= 2 * PIECE:
        try:
            inner = base64.urlsafe_b64decode(raw + b"=" * (-len(raw) % 4))
        except (ValueError, binascii.Error):
            return
        yield inner
        yield inner.hex().encode()


def _pieces(form: bytes) -> Iterator[bytes]:
    """Return the beginning and the middle."""
    for at in (0, len(form) // 2):
        if len(piece := form[at : at + PIECE]) == PIECE:
            yield piece
