"""Groups of commands that import nothing until one of them runs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyCommand(NamedTuple):
    """A command: its module and function, and its line in the group's help."""

    place: str
    help: str


def lazy_group(about: str, commands: Mapping[str, LazyCommand]) -> typer.Typer:
    """Return a group whose help needs none of its commands."""

    class Group(TyperGroup):
        """Imports the command that is asked for."""

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - typer's own
            if args[0] in commands:
                self.commands[args[0]] = _loaded(args[0], commands[args[0]])
            return super().resolve_command(ctx, args)

    app = typer.Typer(cls=Group, help=about, no_args_is_help=True, rich_markup_mode="markdown")
    app.callback()(lambda: None)
    for name, command in commands.items():
        app.command(name, help=command.help)(_not_loaded)
    return app


def _not_loaded() -> None:
    """Stand for a command until it is asked for."""


def _loaded(name: str, command: LazyCommand) -> Any:  # noqa: ANN401 - typer's own
    module, _, function = command.place.partition(":")
    alone = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    alone.command(name)(getattr(import_module(module), function))
    return get_command(alone)
