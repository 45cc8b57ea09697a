"""The list of earlier versions: ``erased`` in a gallery's directory, not authenticated.

``THNRERA1``, then pairs of account and CRC-32, each pair twice.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Final
from uuid import UUID

from mobile_api.errors import ErasureListFault
from oidc.types import AccountId

NAME: Final = "erased"
_MAGIC: Final = b"THNRERA1"
_COPY: Final = struct.Struct("<16sI")


def read_former(path: Path) -> list[AccountId]:
    """Return the accounts on a list of an earlier version.

    Raises ErasureListFault: the file is none, or cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise ErasureListFault(f"the list of erasures {path} cannot be read") from fault
    if data and not _MAGIC.startswith(data[: len(_MAGIC)]):
        raise ErasureListFault(f"the list of erasures {path} is none: put its copy back")
    copies = data[len(_MAGIC) : len(data) - (len(data) - len(_MAGIC)) % _COPY.size]
    accounts = [
        AccountId(UUID(bytes=name))
        for name, check in _COPY.iter_unpack(copies)
        if check == zlib.crc32(name)
    ]
    return list(dict.fromkeys(accounts))
