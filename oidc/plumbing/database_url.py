"""Addresses of databases in settings, which are read where no database library is installed."""

import re
from typing import Annotated, Final

from pydantic import AfterValidator

_SQLITE: Final = re.compile(r"sqlite:///[^:?][^?]*")
_POSTGRESQL: Final = re.compile(r"postgres(?:ql)?(?:\+psycopg)?://(.+)")


def _checked_url(url: str) -> str:
    if found := _POSTGRESQL.fullmatch(url):
        return f"postgresql+psycopg://{found[1]}"
    if not _SQLITE.fullmatch(url):
        raise ValueError("must be sqlite:/// and a path, or postgresql://USER@HOST/NAME")
    return url


DatabaseUrl = Annotated[str, AfterValidator(_checked_url)]
"""Of a setting. May hold a password: never printed."""
