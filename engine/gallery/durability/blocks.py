"""Blocks of rows in a gallery's file, each encrypted and bound to its place and generation."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from engine.errors import DirectoryDamaged
from engine.gallery.durability.encryption import TAG_BYTES, GalleryCipher
from engine.gallery.durability.state import BlockEntry
from engine.gallery.rows.columns import Columns, Shape

if TYPE_CHECKING:
    import sqlite3

    from engine.gallery.durability.gallery_file import GalleryFile


def write_block(
    db: sqlite3.Connection,
    cipher: GalleryCipher,
    number: int,
    generation: int,
    block: Columns,
    shape: Shape,
) -> BlockEntry:
    """Write a block, within a transaction; the state that names the entry makes it count."""
    data = _associated_data(number, generation, len(block), shape)
    sealed = cipher.encrypt(block.to_bytes(), data)
    db.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?)", (number, sealed))
    return BlockEntry(generation, len(block), sealed[-TAG_BYTES:].hex())


def read_block(
    file: GalleryFile, number: int, entry: BlockEntry, shape: Shape
) -> Columns | None:
    """Return a block; None if it is damaged."""
    data = _associated_data(number, entry.generation, entry.rows, shape)
    try:
        ((sealed,),) = file.read("SELECT sealed FROM blocks WHERE number = ?", (number,))
        if sealed[-TAG_BYTES:].hex() != entry.tag:
            return None
        return Columns.from_bytes(file.cipher.decrypt(sealed, data), entry.rows, shape)
    except (DirectoryDamaged, ValueError, TypeError):
        return None


def empty_block(rows: int, shape: Shape) -> Columns:
    """Return empty rows in place of damaged ones."""
    return Columns.from_bytes(bytes(rows * shape.row_bytes), rows, shape)


def _associated_data(number: int, generation: int, rows: int, shape: Shape) -> bytes:
    sizes = shape.dimension, shape.packed_bytes, shape.code_bytes
    return b"rows" + struct.pack("<IIIIII", number, generation, rows, *sizes)
