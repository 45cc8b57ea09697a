"""Compiled kernels: made once, for the right sources and CPU, and refused once changed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest

import engine
from engine.gallery import kernels

COMPARED = """
import numpy as np
from engine.comparison.compare import compare_codes
codes = np.random.default_rng(1).integers(0, 256, (2, 512), np.uint8)
print(compare_codes(codes[0], codes[1:])[0])
"""

HALVES = """
import numpy as np
from engine.gallery.rows.chunked_array import ChunkedArray
from engine.gallery.rows.half_vectors import products
from engine.gallery.search.scan_kernel import prepare
prepare()
halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
halves = halves[np.isfinite(halves)]
rows, one = np.arange(len(halves)), np.ones((1, 1), np.float32)
column = ChunkedArray((1,), np.float16)
column.grow_to(len(halves))
column.put(rows, halves[:, None])
widened = products(column.place, rows, one)[0]
print((widened == halves.astype(np.float32)).all())
"""

IS_THERE = "from engine.gallery.kernels import are_compiled; print(are_compiled())"

COMPILED_WHILE_USED = """
from engine.comparison.kernels import build, tiles
from engine.comparison.compare import compare_codes
from engine.gallery.search import coarse_kernel, scan_kernel, short_list
from engine.gallery.rows import half_vectors
from engine.gallery.rows.records import Records
import numpy as np
codes = np.zeros((2, 512), np.uint8)
codes.flags.writeable = False
compare_codes(codes[0], codes[1:])
scan_kernel.prepare()
short_list.prepare()
records = Records(8)
slots = records.reserve(2)
records.products(slots, np.ones((1, 8), np.float32))
used = [tiles._align_all, scan_kernel._scan, scan_kernel._kept]
used += [half_vectors.products, coarse_kernel._write_places]
used += [short_list._chosen, short_list.slots_of]
print([sum(each.stats.cache_misses.values()) for each in used])
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the engine with its kernels."""
    place = tmp_path_factory.mktemp("installed")
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(engine.__file__).parent, place / "engine", ignore=without)
    return place


@pytest.fixture
def code(installed: Path) -> Iterator[Path]:
    """Give the folder of its machine code, which comes back as it was."""
    folder = installed / "engine/comparison/kernels/machine_code"
    kept = installed / "kept"
    shutil.copytree(folder, kept)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
    kept.rename(folder)


def said(place: Path, program: str, **environment: str) -> str:
    """What a program prints in a process of its own, or the last line of its traceback."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-B", "-c", program],
        env=environment,
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stderr or done.stdout).strip().splitlines()[-1]


def test_what_is_used_was_compiled_before(installed: Path) -> None:
    """Another signature would be compiled at every start."""
    assert said(installed, IS_THERE) == "True"
    assert said(installed, COMPILED_WHILE_USED) == str([0] * 7)


def test_a_tree_that_cannot_be_written_is_read(installed: Path, code: Path) -> None:
    """A process that serves writes nothing, wherever numba would."""
    before = {path: path.stat().st_mtime_ns for path in installed.rglob("*")}

    said(installed, COMPARED, NUMBA_CACHE_DIR=str(installed / "elsewhere"))
    shutil.rmtree(code)
    said(installed, HALVES)
    now = {path: path.stat().st_mtime_ns for path in installed.rglob("*")}

    assert {path for path in now if path not in before} == set()


def _damaged(folder: Path) -> None:
    kernel = next(folder.glob("*/engine.comparison.kernels.tiles._align_all*"))
    data = bytearray(kernel.read_bytes())
    data[-1] ^= 1
    kernel.write_bytes(data)


def _removed(folder: Path) -> None:
    next(folder.glob("*/engine.comparison.kernels.tiles._align_all*")).unlink()


def _opened(folder: Path) -> None:
    folder.chmod(0o777)


def _given_away(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root makes files of others")
    os.chown(next(folder.glob("*/digests")), 12345, 12345)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_damaged, "compiled code was changed or damaged"),
        (_removed, "compiled code was changed or damaged"),
        (_opened, "others may write compiled code"),
        (_given_away, "others may write compiled code"),
    ],
)
def test_code_that_was_changed_is_not_read(
    installed: Path, code: Path, change: Callable[[Path], None], message: str
) -> None:
    """Reading it would run it: one line says what to do."""
    change(code)

    for program in (IS_THERE, COMPARED):
        line = said(installed, program)
        assert line.startswith(f"engine.errors.KernelFault: {message}"), line
        assert line.endswith("run `thenar engine compile` as the owner of that folder")


def test_a_changed_number_is_compiled_anew(installed: Path) -> None:
    """An update that changes a parameter must not go on comparing by the former one."""
    parameters = installed / "engine/parameters.py"
    text, before = parameters.read_text(), float(said(installed, COMPARED))
    parameters.write_text(f"{text}\nCODE_NON_MATED_DISTANCE = 0.3\n")

    try:
        assert said(installed, IS_THERE) == "False"
        # Cells that are not seen count as those of nearer non-mated palms.
        assert float(said(installed, COMPARED)) < before
    finally:
        parameters.write_text(text)


def test_the_first_comparisons_compile_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever embeds the engine is told, and waits once, however many threads compare."""
    kept = []

    def compile_slowly(_: object) -> None:
        sleep(0.1)
        kept.append(1)

    monkeypatch.setattr(kernels, "are_compiled", lambda: bool(kept))
    monkeypatch.setattr(kernels, "_run", compile_slowly)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: kernels.compile_once(), range(4)))

    assert kept == [1]
    assert [record.name.partition(".")[0] for record in caplog.records] == ["engine"]


def test_a_machine_without_instructions_searches(installed: Path) -> None:
    """Plain virtual machines have no AVX and no F16C: asked for, they end the process."""
    assert said(installed, HALVES, NUMBA_CPU_NAME="generic") == "True"
