"""Prints why a command failed, in one sentence instead of a stack trace."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.markup import escape

from engine.errors import EngineError
from mobile_api.errors import MobileError
from oidc.errors import OidcError, describe_faults


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
        return describe_faults(fault)
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
