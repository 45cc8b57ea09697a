"""Error rates of scores that another program made."""

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.rates.error_rates import ErrorRates, error_rates
from benchmarks.accuracy.rates.evaluation import FMRS, Evaluation, errors_at, key_figures
from benchmarks.accuracy.report import plots
from benchmarks.console import BenchmarkFault, console, print_written
from benchmarks.measurement import digest_of, made_by, rounded, write_result

Numbers = NDArray[np.float64]

PYEER_FILES: Final = ("genuine.txt", "impostor.txt")


def evaluate(files: list[Path], out: Path) -> None:
    """Write page and figures of files of scores. Raises BenchmarkFault."""
    mated, nonmated = _read(files)
    rates = error_rates(mated, nonmated)
    content = {
        **made_by("scores-1"),
        "data": {path.name: digest_of(path) for path in files},
        "comparisons": {"mated": rates.mated.size, "nonmated": rates.nonmated.size},
        "eer": rounded(rates.equal_error_rate()),
        **key_figures(rates),
        "operating_points": [errors_at(rates, rates.threshold_for_fmr(f), f) for f in FMRS],
    }
    _write(out, rates, content)


def _read(files: list[Path]) -> tuple[Numbers, Numbers]:
    """Return mated and non-mated scores. Raises BenchmarkFault."""
    if len(files) > 2:
        raise BenchmarkFault("give one file or two")
    if files[0].suffix == ".npz":
        with np.load(files[0]) as arrays:
            both = arrays["mated"], arrays["nonmated"]
    elif len(files) == 1:
        table = _columns(files[0], 2)
        both = table[table[:, 1] == 1, 0], table[table[:, 1] == 0, 0]
    else:
        both = _columns(files[0], 1)[:, 0], _columns(files[1], 1)[:, 0]
    if not (both[0].size and both[1].size):
        raise BenchmarkFault("there are no mated, or no non-mated scores")
    return both


def _columns(path: Path, count: int) -> Numbers:
    try:
        lines = path.read_text("utf-8").replace(",", " ").splitlines()
        table = np.loadtxt(lines, ndmin=2)
    except (OSError, ValueError) as fault:
        raise BenchmarkFault(f"{path}: no table of numbers") from fault
    is_sound = table.shape[1] == count and np.isfinite(table).all()
    if not (is_sound and np.isin(table[:, 1:], (0, 1)).all()):
        raise BenchmarkFault(f"{path}: a line is a score, in a single file with 1 or 0")
    return table


def _write(out: Path, rates: ErrorRates, content: dict[str, Any]) -> None:
    console.print({name: content[name] for name in ("comparisons", "eer", *key_figures(rates))})
    path = write_result(out, "report", content)
    curve = [Evaluation("scores", rates, None, {})]
    (out / "det.svg").write_text(plots.det_plot(curve, ["scores"]), "utf-8")
    (out / "roc.svg").write_text(plots.roc_plot(curve, ["scores"]), "utf-8")
    for name, values in zip(PYEER_FILES, (rates.mated, rates.nonmated), strict=True):
        np.savetxt(out / name, values, "%.9g")
    print_written(path)
