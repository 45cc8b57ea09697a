"""Prints why a command failed, in one sentence instead of a stack trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import typer
from rich.console import Console
from rich.markup import escape

from engine.errors import EngineError
from mobile_api.errors import MobileError
from oidc.errors import OidcError

if TYPE_CHECKING:
    from pydantic import ValidationError

PREFIXES: Final = {
    "OidcSettings": "THENAR_OIDC_",
    "MobileSettings": "THENAR_MOBILE_",
    "EngineSettings": "THENAR_ENGINE_",
}
"""Prefixes of environment variables by settings class."""


@contextmanager
def report_errors(console: Console) -> Iterator[None]:
    """Print an error in one sentence and exit with status 1."""
    try:
        yield
    except BrokenPipeError:
        raise  # `thenar config show | head`: click ends without a message
    except reported_errors() as fault:
        console.print(f"[red]{escape(error_message(fault))}[/red]", soft_wrap=True)
        raise typer.Exit(1) from None


def reported_errors() -> tuple[type[Exception], ...]:
    """Return the errors that a command reports. Called for an error only."""
    from pydantic import ValidationError  # noqa: PLC0415 - help needs no settings
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - and no database

    return MobileError, OidcError, EngineError, ValidationError, SQLAlchemyError, OSError


def error_message(fault: Exception) -> str:
    """Return what is wrong, never the value of a setting."""
    from pydantic import ValidationError  # noqa: PLC0415 - help needs no settings
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - and no database

    if isinstance(fault, ValidationError):
        return _settings_errors(fault)
    if isinstance(fault, OSError):
        return f"{fault.filename or 'input or output'}: {fault.strerror}"
    if isinstance(fault, SQLAlchemyError):
        return f"the database cannot be used: {_reason(fault)}"
    return str(fault)


def _reason(fault: Exception) -> str:
    """Return why no connection was made; of a statement the class alone: it may quote data."""
    from sqlalchemy.exc import DBAPIError  # noqa: PLC0415 - help needs no database

    if isinstance(fault, DBAPIError) and fault.statement is None and fault.orig:
        return " ".join(str(fault.orig).split())
    return type(fault).__name__


def _settings_errors(fault: ValidationError) -> str:
    """Return one line for each invalid setting: its variable, not its value."""
    prefix = PREFIXES.get(fault.title, fault.title + ".")
    return "\n".join(
        f"{prefix}{'_'.join(map(str, error['loc'])).upper()}: {error['msg']}"
        for error in fault.errors(include_input=False, include_url=False)
    )
