"""Comparison methods by name.

``fused`` is the service's comparison score: ``code`` minus the vector penalty
(``engine.comparison.compare``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.scoring.matcher import MatchedPictures, Matcher, parse_matcher
from benchmarks.errors import BenchmarkFault
from engine.comparison.compare import VectorPenalty, compare_shifted, penalised_scores

Scores = NDArray[np.float32]
ShiftedDistances = tuple[Scores, NDArray[np.int64]]

CODE: Final = "code"
VECTOR: Final = "vector"
FUSED: Final = "fused"

SHIFT_METHODS: Final = frozenset({CODE, FUSED})
"""Methods that compare codes at every shift: nearly all of their time."""

BASELINES: Final = (CODE, VECTOR)

TITLES: Final = {
    CODE: "competitive code, shift search",
    VECTOR: "extractor's vector, cosine",
    FUSED: "fused: code score minus the vector penalty",
}


class UnknownMethod(BenchmarkFault):
    """No such method, or its file is missing."""


@dataclass(frozen=True, slots=True)
class Methods:
    """Methods of a run.

    Attributes:
        names: the requested one first.
        networks: ONNX files, in the order of their vectors.
        matchers: commands of others.
    """

    names: tuple[str, ...]
    networks: tuple[Path, ...]
    matchers: tuple[Matcher, ...] = ()

    def title(self, name: str) -> str:
        """Return a method's name in a report."""
        return TITLES.get(name, name)


@dataclass(frozen=True, slots=True)
class Features:
    """Features of palms, one row per template.

    Attributes:
        codes: shape (count, 512), uint8.
        vectors: by method, shape (count, dimension), float32, L2 norm 1; ``VECTOR`` is the
            extractor's.
        matchers: pictures that a command compares, by method.
    """

    codes: NDArray[np.uint8] = field(repr=False)
    vectors: dict[str, NDArray[np.float32]] = field(repr=False)
    vector_penalty: VectorPenalty
    matchers: dict[str, MatchedPictures] = field(default_factory=dict)

    def compare_shifted_run(self, probe: int, start: int, end: int) -> ShiftedDistances:
        """Compare a template's code with a range of others at every shift.

        Returns:
            Distances and shifts of ``engine.comparison.compare.compare_shifted``.
        """
        return compare_shifted(self.codes[probe], self.codes[start:end])

    def scores(
        self,
        method: str,
        probe: int,
        start: int,
        end: int,
        shifted: ShiftedDistances | None = None,
    ) -> Scores:
        """Compare a template with a range of others; higher is more similar.

        Returns:
            Shape (end − start,), float32: 0 to 1 for codes, −1 to 1 for vectors, any number
            of a command.
        """
        if method in self.matchers:
            return self.matchers[method].scores(probe, start, end)
        if method == CODE:
            return 1 - (shifted or self.compare_shifted_run(probe, start, end))[0]
        vectors = self.vectors[VECTOR if method == FUSED else method]
        cosines = np.asarray(vectors[start:end] @ vectors[probe], np.float32)
        if method != FUSED:
            return cosines
        return penalised_scores(
            *(shifted or self.compare_shifted_run(probe, start, end)),
            cosines,
            self.vector_penalty,
        )


def choose_methods(asked: Sequence[str], *, baselines: bool = True) -> Methods:
    """Resolve method names."""
    names: list[str] = []
    networks: list[Path] = []
    for name in asked:
        if name.endswith(".onnx"):
            networks.append(_file(name))
            names.append(networks[-1].name)
        elif name in (FUSED, *BASELINES):
            names.append(name)
        else:
            known = ", ".join((FUSED, *BASELINES))
            raise UnknownMethod(f"unknown method {name!r}; choose from {known} and FILE.onnx")
    unique = tuple(dict.fromkeys([*names, *(BASELINES if baselines else ())]))
    return Methods(unique, tuple(dict.fromkeys(networks)))


def with_matchers(methods: Methods, commands: Sequence[str], timeout_s: float) -> Methods:
    """Put other programs before the methods: the first one is reported in full.

    Raises:
        MatcherFault: no such program.
        UnknownMethod: two commands have one name.
    """
    matchers = tuple(parse_matcher(command, timeout_s) for command in commands)
    names = tuple(matcher.name for matcher in matchers)
    if len({*names, *methods.names}) < len(names) + len(methods.names):
        raise UnknownMethod("two methods have the same name; rename a program")
    return Methods((*names, *methods.names), methods.networks, matchers)


def _file(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise UnknownMethod(f"no file {name}")
    return path
