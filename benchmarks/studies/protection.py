"""``thenar bench protection``: can databases under two keys be linked?

D↔sys of Gomez-Barrero et al. 2018 (General framework to evaluate unlinkability): 0 if scores
across databases say nothing about the palm, 1 if they say everything. For vectors plain and
rotated, and codes plain and encrypted.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from rich.console import Console

from benchmarks.calibration.fit import LabelledTemplate, labelled_templates
from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.measurement.result_files import result, write_result
from engine.comparison.compare import compare_codes
from engine.errors import EngineError
from engine.gallery.protection.rotated_gallery import VectorRotation
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Pairs = list[tuple[int, int]]

BINS: Final = 40

PAIRS: Final = 4_000

KEY_BYTES: Final = 32

_console = Console(stderr=True, highlight=False)


def protection(
    data: Annotated[Path, typer.Argument(help="Folder with manifest.csv and pictures.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")],
    seed: Annotated[int, typer.Option(help="Seed of the pairs.")] = 1,
) -> None:
    """Measure whether templates under two keys can be linked, and what rotation costs."""
    try:
        palms = read_palm_set(data)
        templates = labelled_templates(palms, load_pipeline(EngineSettings()), 10)
    except (DatasetFault, EngineError) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    numbers = measured(templates, seed)
    content = result(
        protocol="protection-1",
        palms=palms,
        parameters={"seed": seed, "bins": BINS},
        numbers=numbers,
        at=datetime.now(UTC),  # noqa: TID251 -- the date of a result
    )
    path = write_result(out, f"protection-{palms.name}", content)
    _console.print(numbers)
    _console.print(f"written to {path}", soft_wrap=True)


def measured(templates: Sequence[LabelledTemplate], seed: int) -> dict[str, Any]:
    """Measure vectors and codes of pairs, under one key and across two."""
    mated, non_mated = pairs_of(templates, seed)
    vectors = np.stack([each.template.vector for each in templates])
    plain = [each.template for each in templates]
    one, other = (
        np.stack(
            [
                t.vector
                for t in VectorRotation(secrets.token_bytes(KEY_BYTES), dim).rotate(plain)
            ]
        )
        for dim in (vectors.shape[1],) * 2
    )
    codes = np.stack([each.template.code for each in templates])
    encrypted = [np.stack([_encrypted(code) for code in codes]) for _ in range(2)]

    def linked(left: NDArray[Any], right: NDArray[Any], kind: Any) -> float:  # noqa: ANN401
        return unlinkability(kind(left, right, mated), kind(left, right, non_mated))

    same = _cosines(one, one, mated + non_mated) - _cosines(vectors, vectors, mated + non_mated)
    return {
        "pairs": {"mated": len(mated), "non_mated": len(non_mated)},
        "largest_change_of_a_cosine": float(np.abs(same).max()),
        "d_sys": {
            "vector_not_turned": linked(vectors, vectors, _cosines),
            "vector_under_two_keys": linked(one, other, _cosines),
            "code_in_clear": linked(codes, codes, _code_scores),
            "code_encrypted_under_two_keys": linked(encrypted[0], encrypted[1], _equal_bits),
        },
        "d_sys_of_as_many_scores_that_say_nothing": _noise_floor(mated, non_mated, seed),
    }


def unlinkability(mated: NDArray[np.floating], non_mated: NDArray[np.floating]) -> float:
    """Return D↔sys of scores across two databases, 0 to 1, for equal priors.

    From histograms: a few thousand random scores give some hundredths, not 0.
    """
    both = np.concatenate([mated, non_mated]).astype(np.float64)
    edges = np.linspace(both.min(), both.max() + 1e-12, BINS + 1)
    of_mated = np.histogram(mated, edges)[0] / len(mated)
    of_others = np.histogram(non_mated, edges)[0] / len(non_mated)
    total = of_mated + of_others
    local = np.divide(of_mated - of_others, total, out=np.zeros(BINS), where=total > 0)
    return float((of_mated * np.maximum(local, 0)).sum())


def pairs_of(templates: Sequence[LabelledTemplate], seed: int) -> tuple[Pairs, Pairs]:
    """Choose as many mated as non-mated pairs, each of one side."""
    generator = np.random.default_rng(seed)
    places: dict[str, list[int]] = {}
    sides: dict[object, list[int]] = {}
    for place, each in enumerate(templates):
        places.setdefault(each.identity, []).append(place)
        sides.setdefault(each.template.hand, []).append(place)
    mated = [(a, b) for own in places.values() for n, a in enumerate(own) for b in own[n + 1 :]]
    chosen = generator.permutation(len(mated))[:PAIRS]
    mated = [mated[number] for number in chosen]
    non_mated: Pairs = []
    while len(non_mated) < len(mated):
        side = list(sides.values())[generator.integers(len(sides))]
        a, b = (int(side[n]) for n in generator.integers(len(side), size=2))
        if templates[a].identity != templates[b].identity:
            non_mated.append((a, b))
    return mated, non_mated


def _cosines(left: NDArray[Any], right: NDArray[Any], pairs: Pairs) -> NDArray[np.float64]:
    first, second = np.array(pairs).T
    cosines: NDArray[np.float64] = (left[first].astype(np.float64) * right[second]).sum(axis=1)
    return cosines


def _code_scores(left: NDArray[Any], right: NDArray[Any], pairs: Pairs) -> NDArray[np.float64]:
    scores = [1 - compare_codes(left[a], right[[b]])[0] for a, b in pairs]
    return np.array(scores, np.float64)


def _equal_bits(left: NDArray[Any], right: NDArray[Any], pairs: Pairs) -> NDArray[np.float64]:
    first, second = np.array(pairs).T
    different = np.bitwise_count(left[first] ^ right[second]).sum(axis=1)
    equal: NDArray[np.float64] = 1 - different / (8 * left.shape[1])
    return equal


def _encrypted(code: NDArray[np.uint8]) -> NDArray[np.uint8]:
    encrypted = AESGCM(secrets.token_bytes(KEY_BYTES)).encrypt(bytes(12), code.tobytes(), None)
    return np.frombuffer(encrypted, np.uint8)


def _noise_floor(mated: Pairs, non_mated: Pairs, seed: int) -> float:
    generator = np.random.default_rng(seed)
    return unlinkability(
        generator.standard_normal(len(mated)), generator.standard_normal(len(non_mated))
    )
