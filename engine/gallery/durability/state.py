"""Which state a gallery's file is in, and whose file it is.

The head is in the clear, so that a wrong key is not mistaken for damage; the state is encrypted
and bound to it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from engine.errors import DirectoryDamaged, ForeignKey, ForeignModel, ForeignVersion
from engine.gallery.durability.encryption import GalleryCipher, key_name

VERSION: Final = 3
SALT_BYTES: Final = 16
"""Length of a file's random name, from which its key is derived."""


@dataclass(frozen=True, slots=True)
class RowFormat:
    """Format of a gallery's rows; two formats do not mix. ``bits``: per dimension, packed."""

    extractor: str
    dimension: int
    code_bytes: int
    bits: int


@dataclass(frozen=True, slots=True)
class BlockEntry:
    """One block, the generation that wrote it and its tag: unique to its content."""

    generation: int
    rows: int
    tag: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class State:
    """What the blocks hold.

    Attributes:
        generation: of the last snapshot; 0: there is none. Steps continue from it.
        sequence: of the last database change in the blocks; −1: none.
        mark: names that change, hex; empty: none.
        packed: whether rows are packed, by slot, with codes in a table of their own.
        blocks: all blocks, in order.
    """

    generation: int = 0
    sequence: int = -1
    mark: str = ""
    packed: bool = False
    blocks: tuple[BlockEntry, ...] = ()


def encode_head(state: State, model: RowFormat, key: bytes, salt: bytes) -> tuple[bytes, bytes]:
    """Return the head in the clear and the encrypted state."""
    clear = json.dumps({"key": key_name(key), "salt": salt.hex(), "model": asdict(model)})
    content = json.dumps(asdict(state)).encode()
    return clear.encode(), GalleryCipher(key, salt).encrypt(content, clear.encode())


def decode_head(
    clear: bytes, sealed: bytes, model: RowFormat, key: bytes
) -> tuple[State, bytes]:
    """Return the state and the file's salt.

    Raises:
        ForeignKey, ForeignModel: it is another gallery's.
        DirectoryDamaged: it is damaged.
    """
    try:
        head: Any = json.loads(clear)
        salt = bytes.fromhex(head["salt"])
        named, kind = head["key"], head["model"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise DirectoryDamaged("the head of the gallery's file is damaged") from fault
    if named != key_name(key):
        raise ForeignKey("the gallery's file was written under another key")
    if kind != asdict(model):
        raise ForeignModel("the gallery's file is of another extractor or packing")
    body = json.loads(GalleryCipher(key, salt).decrypt(sealed, clear))
    blocks = tuple(BlockEntry(**entry) for entry in body.pop("blocks"))
    return State(**body, blocks=blocks), salt


def require_version(version: int) -> None:
    """Refuse a file of another version. Raises ``ForeignVersion``."""
    if version != VERSION:
        raise ForeignVersion("the gallery's file is of a version that is not known")
