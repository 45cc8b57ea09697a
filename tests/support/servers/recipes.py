"""The proxies of ``mobile_api/deploy``, as their files configure them but on loopback."""

import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.support.servers.certificates import make_certificate
from tests.support.servers.program import listening_program

DEPLOY: Final = Path(__file__).parents[3] / "mobile_api" / "deploy"

SITE: Final = "id.example.com"
"""The host that the recipes say to replace."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A proxy: how its file becomes one for loopback, and how it is started.

    Attributes:
        text: from a folder, the proxy's port, the gallery's, those of more providers, and
            that of the second process with a gallery.
    """

    program: str
    text: Callable[..., str]
    command: tuple[str, ...]


def _nginx(folder: Path, port: int, upstream: int, *providers: int, second: int) -> str:
    text = (DEPLOY / "nginx.conf").read_text()
    text = re.sub(r"server \{\s+listen 80;.*?\n\}\n", "", text, flags=re.DOTALL)
    text = re.sub(r"\n\s+listen \[::\]:443 [^\n]+", "", text)
    for name in ("fullchain", "privkey"):
        text = text.replace(f"/etc/ssl/thenar/{name}.pem", str(folder / "loopback.pem"))
    text = text.replace("443 ssl", f"127.0.0.1:{port} ssl").replace(SITE, "localhost")
    named = " ".join(f"server 127.0.0.1:{each};" for each in providers or [upstream])
    text = text.replace("server 127.0.0.1:8080;", named, 1)
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{upstream}")
    text = text.replace("127.0.0.1:8081", f"127.0.0.1:{second}")
    text = text.replace("/var/log/nginx/thenar.log", str(folder / "access.log"))
    bodies = "\n".join(
        f"{kind}_temp_path {folder / kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return (
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{\n{bodies}\n{text}\n}}\n"
    )


def _caddy(folder: Path, port: int, upstream: int, *providers: int, second: int) -> str:
    text = (DEPLOY / "Caddyfile").read_text()
    certificate = f"{folder}/loopback.pem"
    site = f"https://localhost:{port} {{\n\ttls {certificate} {certificate}\n\tbind 127.0.0.1"
    text = text.replace(f"\n{SITE} {{", f"\n{site}")
    named = " ".join(f"127.0.0.1:{each}" for each in providers or [upstream])
    text = text.replace("{$THENAR:127.0.0.1:8080}", named)
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{upstream}")
    text = text.replace("127.0.0.1:8081", f"127.0.0.1:{second}")
    text = text.replace("\tlog {", f"\tlog {{\n\t\toutput file {folder}/access.log")
    own = "\n{\n\tadmin off\n\tauto_https disable_redirects\n"
    assert text.count("\n{\n") == 1, "the recipe's own options"
    return text.replace("\n{\n", own)


RECIPES: Final = {
    "nginx": Recipe("/usr/sbin/nginx", _nginx, ("-c",)),
    "caddy": Recipe("/usr/bin/caddy", _caddy, ("run", "--adapter", "caddyfile", "--config")),
}


@contextmanager
def proxied(
    name: str,
    folder: Path,
    port: int,
    *upstreams: int,
    second: int | None = None,
    changed: Callable[[str], str] = lambda text: text,
) -> Iterator[ssl.SSLContext]:
    """Start the proxy of a recipe; give the context of a client that trusts it.

    Args:
        name: of the recipe.
        folder: for its files and logs.
        port: where it listens.
        upstreams: ports of the gallery and of more providers.
        second: port of the second process with a gallery; by default that of the first.
        changed: changes the recipe.
    """
    recipe = RECIPES[name]
    if not Path(recipe.program).exists():
        pytest.skip(f"{name} is not installed: see tests/system_packages.py")
    _, trust = make_certificate(folder, "localhost")
    file = folder / "proxy.conf"
    text = recipe.text(folder, port, *upstreams, second=second or upstreams[0])
    file.write_text(changed(text))
    command = [recipe.program, *recipe.command, str(file)]
    with listening_program(command, port, folder / "proxy.log"):
        yield trust
