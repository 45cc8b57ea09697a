"""The long runs, small: kills, flipped bits and crowds of threads."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.measurement.gallery_start import measure_start
from benchmarks.soak import concurrency as crowds
from benchmarks.soak.bit_flips import flip_bits
from benchmarks.soak.concurrency import run_concurrently
from benchmarks.soak.kills import kill_repeatedly
from benchmarks.soak.workload import Workload, apply, differences, group_id, open_gallery
from engine.types import Candidate, ReferenceId

LIMITS = pytest.mark.parametrize("limit", [0, 10_000])


@LIMITS
def test_kills_lose_nothing_and_resurrect_nothing(tmp_path, limit):
    """A real process, a real disk, signal 9."""
    told = []
    result = kill_repeatedly(tmp_path, 4, limit=limit, told=lambda: told.append(1))

    assert (result.kills, len(told)) == (4, 4)
    assert result.steps > 10
    assert (result.lost, result.resurrected, result.rolled_back, result.damaged) == (0,) * 4


@LIMITS
def test_flipped_bits_are_noticed(tmp_path, limit):
    """Every single one, and nothing damaged is given out."""
    result = flip_bits(tmp_path, 15, limit=limit, told=lambda: None)

    assert (result.noticed + result.harmless, result.served_wrong) == (15, 0)
    assert result.noticed > result.harmless
    assert result.files > 1


@LIMITS
def test_answers_of_a_crowd_fit_some_order(tmp_path, limit):
    """Eight threads enrol, erase and search a gallery that is on disk, too."""
    gallery, file = open_gallery(tmp_path, limit)
    result = run_concurrently(gallery, 1.5)
    file.close()

    assert (result.unexplained, result.faults) == (0, 0)
    assert min(result.enrolments, result.erasures, result.searches) > 0


def test_an_answer_that_fits_no_order_is_seen():
    """A check that finds everything in order would prove nothing."""
    one, other = group_id(1), group_id(2)
    candidate = Candidate(ReferenceId(one), one, 1.0)
    enrolments = {
        one: [crowds._Enrolment(1.0, 2.0, 5.0, 6.0)],
        other: [crowds._Enrolment(7.0, 8.0, inf, inf)],
    }
    found_too_late = crowds._Answer(6.5, 6.9, one, [candidate])
    in_time = replace(found_too_late, called=5.5)
    together = replace(in_time, found=[candidate, Candidate(ReferenceId(other), other, 0.5)])
    not_found = crowds._Answer(3.0, 4.0, one, [])
    rightly_not_found = replace(not_found, called=1.5)

    explained = [
        crowds._is_consistent(answer, enrolments)
        for answer in (found_too_late, in_time, together, not_found, rightly_not_found)
    ]
    assert explained == [False, True, False, False, True]


def test_a_lost_and_a_resurrected_reference_are_counted(tmp_path):
    """The kills' own check is checked."""
    gallery, files = open_gallery(tmp_path, 0)
    workload = Workload(1)
    for _ in range(20):
        apply(gallery, workload.step(), workload.number)
    right = differences(gallery, workload.enrolled)
    number, version = next(iter(workload.enrolled.items()))
    without = {k: v for k, v in workload.enrolled.items() if k != number}

    assert right == (0, 0)
    assert differences(gallery, without) == (0, 1)
    assert differences(gallery, {**workload.enrolled, 999_999: 0}) == (1, 0)
    assert differences(gallery, {**workload.enrolled, number: version + 1}) == (1, 1)
    files.close()


def test_a_start_is_measured(tmp_path):
    """Rows and codes are on disk, and the gallery comes back whole."""
    result = measure_start(tmp_path, 10_000, 32)

    assert result.rows == 10_000
    assert result.cpu_seconds > 0
    # SQLite's own a tenth; what lies in blocks is for 12,288 slots.
    assert 512 + 28 + 32 + 9 + 64 + 64 + 8 < result.disk_bytes_per_row < 800


def test_the_command_writes_what_it_found(tmp_path):
    """A soak that nobody can read again was not made."""
    options = ["--kills", "2", "--flips", "3", "--crowd-s", "1", "--start-rows", "20000"]
    done = CliRunner().invoke(app, ["soak", "--out", str(tmp_path), *options])
    written = json.loads((tmp_path / "soak.json").read_text("utf-8"))

    assert done.exit_code == 0, done.output
    assert written["kills"]["kills"] == 2
    assert written["flips"]["noticed"] + written["flips"]["harmless"] == 3
    assert written["crowd"]["searches"] > 0
    assert written["start"]["rows"] == 20_000
    assert 400 < written["start"]["resident_bytes_per_row"] < 20_000  # segments are large
    assert written["code"]
