"""Looks for secrets in what a process left behind, however they were written."""

import base64
import json
from collections.abc import Iterator, Mapping
from urllib.parse import quote, quote_plus, unquote

PIECE = 24
"""Bytes of a long secret that are looked for: no chance makes so many alike."""


def found_in(text: str, secrets: Mapping[str, str | bytes]) -> list[str]:
    """Return which secrets a text holds, raw or encoded, and how."""
    found, text = [], f"{text}\n{unquote(text, 'latin-1')}"
    for name, secret in secrets.items():
        raw = secret.encode() if isinstance(secret, str) else secret
        for piece in _pieces(raw):
            found += [f"{name} ({how})" for how, form in _forms(piece) if form in text]
    return sorted(set(found))


def _pieces(raw: bytes) -> Iterator[bytes]:
    """Give all of a short secret, and several pieces of a long one."""
    if len(raw) <= 2 * PIECE:
        yield raw
        return
    for start in (0, len(raw) // 3, len(raw) // 2, len(raw) - PIECE):
        yield raw[start : start + PIECE]


def _forms(raw: bytes) -> Iterator[tuple[str, str]]:
    yield "hex", raw.hex()
    yield "HEX", raw.hex().upper()
    yield "hex with colons", raw.hex(":")
    yield "percent", "".join(f"%{byte:02X}" for byte in raw)
    yield "repr", repr(raw)[2:-1]
    yield "list", ", ".join(map(str, raw))
    for shift in range(3):  # of a longer text that is encoded as a whole
        # What hangs together with its neighbours is left out.
        coded = base64.b64encode(bytes(shift) + raw)[4 if shift else 0 :].decode()
        core = coded.rstrip("=")[:-2]
        yield "base64", core
        yield "base64url", core.translate(str.maketrans("+/", "-_"))
    text = raw.decode("latin-1")
    yield "raw", text
    yield "url", quote(raw, safe="")
    yield "form", quote_plus(raw)
    yield "json", json.dumps(text)[1:-1]
