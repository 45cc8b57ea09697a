"""The manifest: the one file that names the others. Replaced atomically, by a rename.

Little-endian:

====== ====== ==============================================================================
offset bytes  what
====== ====== ==============================================================================
0      8      ``THNRGALL`` (ASCII)
8      4      version: 1
12     4      H, bytes of the head
16     H      the head, JSON: name of the key and of the directory, extractor, sizes
16+H   …      the body, JSON, encrypted; bound to everything before it
…      4      CRC-32 of all bytes before it
====== ====== ==============================================================================

The head is in the clear, so that a wrong key is not mistaken for damage.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from engine.errors import (
    DirectoryDamaged,
    ForeignFile,
    ForeignKey,
    ForeignModel,
    ForeignVersion,
)
from engine.gallery.durability.encryption import GalleryCipher, key_name

MAGIC: Final = b"THNRGALL"
VERSION: Final = 1
_HEAD: Final = struct.Struct("<8sII")
_CHECK: Final = struct.Struct("<I")
DIRECTORY_BYTES: Final = 16
"""Length of a directory's random name."""


@dataclass(frozen=True, slots=True)
class RowFormat:
    """Format of a gallery's rows; two formats do not mix. ``bits``: per dimension, packed."""

    extractor: str
    dimension: int
    code_bytes: int
    bits: int


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """One file of rows, its generation and its tag: the last bytes, unique to its content."""

    generation: int
    rows: int
    tag: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Which state the files hold.

    Attributes:
        generation: the first journal that continues from here.
        record: number of that journal's first record.
        sequence: of the last database change in the rows.
        mark: names that change, hex; empty: none.
        packed: whether rows are packed, by slot, with codes in a separate file.
        segments: the files of rows, in order.
        codes: the file of codes; empty if the rows hold them.
    """

    generation: int
    record: int
    sequence: int
    mark: str
    packed: bool
    segments: tuple[SegmentEntry, ...]
    codes: str


def encode_manifest(
    manifest: Manifest, model: RowFormat, key: bytes, directory: bytes
) -> bytes:
    """Encode a manifest."""
    head = json.dumps(
        {"key": key_name(key), "directory": directory.hex(), "model": asdict(model)}
    ).encode()
    start = _HEAD.pack(MAGIC, VERSION, len(head)) + head
    body = start + GalleryCipher(key, directory).encrypt(
        json.dumps(asdict(manifest)).encode(), start
    )
    return body + _CHECK.pack(zlib.crc32(body))


def decode_manifest(data: bytes, model: RowFormat, key: bytes) -> tuple[Manifest, bytes]:
    """Decode a manifest; returns it and the directory's random name.

    Raises:
        ForeignFile, ForeignVersion, ForeignKey, ForeignModel: it is another gallery's.
        DirectoryDamaged: it is damaged.
    """
    head, start, ciphertext = _cut(data)
    if head.get("key") != key_name(key):
        raise ForeignKey("the gallery's directory was written under another key")
    if head.get("model") != asdict(model):
        raise ForeignModel("the gallery's directory is of another extractor or packing")
    try:
        directory = bytes.fromhex(str(head.get("directory")))
    except ValueError as fault:
        raise DirectoryDamaged("the manifest of the gallery's directory is damaged") from fault
    body = json.loads(GalleryCipher(key, directory).decrypt(ciphertext, start))
    entries = tuple(SegmentEntry(**entry) for entry in body.pop("segments"))
    return Manifest(**body, segments=entries), directory


def _cut(data: bytes) -> tuple[dict[str, Any], bytes, bytes]:
    if len(data) < _HEAD.size or data[: len(MAGIC)] != MAGIC:
        raise ForeignFile("the manifest is none of a gallery")
    _, version, head_bytes = _HEAD.unpack_from(data)
    if version != VERSION:
        raise ForeignVersion("the gallery's directory is of a version that is not known")
    body, check = data[: -_CHECK.size], data[-_CHECK.size :]
    if check != _CHECK.pack(zlib.crc32(body)):
        raise DirectoryDamaged("the manifest of the gallery's directory is damaged")
    end = _HEAD.size + head_bytes
    try:
        head = json.loads(body[_HEAD.size : end])
    except (ValueError, RecursionError) as fault:
        raise DirectoryDamaged("the manifest of the gallery's directory is damaged") from fault
    if not isinstance(head, dict):
        raise DirectoryDamaged("the manifest of the gallery's directory is damaged")
    return head, body[:end], body[end:]
