"""The state of a gallery's file: its snapshot, and the gallery that it belongs to.

The head is in the clear, so that a wrong key is not mistaken for damage; the state is encrypted
and bound to it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from engine.errors import DirectoryDamaged, ForeignGallery
from engine.gallery.durability.encryption import GalleryCipher, key_name
from engine.gallery.port import UNKNOWN_POSITION, Position

VERSION: Final = 4
SALT_BYTES: Final = 16
"""Length of a file's random name, from which its key is derived."""


@dataclass(frozen=True, slots=True)
class RowFormat:
    """Format of a gallery's rows; two formats do not mix."""

    extractor: str
    dimension: int
    code_bytes: int


@dataclass(frozen=True, slots=True)
class BlockEntry:
    """One block, the generation that wrote it and its tag: unique to its content."""

    generation: int
    rows: int
    tag: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class State:
    """The content of a gallery's snapshot.

    Attributes:
        generation: of the snapshot; 0: there is none.
        position: the last database change in the blocks.
        blocks: all blocks, in order.
    """

    generation: int = 0
    position: Position = UNKNOWN_POSITION
    blocks: tuple[BlockEntry, ...] = ()


def encode_head(state: State, rows: RowFormat, key: bytes, salt: bytes) -> tuple[bytes, bytes]:
    """Return the head in the clear and the encrypted state."""
    clear = json.dumps({"key": key_name(key), "salt": salt.hex(), "rows": asdict(rows)})
    sequence, change_id = state.position
    blocks = [[entry.generation, entry.rows, entry.tag] for entry in state.blocks]
    content = json.dumps([state.generation, sequence, change_id.hex(), blocks])
    encrypted = GalleryCipher(key, salt).encrypt(content.encode(), clear.encode())
    return clear.encode(), encrypted


def decode_head(
    clear: bytes, encrypted: bytes, rows: RowFormat, key: bytes
) -> tuple[State, bytes]:
    """Return the state and the file's salt.

    Raises:
        ForeignGallery: it is another gallery's.
        DirectoryDamaged: it is damaged.
    """
    try:
        head: Any = json.loads(clear)
        salt = bytes.fromhex(head["salt"])
        named, kind = head["key"], head["rows"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise DirectoryDamaged("the head of the gallery's file is damaged") from fault
    if named != key_name(key) or kind != asdict(rows):
        raise ForeignGallery("the gallery's file is of another key or extractor")
    content = json.loads(GalleryCipher(key, salt).decrypt(encrypted, clear))
    generation, sequence, change_id, blocks = content
    position = Position(sequence, bytes.fromhex(change_id))
    return State(generation, position, tuple(BlockEntry(*each) for each in blocks)), salt
