"""Where a key comes from: a setting, a command that prints it, or a file.

Read once at a start. Neither the key nor what the command said is in a message.
"""

import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from oidc.errors import KeyCommandFailed

COMMAND_LIMIT_S: Final = 30
"""How long a command may take: a client of a vault asks over the network."""


@dataclass(frozen=True, slots=True)
class KeySource:
    """The file of a key, and what takes precedence over it.

    Attributes:
        setting: the variable that may hold the key; with ``_COMMAND``, that of the command.
        command: without a shell; its standard output is the key.
    """

    path: Path
    setting: str = ""
    secret: SecretStr | None = field(default=None, repr=False)
    command: str | None = field(default=None, repr=False)

    @property
    def is_file(self) -> bool:
        """Whether the file has the key."""
        return self.secret is None and not self.command

    @property
    def name(self) -> str:
        """Its name in messages."""
        if self.is_file:
            return f"the key file {self.path.name}"
        return self.setting if self.secret is not None else f"{self.setting}_COMMAND"

    def text(self) -> str | None:
        """Return the key as it is written; None: the file has it. Raises KeyCommandFailed."""
        if self.secret is not None:
            return self.secret.get_secret_value()
        return _printed(self.command, self.name) if self.command else None


def _printed(command: str, name: str) -> str:
    try:
        return subprocess.run(  # noqa: S603 - the operator's own
            shlex.split(command),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMMAND_LIMIT_S,
            check=True,
        ).stdout.decode("ascii")
    except subprocess.CalledProcessError as fault:
        reason = f"ended with status {fault.returncode}"
    except subprocess.TimeoutExpired:
        reason = f"took more than {COMMAND_LIMIT_S} s"
    except OSError as fault:
        reason = f"cannot be started: {fault.strerror}"
    except ValueError:  # of shlex, or of the text
        reason = "has an open quotation mark, or prints something else than a key"
    raise KeyCommandFailed(f"the command of {name} {reason}; try it as the service's user")
