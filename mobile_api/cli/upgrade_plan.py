"""What ``thenar migrate --check`` tells: what an upgrade would do, and what runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Final

from mobile_api.server.configuration import Settings, utc_now
from mobile_api.storage import migrate
from mobile_api.storage.database import open_engine
from oidc import app as provider
from oidc.plumbing.schema_version import Step
from oidc.types import Process

_ADVICE: Final = {
    "create": "Run `thenar migrate`: it makes both databases.",
    "stop": "Stop every process, back up, and run `thenar migrate`: about {:.0f} s.",
    "expand": "Run `thenar migrate`: about {:.0f} s, while the service goes on.",
    "contract": "Run `thenar migrate --contract` once you need no way back.",
    "": "Nothing to do.",
}
"""For the first kind of steps that there is."""


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """The steps that each database lacks, and the processes that run."""

    biometric: list[Step]
    protocol: list[Step]
    processes: list[Process]

    @property
    def steps(self) -> list[Step]:
        """Those of both."""
        return [*self.biometric, *self.protocol]

    @property
    def advice(self) -> str:
        """What to do now."""
        kinds = {each.kind for each in self.steps} | {""}
        first = next(kind for kind in _ADVICE if kind in kinds)
        return _ADVICE[first].format(sum(s.duration_s for s in self.steps if s.kind == first))

    def lines(self) -> Iterator[str]:
        """Tell people."""
        for step in self.steps:
            rows = ", ".join(f"{count:,} of {name}" for name, count in step.rows.items())
            time = f" Rewrites {rows}: about {step.duration_s:.0f} s." if rows else ""
            yield f"{step.number} ({step.kind}): {step.purpose}{time}"
        for each in self.processes:
            age_s = (utc_now() - each.seen_at).total_seconds()
            known = f"knows {each.protocol} and {each.biometric}"
            yield f"{each}, {known}, seen {age_s:.0f} s ago"
        yield self.advice

    def to_json(self) -> str:
        """Tell programs."""
        return json.dumps(asdict(self) | {"advice": self.advice}, indent=2, default=str)


def upgrade_plan(settings: Settings) -> UpgradePlan:
    """Return what to do. Raises NotMigrated, or of oidc DatabaseNotMigrated."""
    engine = open_engine(settings.mobile.database_url)
    try:
        biometric = migrate.VERSION.pending(engine)
    finally:
        engine.dispose()
    return UpgradePlan(biometric, *provider.pending(settings.oidc))
