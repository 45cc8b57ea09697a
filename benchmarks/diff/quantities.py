"""Read the quantities of a result by its protocol: accuracy, search, extract and oidc."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from benchmarks.diff.judge import Quantity
from benchmarks.errors import BenchmarkFault
from benchmarks.measurement.rates import rate
from benchmarks.search.identification import OBSERVED

Content = Mapping[str, Any]
Reader = Callable[[Content, float], Iterator[Quantity]]

FPIR: Final = "fpir_0.001"
"""Operating point of the mates that a search loses."""

LOST_MATES: Final = {
    "lost_by_the_scan": "mates lost by the scan",
    "not_among_the_compared": "mates not compared",
    "outranked_by_a_stranger": "mates outranked",
}


class NotComparable(BenchmarkFault):
    """The two files are not results of one benchmark on one set of data."""


def read_quantities(content: Content, tolerance: float) -> dict[str, Quantity]:
    """Return the quantities of a result by name.

    Args:
        content: a result, or the results of several sets by name.
        tolerance: half of the relative interval of times and ratios, which have none.

    Raises:
        NotComparable: a result of another benchmark.
    """
    if "protocol" not in content:
        return {
            f"{name}: {each}": quantity
            for name, one in content.items()
            for each, quantity in read_quantities(_result(one), tolerance).items()
        }
    reader = READERS.get(benchmark_of(content))
    if reader is None:
        raise NotComparable(f"results of {content['protocol']} cannot be compared")
    try:
        return {each.name: each for each in reader(content, tolerance)}
    except (KeyError, TypeError, ValueError) as error:
        raise NotComparable(f"not a result of {content['protocol']}: {error!r}") from error


def benchmark_of(content: Content) -> str:
    """Return the benchmark of a protocol, without its version."""
    return str(content["protocol"]).partition("-")[0]


def reported_method(content: Content) -> str:
    """Return the method that a result of accuracy reports in full; empty for others."""
    return next(iter(content.get("methods", ())), "")


def require_same_data(old: Content, new: Content) -> None:
    """Check that two results are of one benchmark and one set of data."""
    if "protocol" not in old or "protocol" not in new:
        for name in old.keys() & new.keys() if "protocol" not in {*old, *new} else ():
            require_same_data(_result(old[name]), _result(new[name]))
        return
    if benchmark_of(old) != benchmark_of(new):
        raise NotComparable(f"{old['protocol']} and {new['protocol']} are two benchmarks")
    digests = [one.get("data", {}).get("manifest_sha256") for one in (old, new)]
    if digests[0] != digests[1]:
        raise NotComparable("the two results are of different data")


def _result(content: object) -> Content:
    if not isinstance(content, dict) or "protocol" not in content:
        raise NotComparable("a file is no result of thenar bench")
    return content


def _accuracy(content: Content, _: float) -> Iterator[Quantity]:
    """Yield the errors of the method that is reported in full."""
    method = content["methods"][reported_method(content)]
    yield from _share("FTA", content["acquisition"]["fta"])
    if "eer" in method:
        eer = method["eer"]
        low, high = eer["interval_95"]
        yield Quantity("EER", eer["value"], low, high, "%")
    for point in method.get("operating_points", ()):
        if point["fmr"]["supported"]:
            yield from _share(f"FNMR at FMR {point['fmr_target']:g}", point["fnmr"])
    for point in content.get("calibration", ()):
        calibrated = f"calibrated for FMR {point['fmr_stated']:g}"
        yield from _share(f"FMR, {calibrated}", point["fmr"])
        yield from _share(f"FNMR, {calibrated}", point["fnmr"])
    yield from _share("rank 1", method["identification"]["rank_1"], is_floor=True)


def _share(name: str, numbers: Content, *, is_floor: bool = False) -> Iterator[Quantity]:
    if numbers["share"] is not None:
        low, high = numbers["interval_95"]
        yield Quantity(name, numbers["share"], low, high, "%", is_floor)


def _search(content: Content, tolerance: float) -> Iterator[Quantity]:
    for size in content["sizes"]:
        rows = f"{size['rows']:,} rows"
        mates = size["mates"][FPIR]
        for key, name in LOST_MATES.items():
            if key in mates:
                lost = rate(mates[key], mates["above_threshold"])
                yield Quantity(f"{rows}: {name}", lost.share, lost.low, lost.high, "%")
        if "identification" in size:
            yield from _share(f"{rows}: FNIR", size["identification"][OBSERVED]["fnir"])
        whole = size["whole_search"]["cpu_ms"]
        yield _inexact(f"{rows}: whole search", whole, tolerance, "ms")
        if "duel" in size:
            yield from _in_memory(rows, size, tolerance)


def _in_memory(rows: str, size: Content, tolerance: float) -> Iterator[Quantity]:
    faster = size["duel"]["whole_search"]["times_faster"]
    name = f"{rows}: whole search against IndexFlatIP"
    yield _inexact(name, faster, tolerance, "×", is_floor=True)
    for key in ("enrol", "erase"):
        yield _inexact(f"{rows}: {key}, p50", size["changes"][key]["p50_ms"], tolerance, "ms")
    octets = size["start"]["resident_bytes_per_row"]
    yield _inexact(f"{rows}: memory a row", octets, tolerance, "B")


def _extract(content: Content, tolerance: float) -> Iterator[Quantity]:
    for stage, times in content["stages"].items():
        yield _inexact(stage.replace("_", " "), times["cpu_ms"], tolerance, "ms")


def _oidc(content: Content, tolerance: float) -> Iterator[Quantity]:
    """Yield what was measured in turn with the peer; a second alone depends on the machine."""
    for provider, requests in content["times_peer"].items():
        for request, times in requests.items():
            name = f"{provider}: {request} against the peer"
            yield _inexact(name, times["times_peer"], tolerance, "×", is_floor=True)


def _inexact(
    name: str, value: float, tolerance: float, unit: str, *, is_floor: bool = False
) -> Quantity:
    ends = value * (1 - tolerance), value * (1 + tolerance)
    return Quantity(name, value, *ends, unit, is_floor)


READERS: Final[dict[str, Reader]] = {
    "accuracy": _accuracy,
    "search": _search,
    "extract": _extract,
    "oidc": _oidc,
}
