"""``scores.npz``: every score with its pair, so that others can recompute. Stays with the data.

Arrays: ``mated``, ``nonmated`` (float32, higher is more similar), ``mated_pairs``,
``nonmated_pairs`` (int32, shape (count, 2): probe and reference as rows of the manifest, the
first row after its heading is 0), ``failed`` (int32: rows that gave no template).
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from benchmarks.accuracy.compare_all import Compared
    from benchmarks.accuracy.plan import Plan

CHUNK: Final = 1_000_000
"""Rows written at once."""


def write_scores(
    path: Path, method: str, compared: Compared, plan: Plan, failed: list[int]
) -> None:
    """Write the scores of one method."""
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        _write(archive, "mated", compared.mated[method])
        _write(archive, "nonmated", compared.nonmated[method])
        _write(archive, "mated_pairs", compared.mated_pairs, plan.rows)
        _write(archive, "nonmated_pairs", compared.nonmated_pairs, plan.rows)
        _write(archive, "failed", np.array(failed, np.int32))


def _write(
    archive: ZipFile,
    name: str,
    values: NDArray[np.generic],
    numbers: NDArray[np.int32] | None = None,
) -> None:
    """Write an array in pieces, so that it is never copied whole.

    Args:
        archive: the file.
        name: of the array.
        values: the array.
        numbers: what its values stand for, if not for themselves.
    """
    kind = values.dtype if numbers is None else numbers.dtype
    header = {
        "descr": kind.newbyteorder("<").str,
        "fortran_order": False,
        "shape": values.shape,
    }
    # The date of a ZipInfo without one is 1980: the same scores give the same file.
    entry = ZipInfo(f"{name}.npy")
    entry.compress_type = ZIP_DEFLATED
    with archive.open(entry, "w", force_zip64=True) as file:
        np.lib.format.write_array_header_1_0(file, header)
        _write_values(file, values, numbers)


def _write_values(
    file: IO[bytes], values: NDArray[np.generic], numbers: NDArray[np.int32] | None
) -> None:
    """Write the values after the header."""
    for start in range(0, len(values), CHUNK):
        piece = np.ascontiguousarray(values[start : start + CHUNK])
        file.write((piece if numbers is None else numbers[piece.astype(np.intp)]).tobytes())
