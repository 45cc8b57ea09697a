"""compiled: what is kept between processes holds for them; no machine lacks an instruction."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import engine

COMPARED = """
import numpy as np
import engine.parameters
engine.parameters.CODE_NON_MATED_DISTANCE = {distance}
from engine.comparison.compare import compare_codes
codes = np.random.default_rng(1).integers(0, 256, (2, 512), np.uint8)
print(compare_codes(codes[0], codes[1:])[0])
"""

INNER = """
from engine.comparison.kernels.build import compiled

@compiled
def number():
    return {number}
"""

OUTER = """
from engine.comparison.kernels.build import compiled
from inner import number

@compiled
def doubled():
    return 2 * number()
"""

HALVES = """
import numpy as np
from engine.gallery.rows.half_vectors import products
from engine.gallery.search.scan_kernel import prepare
prepare()
halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
halves = halves[np.isfinite(halves)]
rows, one = np.arange(len(halves)), np.ones((1, 1), np.float32)
widened = products(halves.view(np.uint16)[:, None], rows, one)[0]
print((widened == halves.astype(np.float32)).all())
"""


def said(program: str, cache: Path, **environment: str) -> str:
    """What a program prints in a process of its own, whose compiled loops are kept there."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program],
        env={"NUMBA_CACHE_DIR": str(cache), **environment},
        cwd=Path(engine.__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_changed_number_is_compiled_anew(tmp_path):
    """An update that changes a parameter must not go on comparing by the former one."""
    before = float(said(COMPARED.format(distance=0.42), tmp_path))
    after = float(said(COMPARED.format(distance=0.3), tmp_path))

    assert after < before  # cells that are not seen count as those of nearer strangers


def test_a_changed_function_of_another_module_is_compiled_anew(tmp_path):
    """It is part of the machine code of whatever calls it, though that file stays as it was."""
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(INNER.format(number=2))
    before = said(
        "from outer import doubled; print(doubled())", tmp_path, PYTHONPATH=str(tmp_path)
    )
    (tmp_path / "inner.py").write_text(INNER.format(number=21))
    after = said(
        "from outer import doubled; print(doubled())", tmp_path, PYTHONPATH=str(tmp_path)
    )

    assert (before, after) == ("4", "42")


def test_a_machine_without_instructions_searches(tmp_path):
    """Plain virtual machines have no AVX and no F16C: asked for, they end the process."""
    assert said(HALVES, tmp_path, NUMBA_CPU_NAME="generic") == "True"
