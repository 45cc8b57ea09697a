"""The provider under load: small, but against real processes."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.console import BenchmarkFault
from benchmarks.oidc.providers import missing
from benchmarks.oidc.requests import send
from benchmarks.oidc.run import OPERATIONS
from tests.support.servers.single_response import saying


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (b"HTTP/1.1 503 Away\r\nContent-Length: 2\r\n\r\nno", "status 503"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "without Content-Length"),
        (b"", "closed the connection"),
    ],
)
def test_another_answer_ends_the_measurement(said: bytes, reason: str) -> None:
    """Errors are quick: counted as answers they would flatter."""
    with saying(said) as port, pytest.raises(BenchmarkFault, match=reason):
        asyncio.run(send(port, [lambda _body: b"GET / HTTP/1.1\r\n\r\n"]))


def test_a_small_run_writes_figures_and_a_page(tmp_path: Path) -> None:
    """The whole of it: real processes, every answer checked; PostgreSQL if there."""
    wanted = [name for name in ("sqlite", "postgresql") if not missing(name)]
    only = [word for name in wanted for word in ("--only", name)]
    arguments = ["oidc", "--requests", "20", "--rounds", "1", "--warm-up", "1"]
    done = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path), *only])

    assert done.exit_code == 0, done.output
    content = json.loads((tmp_path / "oidc.json").read_text())
    assert set(content["providers"]) == set(wanted)
    for kinds in content["providers"].values():
        assert all(row["requests"] == 20 and row["per_cpu_s"] > 0 for row in kinds.values())
    assert (tmp_path / "oidc.html").read_text().count("<table>") == len(OPERATIONS)
