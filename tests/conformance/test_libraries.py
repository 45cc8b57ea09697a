"""What we use of libraries beside their manuals, so that another release may lack it."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest
from fastapi.dependencies.models import Dependant
from sqlalchemy.pool import QueuePool
from sqlalchemy.sql.compiler import SQLCompiler
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize(
    ("library", "used", "members"),
    [
        ("fastapi", Dependant, "call dependencies path_params"),
        ("sqlalchemy", SQLCompiler, "binds"),
        ("sqlalchemy", QueuePool, "_max_overflow _do_get _do_return_conn"),
        (
            "uvicorn",
            HttpToolsProtocol,
            "connection_made data_received on_body on_headers_complete on_message_complete"
            " on_response_complete shutdown cycle expect_100_continue flow headers loop parser"
            " timeout_keep_alive_task transport",
        ),
    ],
)
def test_it_is_there_and_its_library_is_bounded(library: str, used: type, members: str) -> None:
    """To raise a bound: read the changes, mend the modules that import it, then this list."""
    service = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]["service"]
    source = inspect.getsource(used)

    assert [name for name in members.split() if not re.search(rf"\b{name}\b", source)] == []
    assert any(re.match(rf"{library}\b.*,<", each) for each in service)
