"""The compiled loops: compiled once, kept for these sources and this CPU, and read by all."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.comparison.kernels import coarse, half_vectors, tiles
from engine.comparison.kernels.compiling import FOLDER, KernelLocator
from engine.comparison.kernels.prepare import prepare
from engine.errors import KernelFault

COMPARED = """
import numpy as np
from engine.comparison.compare import compare_codes
codes = np.random.default_rng(1).integers(0, 256, (2, 512), np.uint8)
print(compare_codes(codes[0], codes[1:])[0])
"""

IS_THERE = "from engine.comparison.kernels.compiling import is_complete; print(is_complete())"

COMPILED = """
from engine.comparison.kernels.prepare import compile_kernels
compile_kernels(report=print)
"""

SEARCHED = """
import numpy as np
from engine.comparison.compare import compare_codes
from engine.comparison.kernels import coarse, half_vectors, tiles
from engine.features.code_bytes import coarse_codes
from engine.gallery.rows import Records
codes = np.zeros((2, 512), np.uint8)
codes.flags.writeable = False
compare_codes(codes[0], codes[1:])
coarse.coarse_distances(coarse_codes(codes), list(codes))
records = Records(8)
records.products(records.reserve(2), np.ones((1, 8), np.float32))
used = [tiles.align_all, coarse.write_distances, half_vectors.write_products]
print([sum(each.stats.cache_misses.values()) for each in used])
"""

WITHOUT_INTERNALS = f"""
import numba.core.caching as caching
from numba import guvectorize, njit, vectorize
njit(lambda one: one)(1)
for name in ("NullCache", "FunctionCache", "InTreeCacheLocator", "_CacheLocator"):
    delattr(caching, name)
{COMPARED}
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the engine with its kernels."""
    place = tmp_path_factory.mktemp("installed")
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(engine.__file__).parent, place / "engine", ignore=without)
    return place


def said(place: Path, program: str, **environment: str) -> str:
    """Return what a program prints in another process, or the last line of its traceback."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-B", "-c", program],
        env=environment,
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stderr or done.stdout).strip().splitlines()[-1]


def test_numba_keeps_its_code_where_the_locator_says() -> None:
    """The one part of numba that is not in its manual: the names of a locator's methods."""
    prepare()
    locator = KernelLocator.from_function(prepare, "")

    assert locator.get_cache_path() == str(FOLDER)
    used: list[Any] = [tiles.align_all, coarse.write_distances, half_vectors.write_products]
    assert {each.stats.cache_path for each in used} == {str(FOLDER)}


def test_no_internals_of_numba_are_imported(installed: Path) -> None:
    """Another release of numba may have none of them."""
    assert said(installed, WITHOUT_INTERNALS) == said(installed, COMPARED)


def test_what_is_used_was_compiled_before(installed: Path) -> None:
    """Another signature would be compiled at every start."""
    assert said(installed, IS_THERE) == "True"
    assert said(installed, SEARCHED) == str([0] * 3)


def test_an_operator_chooses_another_folder(installed: Path, tmp_path: Path) -> None:
    """By numba's variable; later processes find there what the command compiled."""
    there = {"NUMBA_CACHE_DIR": str(tmp_path)}
    earlier, foreign = tmp_path / "machine_code/earlier", tmp_path / "of-another-program"
    for folder in (earlier, foreign):
        folder.mkdir(parents=True)

    assert said(installed, COMPILED, **there) == "compiling for this machine: 1 of 1"
    assert said(installed, IS_THERE, **there) == "True"
    assert said(installed, SEARCHED, **there) == str([0] * 3)
    assert (earlier.exists(), foreign.exists()) == (False, True)


def test_damaged_code_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file that was cut short numba says "Ran out of input" only."""

    def read(*_arguments: object) -> None:
        raise EOFError("Ran out of input")

    monkeypatch.setattr("engine.comparison.kernels.prepare._compile", read)
    with pytest.raises(KernelFault, match="engine compile"):
        prepare()


def test_a_changed_number_is_compiled_again(installed: Path) -> None:
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


def test_a_machine_without_instructions_compares(installed: Path) -> None:
    """Plain virtual machines have no AVX and no F16C: an unknown one ends the process."""
    assert said(installed, COMPARED, NUMBA_CPU_NAME="generic") == said(installed, COMPARED)
