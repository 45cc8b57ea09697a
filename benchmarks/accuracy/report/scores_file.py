"""``scores.npz``: every score with its pair, for recomputation. Stays with the data.

Arrays: ``mated``, ``nonmated`` (float32, higher is more similar), ``mated_pairs``,
``nonmated_pairs`` (int32, shape (count, 2): manifest rows of probe and reference, from 0),
``failed`` (int32: rows without a template).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.plan import Plan
from benchmarks.accuracy.scoring.compare_all import Compared

CHUNK: Final = 1_000_000


def write_scores(
    path: Path, method: str, compared: Compared, plan: Plan, failed: list[int],
    advance: Callable[[int], None] = lambda _: None,
) -> None:  # fmt: skip
    """Write the scores of one method."""
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for kind, scores, pairs in (
            ("mated", compared.mated[method], compared.mated_pairs),
            ("nonmated", compared.nonmated[method], compared.nonmated_pairs),
        ):
            _write(archive, kind, scores, advance)
            _write(archive, f"{kind}_pairs", pairs, advance, plan.rows)
        _write(archive, "failed", np.array(failed, np.int32), lambda _: None)


def _write(
    archive: ZipFile,
    name: str,
    values: NDArray[np.generic],
    advance: Callable[[int], None],
    numbers: NDArray[np.int32] | None = None,
) -> None:
    kind = values.dtype if numbers is None else numbers.dtype
    header = {
        "descr": kind.newbyteorder("<").str,
        "fortran_order": False,
        "shape": values.shape,
    }
    # A ZipInfo's default date is 1980: the same scores give the same file.
    entry = ZipInfo(f"{name}.npy")
    entry.compress_type = ZIP_DEFLATED
    with archive.open(entry, "w", force_zip64=True) as file:
        np.lib.format.write_array_header_1_0(file, header)
        for start in range(0, len(values), CHUNK):
            piece = np.ascontiguousarray(values[start : start + CHUNK])
            file.write((piece if numbers is None else numbers[piece.astype(np.intp)]).tobytes())
            advance(len(piece))
