"""Alert rules and dashboard of ``mobile_api/deploy/monitoring``."""

import shutil
import subprocess
from pathlib import Path

import pytest

MONITORING = Path(__file__).parents[2] / "mobile_api" / "deploy" / "monitoring"


@pytest.mark.parametrize(
    "arguments", [("check", "config", "prometheus.yml"), ("test", "rules", "alerts_test.yml")]
)
def test_prometheus_takes_the_rules(arguments: tuple[str, ...]) -> None:
    """Each can be read, and what it is for sets it off."""
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed: apt-get install prometheus")
    done = subprocess.run(  # noqa: S603 - our own files
        ["promtool", *arguments],  # noqa: S607
        cwd=MONITORING,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
