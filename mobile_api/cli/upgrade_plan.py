"""The plan of ``thenar migrate --check``: the steps of an upgrade, and running processes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Final

from mobile_api.server.configuration import Settings, utc_now
from mobile_api.server.running import require_biometric, require_protocol
from mobile_api.storage import migrate
from mobile_api.storage.database import open_engine
from oidc import app as provider
from oidc.plumbing.database_engine import disposing
from oidc.plumbing.schema_version import Step
from oidc.types import Process

_ADVICE: Final = {
    "create": "Run `{command}`: it makes what is missing.",
    "stop": "Stop every process, back up, and run `{command}`: about {seconds:.0f} s.",
    "expand": "Run `{command}`: about {seconds:.0f} s, while the service goes on.",
    "contract": "Run `{command} --contract` once you need no way back.",
    "": "Nothing to do.",
}
"""For the first kind of steps that there is."""


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """The steps that each database lacks, the processes that run, and the command."""

    biometric: list[Step]
    protocol: list[Step]
    processes: list[Process]
    command: str

    @property
    def steps(self) -> list[Step]:
        """Those of both."""
        return [*self.biometric, *self.protocol]

    @property
    def advice(self) -> str:
        """The next command of the operator, and why."""
        kinds = {each.kind for each in self.steps} | {""}
        first = next(kind for kind in _ADVICE if kind in kinds)
        seconds = sum(each.duration_s for each in self.steps if each.kind == first)
        return _ADVICE[first].format(command=self.command, seconds=seconds)

    def lines(self) -> Iterator[str]:
        """Print it for people."""
        for step in self.steps:
            rows = ", ".join(f"{count:,} of {name}" for name, count in step.rows.items())
            time = f" Rewrites {rows}: about {step.duration_s:.0f} s." if rows else ""
            yield f"{step.number} ({step.kind}): {step.purpose}{time}"
        for each in self.processes:
            age_s = (utc_now() - each.seen_at).total_seconds()
            known = f"knows {each.protocol} and {each.biometric or 'no biometric database'}"
            yield f"{each}, {known}, seen {age_s:.0f} s ago"
        yield self.advice

    def to_json(self) -> str:
        """Print it as JSON."""
        return json.dumps(asdict(self) | {"advice": self.advice}, indent=2, default=str)


def upgrade_plan(settings: Settings, only: str | None = None) -> UpgradePlan:
    """Return what to do for both databases, or for that of one half.

    Raises SettingsFault, NotMigrated, or of oidc DatabaseNotMigrated.
    """
    biometric = [] if only == "oidc" else _pending_biometric(settings)
    protocol = [] if only == "mobile" else provider.pending(settings.oidc)
    command = "thenar migrate" + (f" --only {only}" if only else "")
    running = provider.running(settings.oidc).processes
    return UpgradePlan(biometric, protocol, running, command)


def _pending_biometric(settings: Settings) -> list[Step]:
    require_biometric(settings)
    require_protocol(settings)
    with disposing(open_engine(settings.mobile.database_url)) as engine:
        return migrate.VERSION.pending(engine)
