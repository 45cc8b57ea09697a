"""An operator who types commands against the test's database."""

import json
from dataclasses import dataclass
from typing import Any

from typer import Typer
from typer.testing import CliRunner, Result

from oidc.cli.clients import client
from oidc.client import Client
from oidc.clients.registry import authenticate
from oidc.storage.database import Database
from oidc.types import utc_now

URI = "https://shop.example/cb"


@dataclass(frozen=True)
class Operator:
    """Types commands.

    Attributes:
        database: that the commands change.
        app: what is typed first; ``thenar client``.
    """

    database: Database
    app: Typer = client

    def run(self, *arguments: str) -> Result:
        """Type a command."""
        return CliRunner().invoke(self.app, list(arguments))

    def say(self, *arguments: str) -> str:
        """Type a command that succeeds; return what it prints for people."""
        done = self.run(*arguments)
        assert done.exit_code == 0, done.output
        return done.stdout

    def tell(self, *arguments: str) -> Any:
        """Type a command that succeeds; return what it prints for programs."""
        return json.loads(self.say(*arguments, "--json"))

    def add(self, *options: str) -> Any:
        """Add a client; return what is printed."""
        return self.tell("add", "--name", "Shop", "--redirect-uri", URI, *options)

    def client_of(self, added: dict[str, Any]) -> Client | None:
        """Return the client whom a printed secret proves."""
        with self.database.read() as stores:
            return authenticate(stores, added["client_id"], added["client_secret"], utc_now())
