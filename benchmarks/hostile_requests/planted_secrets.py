"""Secrets that were given or sent, and the places they leaked to.

Searches for every secret plain, as hexadecimal, as base64, and as the bytes it encodes; two
pieces of each, to find truncated ones.
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
"""Bytes of a piece: at least 96 random bits in any encoding."""

SECRET_FIELDS: Final = frozenset(
    {
        "access_token", "client_secret", "deletion_code", "id_token", "palm_proof",
        "refresh_token", "registration_access_token", "request_uri",
    }
)  # fmt: skip
"""Members of JSON responses that are secrets."""

_COOKIE: Final = re.compile(r"thenar-[A-Za-z0-9_.-]+=([^;]{16,})")


@dataclass(frozen=True, slots=True)
class Leak:
    """A secret in a place where it must not be."""

    kind: str
    place: str


@dataclass(slots=True)
class PlantedSecrets:
    """Collects secrets from all threads and searches for them."""

    _pieces: dict[bytes, str] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock)
    count: int = 0

    def add(self, kind: str, secret: str | bytes) -> None:
        """Add a secret."""
        text = secret.rpartition(":")[2] if isinstance(secret, str) else secret  # of a URN
        raw = text.encode("utf-8", "replace") if isinstance(text, str) else text
        pieces = {piece for form in _encodings(kind, raw) for piece in _pieces(form)}
        with self._lock:
            self.count += 1
            self._pieces.update(dict.fromkeys(pieces, kind))

    def collect(self, answer: Response) -> None:
        """Add every secret of a response: tokens, codes, cookies."""
        for value in answer.header("set-cookie"):
            for secret in _COOKIE.findall(value):
                self.add("cookie", secret)
        for place in answer.header("location"):
            for code in parse_qs(urlsplit(place).query).get("code", []):
                self.add("code", code)
        for name, secret in _members(answer.body):
            self.add(name, secret)

    def search(self, data: bytes, place: str) -> list[Leak]:
        """Return the kinds of secret in these bytes."""
        pieces = self._pieces
        here = {data[at : at + PIECE] for at in range(len(data) - PIECE + 1)}
        return [
            Leak(kind, place)
            for kind in sorted({pieces[each] for each in here & pieces.keys()})
        ]

    def search_file(self, path: Path) -> list[Leak]:
        """Return the kinds of secret in a file, read in parts."""
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
    if raw.startswith(b"eyJ"):
        # The header of a JWT is no secret: search for its claims and its signature.
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
    for at in (0, len(form) // 2):
        if len(piece := form[at : at + PIECE]) == PIECE:
            yield piece
