"""The forms in which results are printed."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
