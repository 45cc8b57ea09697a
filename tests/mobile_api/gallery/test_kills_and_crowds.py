"""A gallery beside its database: killed at any instant."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from time import sleep

import pytest

from tests.support.galleries.gallery_worker import ENROL, Report, change_until_killed, following

KILLS = 200

KERNELS = "tests.support.galleries.warm_kernels"

MAX_LIFETIME_S = 0.15

START_LIMIT_S = 30

# Each process begins as a copy of one that has imported everything.
PROCESSES = get_context("forkserver")

pytestmark = pytest.mark.check("kills")


def test_kills_lose_nothing_acknowledged_and_bring_nothing_back(tmp_path: Path) -> None:
    """SIGKILL, also while a process starts; only the last unacknowledged change is open."""
    PROCESSES.set_forkserver_preload([change_until_killed.__module__, KERNELS])
    chance = random.Random(1)  # noqa: S311 -- when to kill, not a secret
    present: set[int] = set()
    touched, changes = set[int](), 0
    with following(tmp_path):
        pass
    for number in range(KILLS):
        lifetime_s = chance.uniform(0, MAX_LIFETIME_S)
        reports = list(run_and_kill(tmp_path, number, present, lifetime_s))
        changes += sum(is_acknowledged for *_, is_acknowledged in reports)
        expected, unknown = after(present, reports)
        with following(tmp_path) as opened:
            if unknown is not None and opened.is_found(unknown):
                expected.add(unknown)
            touched |= {who for _, who, _ in reports}
            for who in {who for _, who, _ in reports}:
                assert opened.is_found(who) is (who in expected), (number, who)
            assert len(opened.replica.current()) == 2 * len(expected), number
        present = expected

    with following(tmp_path) as opened:
        assert {who for who in touched if opened.is_found(who)} == present
        assert opened.replica.verify() == 0
    assert changes > 0


def run_and_kill(
    folder: Path, number: int, present: set[int], lifetime_s: float
) -> Iterator[Report]:
    """Let a process change things for a while, kill it, and give what it reported."""
    received, reports = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(
        target=change_until_killed, args=(folder, number, present, reports)
    )
    process.start()
    reports.close()
    if number % 4:  # of the others some are killed while they start
        received.poll(START_LIMIT_S)
    sleep(lifetime_s)
    process.kill()
    process.join()
    with received, suppress(EOFError, OSError):  # the last report may be cut off
        while True:
            yield received.recv()


def after(present: set[int], reports: list[Report]) -> tuple[set[int], int | None]:
    """Return who must be there, and the one person whose change was not acknowledged."""
    expected, unknown = set(present), None
    for change, who, is_acknowledged in reports:
        unknown = None if is_acknowledged else who
        if is_acknowledged and change == ENROL:
            expected.add(who)
        else:
            expected.discard(who)
    return expected, unknown
