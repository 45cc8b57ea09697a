"""Log lines of typed fields: nothing that was sent can reach the log.

Arguments are shown only if their type cannot contain a secret: numbers, enum members, classes,
functions and ``SafeValue``. Everything else becomes ``…``. Library messages are shown only if
known to be constant; exceptions by class and place, without their message.
"""

import json
import logging
import re
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from enum import Enum, StrEnum
from types import FunctionType
from typing import Final

from mobile_api.types import LogFormat

REDACTED: Final = "…"
"""Replaces a value that must not be shown."""

OWN_LOGGERS: Final = ("thenar", "oidc", "mobile_api", "engine")
"""Loggers of this project: their messages are constant, which a test checks."""

KNOWN_MESSAGES: Final = frozenset(
    {
        "Started server process [%d]",
        "Uvicorn running on %s://%s:%d (Press CTRL+C to quit)",
        "Finished server process [%d]",
        "Waiting for application startup.",
        "Application startup complete.",
        "Application startup failed. Exiting.",
        "Waiting for application shutdown.",
        "Application shutdown complete.",
        "Application shutdown failed. Exiting.",
        "Shutting down",
        "Waiting for connections to close. (CTRL+C to force quit)",
        "Waiting for background tasks to complete. (CTRL+C to force quit)",
        "Cancel %s running task(s), timeout graceful shutdown exceeded",
        "Exception in ASGI application\n",
        "Exception in 'lifespan' protocol\n",
        "ASGI callable returned without completing response.",
        "ASGI callable returned without starting response.",
        "Invalid HTTP request received.",
        "Exceeded concurrency limit.",
    }
)
"""Messages of uvicorn that contain nothing of a request."""

_WORD: Final = re.compile(r"[a-z][a-z_]{0,31}")
_FRAMES: Final = 6
_TIME: Final = "%Y-%m-%dT%H:%M:%S"

FieldValue = int | float | str
"""Types a field may have."""


class SafeValue:
    """A value that may be shown: its text comes from the source code."""


class ErrorType(SafeValue):
    """The class of an exception, without its message."""

    def __init__(self, fault: BaseException) -> None:
        self._kind = type(fault)

    def __str__(self) -> str:
        return self._kind.__qualname__


class SafeWord(SafeValue):
    """A short lower-case word, such as the name of a check."""

    def __init__(self, word: str) -> None:
        self._word = word if _WORD.fullmatch(word) else REDACTED

    def __str__(self) -> str:
        return self._word


class ErrorTrace(SafeValue):
    """An exception's classes, causes, functions and lines, without messages."""

    def __init__(self, fault: BaseException) -> None:
        frames = traceback.extract_tb(fault.__traceback__)[-_FRAMES:]
        where = " > ".join(f"{frame.name}:{frame.lineno}" for frame in frames)
        self._text = f"{' from '.join(_cause_chain(fault))} at {where}"

    def __str__(self) -> str:
        return self._text


def _cause_chain(fault: BaseException | None) -> Iterator[str]:
    while fault is not None:
        code = f"[{fault.errno}]" if isinstance(fault, OSError) and fault.errno else ""
        yield f"{type(fault).__module__}.{type(fault).__qualname__}{code}"
        fault = fault.__cause__


class LogFields:
    """Fields of a log line beside its message.

    Attributes:
        shown: the safe values by name.
    """

    def __init__(self, **shown: int | float | StrEnum | SafeValue) -> None:
        self.shown = {name: _field_value(value) for name, value in shown.items()}


REQUEST: Final[ContextVar[str | None]] = ContextVar("thenar_request", default=None)
"""Id of the current request, made here."""


class LineFormatter(logging.Formatter):
    """Formats log lines, as text or JSON."""

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__()
        self._log_format = log_format
        self._second, self._second_text = -1, ""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        fields = dict(self._fields(record))
        if self._log_format is LogFormat.JSON:
            return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        head = " ".join(str(fields.pop(name)) for name in ("time", "level", "logger"))
        message = fields.pop("message")
        rest = "".join(f" {name}={value}" for name, value in fields.items())
        return f"{head}: {message}{rest}"

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802 - logging's name
        """Return a record's time: UTC, with milliseconds."""
        second = int(record.created)
        if second != self._second:  # most lines share theirs with the one before
            self._second, self._second_text = second, time.strftime(_TIME, time.gmtime(second))
        return f"{self._second_text}.{int(1000 * (record.created - second)):03}Z"

    def _fields(self, record: logging.LogRecord) -> Iterator[tuple[str, FieldValue]]:
        yield "time", self.formatTime(record)
        yield "level", record.levelname
        yield "logger", record.name
        yield "message", _message(record)
        more = getattr(record, "fields", None)
        if isinstance(more, LogFields):
            yield from more.shown.items()
        fault = _fault(record)
        if fault is not None:
            yield "fault", str(ErrorTrace(fault))
        if (request := REQUEST.get()) is not None:
            yield "request", request


def _message(record: logging.LogRecord) -> str:
    words = record.msg
    is_ours = record.name.split(".")[0] in OWN_LOGGERS
    if not isinstance(words, str) or not (is_ours or words in KNOWN_MESSAGES):
        return f"{REDACTED} ({record.module}:{record.lineno})"
    if not record.args:
        return words.strip()
    try:
        return words % _arguments(record.args)
    except (TypeError, ValueError):
        return words


class _NamedArguments(dict[object, FieldValue]):
    """Arguments by name, shown one by one: a key may be a secret, too."""

    def __str__(self) -> str:
        return REDACTED

    __repr__ = __str__


def _arguments(given: object) -> tuple[object, ...] | _NamedArguments:
    if isinstance(given, Mapping):
        return _NamedArguments({name: _field_value(value) for name, value in given.items()})
    return (
        tuple(map(_field_value, given)) if isinstance(given, tuple) else (_field_value(given),)
    )


def _field_value(value: object) -> FieldValue:
    """Return a value as it may be shown."""
    if isinstance(value, Enum):
        return (
            _field_value(value.value) if not isinstance(value.value, str) else str(value.value)
        )
    if isinstance(value, int | float):
        return value
    if isinstance(value, SafeValue):
        return str(value)
    return value.__qualname__ if isinstance(value, type | FunctionType) else REDACTED


def _fault(record: logging.LogRecord) -> BaseException | None:
    given = record.exc_info[1] if record.exc_info else record.msg
    return given if isinstance(given, BaseException) else None


def configure(log_format: LogFormat) -> None:
    """Make this process log only such lines, to standard error.

    Covers warnings, lifecycle messages, and uncaught exceptions.
    """
    # No line shows them, and each record would look them up.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter(log_format))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("thenar").setLevel(logging.INFO)
    logging.captureWarnings(capture=True)
    sys.excepthook = lambda _kind, fault, _trace: _log_uncaught(fault)
    threading.excepthook = lambda given: _log_uncaught(given.exc_value)
    sys.unraisablehook = lambda given: _log_uncaught(given.exc_value)


def _log_uncaught(fault: BaseException | None) -> None:
    logging.getLogger("thenar").error("uncaught exception", exc_info=fault)
