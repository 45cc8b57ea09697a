"""Two builds of the phone's page, and a server that changes from one to the other."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from mobile_api.api.page import BUILT, SOURCE, load_page, page_routes
from mobile_api.messages import API_PREFIX
from tests.support.servers.app_server import listening
from tests.support.service.process import LOOPBACK, free_port


def changed_build(folder: Path, module: str, before: str, after: str) -> Path:
    """Build the page with a module changed; return the built folder.

    Networks and other files that stay the same are taken from the build there is.
    """
    source, built = folder / "source", folder / "built"
    ignored = shutil.ignore_patterns("node_modules", "generated")
    shutil.copytree(SOURCE, source, ignore=ignored)
    for name in ("node_modules", "generated"):
        (source / name).symlink_to(SOURCE / name)
    shutil.copytree(BUILT, built)
    text = (source / module).read_text("utf-8")
    assert text.count(before) == 1
    (source / module).write_text(text.replace(before, after), "utf-8")
    command = [shutil.which("node") or "node", "build.mjs", str(built)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)  # noqa: S603 -- our own
    return built


class Deployment:
    """Serves one build of the page, until another one is deployed."""

    def __init__(self) -> None:
        self._app: ASGIApp = FastAPI()

    def deploy(self, built: Path) -> None:
        """Serve another build from now on; files of the one before are gone."""
        app = FastAPI()
        page = load_page(accept_templates=True, extractor="", built=built)
        app.include_router(page_routes(page, is_secure=False))
        app.get(f"{API_PREFIX}/earlier-key")(lambda: {"known": False})
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._app(scope, receive, send)


@contextmanager
def serving(deployment: Deployment) -> Iterator[str]:
    """Serve on loopback; give the page's address."""
    port = free_port()
    config = uvicorn.Config(
        deployment, host=LOOPBACK, port=port, log_level="warning", lifespan="off"
    )
    with listening(uvicorn.Server(config)):
        yield f"http://{LOOPBACK}:{port}/m"
