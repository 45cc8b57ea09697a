"""Stresses galleries on disk: kills, flipped bits, concurrency, a start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from benchmarks.measurement.gallery_start import StartResult, measure_start_in_process
from benchmarks.soak.bit_flips import FlipsResult, flip_bits
from benchmarks.soak.concurrency import ConcurrencyResult, run_concurrently
from benchmarks.soak.kills import KillsResult, kill_repeatedly
from benchmarks.soak.workload import open_gallery

if TYPE_CHECKING:
    from rich.progress import Progress

_START_DIMENSION: Final = 384


@dataclass(frozen=True, slots=True)
class Soaked:
    """What was counted in each part."""

    kills: KillsResult
    flips: FlipsResult
    crowd: ConcurrencyResult
    start: StartResult

    @property
    def faults(self) -> int:
        """Losses, resurrections, wrong answers and damage that nothing noticed."""
        killed, flipped, crowd = self.kills, self.flips, self.crowd
        unnoticed = flipped.flips - flipped.noticed - flipped.harmless
        bad = killed.lost + killed.resurrected + killed.rolled_back + killed.damaged
        return bad + unnoticed + flipped.served_wrong + crowd.unexplained + crowd.faults


def soak(
    kills: int, flips: int, crowd_s: float, start_rows: int, seed: int, bar: Progress
) -> Soaked:
    """Run the parts one after the other, each on a gallery of its own."""
    with TemporaryDirectory(prefix="soak-") as folder:
        folders = {name: Path(folder) / name for name in ("kills", "flips", "crowd")}
        for subfolder in folders.values():
            subfolder.mkdir()
        killing = bar.add_task("kills", total=kills)
        killed = kill_repeatedly(
            folders["kills"], kills, seed=seed, told=lambda: bar.advance(killing)
        )
        flipping = bar.add_task("flipped bits", total=flips)
        flipped = flip_bits(
            folders["flips"], flips, seed=seed, told=lambda: bar.advance(flipping)
        )
        gallery, file = open_gallery(folders["crowd"], 0)
        crowd = run_concurrently(gallery, crowd_s)
        file.close()
        started = measure_start_in_process(start_rows, _START_DIMENSION)
    return Soaked(killed, flipped, crowd, started)
