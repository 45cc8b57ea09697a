"""Writes the tables of commands, settings, endpoints and errors into the documents.

``python -m tests.documentation`` renews them, ``--check`` fails if one is stale. Both fail if a
document is too long, links or names what does not exist, if a decision is cited that does not
exist (``E63``: the engine's), or if CHANGELOG.md begins with another version than the
program's. A table stands between ``<!-- table: NAME -->`` and ``<!-- end -->`` and comes from
the code alone.
"""

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import SecretStr
from pydantic_core import PydanticUndefined
from pydantic_settings import BaseSettings

from engine import __version__
from engine.settings import EngineSettings
from mobile_api.__main__ import COMMANDS
from mobile_api.api.description import ALWAYS, OF_BODY, errors_of, faults_of, routes
from mobile_api.api.http import claimant, device, signer
from mobile_api.server.error_responses import HTTP_ERRORS, TEXTS, status_of
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import CONNECTIONS
from oidc.client import Setter
from oidc.clients.options import OPTIONS
from oidc.login.issue_code import REASONS, refusal_of
from oidc.settings import OidcSettings
from oidc.web.endpoints.discovery import metadata
from tests.words import texts

ROOT: Final = Path(__file__).resolve().parents[1]
LIMITS: Final = {
    "README.md": 1_000,
    "CHANGELOG.md": 1_500,
    "engine/networks/cards/*.md": 4_000,
    "*/DECISIONS.md": 5_000,
    "*.md": 2_500,
}
"""Most words: the first pattern counts. Of CHANGELOG.md those of the newest release."""

DECISIONS_WORDS: Final = 12_000
"""Most words of all decisions together."""

BLOCK: Final = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    names = list(head)
    lines = [names, ["---"] * len(names), *rows]
    return "".join("| " + " | ".join(cell for cell in line) + " |\n" for line in lines)


def plain(text: str) -> str:
    """Return the first paragraph of a docstring on one line, fit for a cell."""
    first = textwrap.dedent(text).strip().split("\n\n")[0]
    return " ".join(first.split()).replace("``", "`").replace("|", "\\|")


def sentence(text: str) -> str:
    """Return the first sentence of a docstring, without its full stop."""
    return re.split(r"(?<=[a-z`)\]])\.(?:\s|$)", plain(text), maxsplit=1)[0].rstrip(".")


def settings_table(settings: type[BaseSettings]) -> str:
    """Return a row for each setting: name, default, meaning."""
    body = ast.parse(textwrap.dedent(inspect.getsource(settings))).body[0]
    assert isinstance(body, ast.ClassDef)
    meaning = dict(_documented(body.body))
    rows = (
        (f"`{name.upper()}`", _default(field.default), plain(meaning[name]))
        for name, field in settings.model_fields.items()
    )
    return table((f"`{settings.model_config['env_prefix']}…`", "default", "meaning"), rows)


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for line, following in itertools.pairwise(body):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            match following:
                case ast.Expr(ast.Constant(str() as text)):
                    yield line.target.id, text
                case _:
                    pass


def _default(value: object) -> str:
    if value is None or value in ("", PydanticUndefined) or isinstance(value, SecretStr):
        return "–"
    if isinstance(value, Path) and value.is_relative_to(ROOT):
        return f"`{value.relative_to(ROOT)}`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def commands_table() -> str:
    """Return a row for each command or group of commands of ``thenar``."""
    rows = (
        (f"`thenar {name}`", _described(command.load()))
        for name, command in sorted(COMMANDS.items())
    )
    return table(("command", "what it does"), rows)


def _described(command: typer.Typer | Callable[..., None]) -> str:
    if isinstance(command, typer.Typer):
        return _group(command)
    return sentence(command.__doc__ or "")


def _group(app: typer.Typer) -> str:
    names = ", ".join(f"`{name}`" for name in _subcommands(app))
    callback = app.registered_callback and app.registered_callback.callback
    text = app.info.help if isinstance(app.info.help, str) else (callback and callback.__doc__)
    return f"{sentence(text or '')}: {names}"


def _subcommands(app: typer.Typer) -> Iterator[str]:
    for command in app.registered_commands:
        yield command.name or _name(command.callback)
    for group in app.registered_groups:
        yield str(group.name)


def _name(callback: Callable[..., Any] | None) -> str:
    return getattr(callback, "__name__", "").replace("_", "-")


def group_table(group: str) -> str:
    """Return a row for each command of a group."""
    app = COMMANDS[group].load()
    assert isinstance(app, typer.Typer)
    rows = (
        (f"`thenar {group} {name}`", sentence(str(command.help)))
        for command in app.registered_commands
        for name in [command.name or _name(command.callback)]
    )
    return table(("command", "what it does"), rows)


COMMON: Final = {
    fault.code
    for faults in (
        ALWAYS,
        OF_BODY,
        *(vars(each)["faults"] for each in (signer, claimant, device)),
    )
    for fault in faults
}
"""Errors of most requests."""


def mobile_endpoints_table() -> str:
    """Return a row for each request of the mobile API."""
    rows = (
        (
            f"`{' '.join(sorted(route.methods or ()))} {route.path}`",
            sentence(route.endpoint.__doc__ or ""),
            " ".join(
                f"`{code}`"
                for codes in errors_of(route).values()
                for code in codes
                if code not in COMMON
            ),
        )
        for route in routes()
    )
    return table(("request", "what it does", "its own errors"), rows)


ERRORS_PAGE: Final = ROOT / "mobile_api/docs/errors.md"

ERROR_ROW: Final = re.compile(r"\| \d+ \| `(\w+)` \| .* \| (.+) \| (.+) \|")


def mobile_errors_table() -> str:
    """Return a row for each error code that a phone may get; its last two cells are written."""
    faults: dict[str, tuple[int, str]] = {
        fault.code: (
            status_of(fault), TEXTS.get(fault.code) or sentence(fault.__doc__ or ""),
        )
        for route in routes()
        for fault in faults_of(route)
    }  # fmt: skip
    faults |= {code: (status, text) for status, (code, text) in HTTP_ERRORS.items()}
    faults["server_error"] = (500, "A fault of the service")
    written = {
        code: cells for code, *cells in ERROR_ROW.findall(ERRORS_PAGE.read_text("utf-8"))
    }
    rows = (
        (str(status), f"`{code}`", text.rstrip("."), *written.get(code, ("?", "?")))
        for code, (status, text) in sorted(faults.items(), key=lambda item: (item[1], item[0]))
    )
    head = ("status", "`error`", "meaning", "what to show", "try again?")
    return table(head, rows)


def oidc_endpoints_table() -> str:
    """Return a row for each endpoint that discovery names."""
    settings = OidcSettings(
        issuer="https://issuer.test", auth_url="https://auth.test", base_url="https://base.test"
    )
    places = {"https://issuer.test": "{issuer}", "https://auth.test": "{auth_url}"}
    places["https://base.test"] = "{base_url}"
    rows = []
    for name, address in metadata(settings).items():
        if not isinstance(address, str) or name == "issuer":
            continue
        host = next(place for place in places if address.startswith(place))
        rows.append((f"`{name}`", f"`{address.replace(host, places[host])}`"))
    return table(("discovery", "address"), rows)


def client_options_table() -> str:
    """Return a row for each option of a client that a command sets."""
    own = {Setter.DEVELOPER: "portal", Setter.CLIENT: "registration"}
    rows = (
        (
            f"`--{each.flag}`",
            f"`{each.name}`",
            ", ".join(face for setter, face in own.items() if setter in each.setters),
            plain(each.words),
        )
        for each in OPTIONS
        if each.flag
    )
    return table(("`thenar client`", "in documents", "also set in", "effect"), rows)


def oidc_ends_table() -> str:
    """Return a row for each way in which a login ends without a sign-in."""
    ended = ((hint, refusal_of(hint)) for hint in REASONS)
    rows = ((f"`{hint.value}`", f"`{each.error}`", each.description) for hint, each in ended)
    return table(("how it ended", "`error`", "`error_description`"), rows)


def connections_table() -> str:
    """Return how many connections each process opens: two more listen and show that it runs."""
    half = OidcSettings().connections
    rows = (
        ("`thenar serve`", str(2 * half + 2), str(CONNECTIONS)),
        ("`thenar serve --only mobile`", str(half + 1), str(CONNECTIONS)),
        ("`thenar serve --only oidc`", str(half + 2), "0"),
    )
    return table(("process", "to the protocol database", "to the biometric database"), rows)


def example() -> str:
    """Return the example of an app that the tests run."""
    return f"```python\n{(ROOT / 'oidc/examples/app.py').read_text('utf-8')}```\n"


TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "connections": connections_table,
    "example-app": example,
    "commands": commands_table,
    "benchmarks": lambda: group_table("bench"),
    "models": lambda: group_table("models"),
    "settings-engine": lambda: settings_table(EngineSettings),
    "settings-oidc": lambda: settings_table(OidcSettings),
    "settings-mobile": lambda: settings_table(MobileSettings),
    "endpoints-oidc": oidc_endpoints_table,
    "ends-oidc": oidc_ends_table,
    "client-options": client_options_table,
    "endpoints-mobile": mobile_endpoints_table,
    "errors-mobile": mobile_errors_table,
}


def renewed(text: str) -> str:
    """Return a document with each of its tables made again."""
    return BLOCK.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)


NAMED_FILE: Final = re.compile(
    r"`((?:engine|oidc|mobile_api|models|benchmarks|tests)/[^`\s]*\.\w+)`"
)
NAMED_TEST: Final = re.compile(r"`(test_\w+)`")
TEST_OF_FILE: Final = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
CITED: Final = re.compile(r"(?<![\w.])[EMOBN][1-9]\d?\b")
LINK: Final = re.compile(r"\]\(([^)#\s]*)(?:#([\w-]+))?\)")


def documents() -> list[Path]:
    """Return every document of the checkout."""
    return [ROOT / name for name, _ in texts() if name.endswith(".md")]


def faults() -> Iterator[str]:
    """Yield what is wrong with the documents: length, names, links."""
    tests = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)\(", path.read_text("utf-8"))
    }
    known = "".join(path.read_text("utf-8") for path in ROOT.glob("*/DECISIONS.md"))
    for name, text in texts():
        cited = set(CITED.findall(text)) if name.endswith((".md", ".py")) else set()
        yield from (f"{name} cites {each}" for each in cited if f"\n## {each}. " not in known)
    if "| ? |" in ERRORS_PAGE.read_text("utf-8"):
        yield "mobile_api/docs/errors.md does not say what to show, or whether to try again"
    decided = 0
    for path in documents():
        name, text = path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
        limit = next(most for each, most in LIMITS.items() if fnmatch(name, each))
        text = newest_release(text) if name == "CHANGELOG.md" else text
        words = len(text.split())
        decided += words if path.name == "DECISIONS.md" else 0
        if words > limit:
            yield f"{name} has {words} words; {limit} at most"
        yield from (f"{name} names {each}" for each in sorted(missing(path, text, tests)))
    if decided > DECISIONS_WORDS:
        yield f"the decisions have {decided} words; {DECISIONS_WORDS} at most"


def missing(path: Path, text: str, tests: set[str]) -> Iterator[str]:
    """Yield files, tests and links that do not exist."""
    yield from (name for name in NAMED_FILE.findall(text) if not any(ROOT.glob(name)))
    yield from set(NAMED_TEST.findall(text)) - tests
    for file, test in TEST_OF_FILE.findall(text):
        if not _has(ROOT / file, test):
            yield f"{file}::{test}"
    for link, heading in LINK.findall(text):
        if "://" in link:
            continue
        to = path.parent / link if link else path
        if not to.exists() or (heading and heading not in headings(to.read_text("utf-8"))):
            yield f"{link}#{heading}"


def headings(text: str) -> set[str]:
    """Return the anchors of a document, as forges make them."""
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def newest_release(text: str) -> str:
    """Return the first section of the changes."""
    return text.split("\n## ")[1]


def _has(path: Path, test: str) -> bool:
    return path.is_file() and f"def {test}(" in path.read_text("utf-8")


def changelog_fault(text: str, version: str) -> str:
    """Return what is wrong with the newest section: it is the program's own."""
    own = "Unreleased" if ".dev" in version else re.escape(version) + r" – \d{4}-\d\d-\d\d"
    newest = newest_release(text).splitlines()[0]
    if re.fullmatch(own, newest):
        return ""
    return f"CHANGELOG.md begins with {newest}, and the program is {version}"


def main(
    *, check: Annotated[bool, typer.Option(help="Change nothing; fail if stale.")] = False
) -> None:
    """Write the generated tables of the documents."""
    wrong = list(faults())
    for path in documents():
        text = path.read_text("utf-8")
        if (now := renewed(text)) != text and check:
            wrong.append(
                f"{path.relative_to(ROOT)} is stale: run python -m tests.documentation"
            )
        elif now != text:
            path.write_text(now, "utf-8")
    if fault := changelog_fault((ROOT / "CHANGELOG.md").read_text("utf-8"), __version__):
        wrong.append(fault)
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    typer.run(main)
