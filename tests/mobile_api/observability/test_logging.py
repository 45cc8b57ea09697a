"""What must not reach a log cannot."""

import ast
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.testclient import TestClient

from mobile_api.observability.access_log import AccessLog
from mobile_api.observability.logging import (
    OWN_LOGGERS,
    REQUEST,
    ErrorTrace,
    ErrorType,
    LineFormatter,
    LogFields,
    SafeWord,
)
from mobile_api.types import LogFormat
from tests.mobile_api.observability.test_health import _app

SECRET = "vu-3b1f7a52-0000-4000-8000-5ec2e75ec2e7"


class Colour(StrEnum):
    """Any enumeration."""

    RED = "red"


def faulty() -> BaseException:
    """A fault that quotes what was sent, as many do."""
    try:
        raise OSError(2, SECRET)
    except OSError as fault:
        try:
            raise ValueError(SECRET) from fault
        except ValueError as again:
            return again


def line(
    message: object,
    *arguments: object,
    name: str = "thenar.any",
    form: LogFormat = LogFormat.TEXT,
    fault: BaseException | None = None,
    **more: object,
) -> str:
    """Return what is written of one record."""
    info: tuple[type[BaseException], BaseException, TracebackType | None] | None = None
    if fault is not None:
        info = (type(fault), fault, fault.__traceback__)
    record = logging.LogRecord(name, 30, "/x/some.py", 7, message, arguments, info)
    record.__dict__.update(more)
    return LineFormatter(form).format(record)


@pytest.mark.parametrize("form", list(LogFormat))
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("a %s", SECRET), "a …"),
        (("a %s", SECRET.encode()), "a …"),
        (("a %s", [SECRET]), "a …"),
        (("a %s", {"x": SECRET}), "a …"),
        (("a %d", SECRET), "a %d"),
        (("a %(b)s", {"b": SECRET}), "a …"),
        (("a %s", ValueError(SECRET)), "a …"),
        (("a %s", type("T", (), {})), "a T"),
        (("a %s and %d", Colour.RED, 3), "a red and 3"),
        (("a %s", ErrorType(ValueError(SECRET))), "a ValueError"),
        (("a %s", SafeWord("biometric_database")), "a biometric_database"),
        (("a %s", SafeWord(SECRET)), "a …"),
        (("a %.1f", 1.25), "a 1.2"),
    ],
)
def test_what_is_put_into_a_message_is_shown_by_its_type(
    form: LogFormat, arguments: tuple[Any, ...], shown: str
) -> None:
    """A string may be anything; a number, a class or a member of an enumeration may not."""
    written = line(*arguments, form=form)

    assert SECRET not in written
    if form is LogFormat.JSON:
        assert json.loads(written)["message"] == shown
    else:
        assert written.endswith(f"thenar.any: {shown}")


def test_a_fault_is_shown_without_its_words() -> None:
    """By its classes, with the number of the system's error, and by its places."""
    fault = faulty()
    written = json.loads(line("it failed", fault=fault, form=LogFormat.JSON))

    kinds = "builtins.ValueError from builtins.FileNotFoundError[2]"
    assert written["fault"].startswith(f"{kinds} at faulty:")
    assert SECRET not in json.dumps(written) + line(fault) + str(ErrorTrace(fault))


@pytest.mark.parametrize("name", ["sqlalchemy.engine", "asyncio", "py.warnings", "faiss"])
def test_words_of_libraries_are_hidden(name: str) -> None:
    """They are made of whatever the library had in its hands."""
    written = line(f"never retrieved: {SECRET}", name=name)

    assert SECRET not in written
    assert "… (some:7)" in written


def test_fields_are_typed_and_nothing_else_of_a_record_is_written() -> None:
    """``extra`` may hold anything."""
    fields = LogFields(status=200, colour=Colour.RED, name=SECRET)  # type: ignore[arg-type]
    written = json.loads(
        line("answered", form=LogFormat.JSON, fields=fields, other=SECRET, color_message=SECRET)
    )

    assert {name: written[name] for name in ("status", "colour", "name")} == {
        "status": 200,
        "colour": "red",
        "name": "…",
    }
    assert "other" not in written
    assert SECRET not in json.dumps(written)
    assert SECRET not in line("answered", fields={"name": SECRET})


def _constant_calls() -> Iterator[tuple[str, bool]]:
    """Give every log call of the packages, and whether its message is a constant."""
    words = {"debug", "info", "warning", "error", "exception", "critical", "log"}
    for package in OWN_LOGGERS[1:]:
        for file in Path(package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                    continue
                called = ast.unparse(node.func.value)
                is_logger = called in {"_log", "LOGGER"} or "getLogger" in called
                if is_logger and node.func.attr in words:
                    first = node.args[0] if node.args else None
                    is_constant = isinstance(first, ast.Constant)
                    yield f"{file}:{node.lineno}", is_constant


def test_every_message_of_ours_is_a_constant() -> None:
    """Words that were put together beforehand would pass as ours."""
    calls = dict(_constant_calls())

    assert len(calls) > 10
    assert [place for place, is_constant in calls.items() if not is_constant] == []


def test_an_answer_is_one_line_by_its_route(caplog: pytest.LogCaptureFixture) -> None:
    """An address may hold a name or a secret, and what attackers try is not repeated."""
    caplog.set_level(logging.INFO, "thenar.access")
    client = TestClient(AccessLog(_app(), lambda: "abcd"))
    headers = {"X-Request-Id": SECRET, "traceparent": SECRET}
    answer = client.get(f"/things/{SECRET}?q={SECRET}", headers=headers)
    client.request("BREW", f"/{SECRET}")
    first, second = (
        json.loads(LineFormatter(LogFormat.JSON).format(each)) for each in caplog.records
    )

    assert answer.headers["x-request-id"] == "abcd"
    assert (first["method"], first["route"], first["status"]) == ("GET", "/things/{name}", 200)
    assert (second["method"], second["route"], second["status"]) == ("other", "none", 404)
    assert first["milliseconds"] >= 0
    assert SECRET not in json.dumps([first, second])
    assert REQUEST.get() is None


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (JSONResponse({"error": "use_dpop_nonce", "message": SECRET}, 401), "use_dpop_nonce"),
        (
            RedirectResponse(f"https://a.example/?s={SECRET}&error=login_required"),
            "login_required",
        ),
        (HTMLResponse(SECRET, 400, {"X-Error": "error_malformed"}), "error_malformed"),
        (JSONResponse({"error": SECRET}, 400), "…"),
        (JSONResponse([SECRET], 400), None),
        (RedirectResponse("https://a.example/?code=1"), None),
    ],
)
def test_a_refused_request_names_its_error(
    caplog: pytest.LogCaptureFixture, answer: Response, error: str | None
) -> None:
    """As the answer does: by a word, never by a sentence or by what was sent."""
    caplog.set_level(logging.INFO, "thenar.access")
    TestClient(AccessLog(answer), follow_redirects=False).get("/")
    [logged] = (json.loads(LineFormatter(LogFormat.JSON).format(it)) for it in caplog.records)

    assert logged.get("error") == error
    assert SECRET not in json.dumps(logged)


PROGRAM = f"""
import logging, threading, warnings
from mobile_api.observability import logging as logs
from mobile_api.types import LogFormat
logs.configure(LogFormat.JSON)
warnings.warn("{SECRET}")
class Late:
    def __del__(self):
        raise ValueError("{SECRET}")
def fail():
    raise ValueError("{SECRET}")
Late()
thread = threading.Thread(target=fail)
thread.start()
thread.join()
fail()
"""


def test_what_python_itself_writes_is_no_exception() -> None:
    """Warnings quote sources, and the last words of a fault quote data."""
    done = subprocess.run(  # noqa: S603 -- our own program
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    lines = [json.loads(each) for each in done.stderr.splitlines()]

    assert done.returncode == 1
    assert SECRET not in done.stdout + done.stderr
    assert [each["message"].split(" ")[0] for each in lines] == ["…", *["uncaught"] * 3]
