"""The wheel with the service's lock file, in another environment and folder."""

import subprocess
import sys
import venv
from pathlib import Path

import httpx2
import pytest

from engine import __version__
from mobile_api.api.page import BUILT
from tests.support.servers.demo import running, sign_in
from tests.support.service.headless_browser import Browser
from tests.support.service.process import free_port

pytestmark = [pytest.mark.check("the wheel with the service's lock file")]

ROOT = Path(__file__).parents[2]

PIP = ("--disable-pip-version-check", "--quiet", "--no-deps")

NOT_OF_A_SERVICE = ("benchmarks", "models", "tests", "mypy", "playwright", "pytest", "onnx")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Install as ``mobile_api/deploy/Containerfile`` does; give the interpreter."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "pip", "wheel", *PIP, "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(folder), str(ROOT)], check=True)  # noqa: S603
    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv" / "bin" / "python")
    install = [python, "-m", "pip", "install", *PIP, "--no-compile"]
    lock = ["--require-hashes", "-r", str(ROOT / "requirements-service.lock")]
    subprocess.run([*install, *lock], check=True)  # noqa: S603 -- our own lock file
    (wheel,) = folder.glob("thenar-*.whl")
    subprocess.run([*install, str(wheel)], check=True)  # noqa: S603 -- our own wheel
    return python


def run(python: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the installation, with nothing of this environment."""
    return subprocess.run(  # noqa: S603 -- our own installation
        [python, *words], cwd=folder, env={}, capture_output=True, text=True, check=False
    )


def test_a_person_signs_in_at_an_installed_service(
    python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Service, phone and sample app all come out of the wheel, and so does the built page."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    ports, program = (free_port(), free_port()), [python, "-m", "mobile_api"]
    with (
        running(1, tmp_path / "demo", ports, program=program) as demo,
        Browser(f"{demo.shop}/callback") as browser,
    ):
        signed_in, command = sign_in(demo, "sign-in", browser)
        page = httpx2.get(f"http://127.0.0.1:{ports[0]}/m", timeout=60).text

    assert signed_in.element("subject").text
    assert str(Path(python).parent) in command
    assert ("data-worker" in page) == BUILT.joinpath("index.html").exists()


def test_an_installation_holds_what_a_service_needs_and_no_more(
    python: str, tmp_path: Path
) -> None:
    """Networks are in it; benchmarks, training and what tests need are not."""
    found = f"from importlib.util import find_spec as f; print(*filter(f, {NOT_OF_A_SERVICE}))"

    assert run(python, tmp_path, "-c", found).stdout.strip() == ""
    assert run(python, tmp_path, "-m", "pip", "check").returncode == 0
    assert run(python, tmp_path, "-m", "mobile_api", "engine", "verify").returncode == 0


def test_the_engine_is_imported_by_the_projects_name(python: str, tmp_path: Path) -> None:
    """Typed, with its version; a file that hides the engine is named."""
    use = "from thenar import Engine, EngineSettings, __version__; print(__version__)"
    assert run(python, tmp_path, "-c", use).stdout.strip() == __version__
    assert [*Path(python).parents[1].glob("lib/*/site-packages/thenar/py.typed")]

    tmp_path.joinpath("engine.py").write_text("")
    assert "rename it" in run(python, tmp_path, "-c", use).stderr
