"""Groups of commands that import nothing until one of them runs."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_group


class LazyCommand(NamedTuple):
    """A command or group: its module and name there, and its line in the help."""

    place: str
    help: str

    def load(self) -> Any:  # noqa: ANN401 - a function, or a group of commands
        """Import it."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)


def commands_of(module: str, **helps: str) -> dict[str, LazyCommand]:
    """Return the commands of one module, by name, from their lines in the help."""
    return {name: LazyCommand(f"{module}:{name}", line) for name, line in helps.items()}


def lazy_group(
    about: str,
    commands: Mapping[str, LazyCommand],
    options: Callable[..., None] = lambda: None,
    **settings: Any,  # noqa: ANN401 - typer's own
) -> typer.Typer:
    """Return a group whose help needs none of its commands; ``options`` go before them."""

    class Group(TyperGroup):
        """Imports only the command that is called."""

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - typer's own
            if args[0] in commands:
                self.commands[args[0]] = _loaded(args[0], commands[args[0]])
            return super().resolve_command(ctx, args)

    app = typer.Typer(
        cls=Group, help=about, no_args_is_help=True, rich_markup_mode="markdown", **settings
    )
    app.callback()(options)
    for name, command in commands.items():
        package = command.place.partition(".")[0]
        app.command(name, help=command.help, hidden=find_spec(package) is None)(_not_loaded)
    return app


def _not_loaded() -> None:
    """Placeholder of a command whose module is not imported yet."""


def _loaded(name: str, command: LazyCommand) -> Any:  # noqa: ANN401 - typer's own
    alone, found = typer.Typer(rich_markup_mode="markdown"), command.load()
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=name)
    else:
        alone.command(name)(found)
    return get_group(alone).commands[name]
