"""Comparison methods by name, and another maker's matcher as one of them.

A matcher is a program that reads pairs of pictures and prints their scores. It is started once
in each process, reads two paths a line, tab between them, and answers with a line: a number,
higher is more similar, or ``nan`` if it cannot use a picture. Anything else ends the run.

``fused`` is the service's comparison score: ``code`` minus the vector penalty
(``engine.comparison.compare``). ``claimed`` is what a verification makes of it: the probe is
laid over the reference, too (``engine.comparison.alignment``).
"""

import atexit
import math
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryFile
from threading import Timer
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.processes import in_order
from benchmarks.console import BenchmarkFault
from benchmarks.datasets import EXTRACTOR, Picture
from engine.comparison.alignment import compare_claimed
from engine.comparison.compare import VectorPenalty, compare_shifted, penalised_scores
from engine.types import Hand, PalmTemplate

Scores = NDArray[np.float32]

NOT_COMPARED: Final = -np.inf
"""Score of a comparison that the command could not make."""

NAME_LETTERS: Final = 60
"""Of a command, in tables and plots."""

LARGEST: Final = float(np.finfo(np.float32).max)
"""Largest score that can be kept."""

REPORTED_LETTERS: Final = 2_000
"""Characters of a program's last output that an error quotes."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """A command with the limit of one comparison.

    Attributes:
        words: the program and its arguments.
    """

    words: tuple[str, ...]
    timeout_s: float

    @property
    def name(self) -> str:
        """Return the command without folders: results are shown to others."""
        words = (Path(word).name or word for word in self.words)
        # A dollar sign would begin a formula in a plot.
        return " ".join(words).replace("$", "")[:NAME_LETTERS]

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of each file in the command, hexadecimal."""
        found = [shutil.which(self.words[0]) or "", *self.words[1:]]
        files = [path for path in map(Path, found) if path.is_file()]
        return {path.name: sha256(path.read_bytes()).hexdigest() for path in files}

    def compare(self, probe: Path, reference: Path) -> float:
        """Return the score of two pictures, or ``NOT_COMPARED``. Raises BenchmarkFault."""
        program = _started(self)
        answer = program.answer(f"{probe.resolve()}\t{reference.resolve()}\n".encode())
        try:
            score = float(answer)
        except ValueError:
            score = math.inf
        if math.isnan(score):
            return NOT_COMPARED
        if abs(score) > LARGEST:
            printed = f"no number: {_text(answer)!r}" if answer else "no score"
            raise BenchmarkFault(f"{self.name}: {printed}; {program.end()}")
        return score


class _Program:
    """A matcher's process, and what it says on stderr."""

    def __init__(self, matcher: Matcher) -> None:
        self._timeout_s, self._said = matcher.timeout_s, TemporaryFile()  # noqa: SIM115 - kept
        # Without buffers: nothing is left to write when the program has ended.
        self._process: Any = Popen(  # noqa: S603 - the engineer's own command
            matcher.words, bufsize=0, stdin=PIPE, stdout=PIPE, stderr=self._said
        )
        atexit.register(self.end)

    def answer(self, pair: bytes) -> bytes:
        """Return the line that answers a pair; empty if the program ends, or is late."""
        with suppress(BrokenPipeError), self._limited():
            self._process.stdin.write(pair)
            return bytes(self._process.stdout.readline())
        return b""

    def end(self) -> str:
        """End the program; return how it ended, and what it said."""
        atexit.unregister(self.end)
        with self._process, self._said:
            self._process.stdin.close()
            with self._limited():
                status = self._process.wait()
            self._said.seek(0)
            words = _text(self._said.read())
        ended = (
            f"exit status {status}" if status >= 0 else f"killed after {self._timeout_s:g} s"
        )
        return f"{ended}; it said:\n{words}" if words else ended

    @contextmanager
    def _limited(self) -> Iterator[None]:
        late = Timer(self._timeout_s, self._process.kill)
        late.start()
        try:
            yield
        finally:
            late.cancel()


_started = cache(_Program)


@dataclass(frozen=True, slots=True)
class MatchedPictures:
    """Pictures of a plan, in its order, compared by a matcher.

    Attributes:
        failed: which of them it cannot acquire, shape (count,).
    """

    matcher: Matcher
    paths: tuple[Path, ...] = field(repr=False)
    failed: NDArray[np.bool_] = field(repr=False)

    def scores(self, probe: int, start: int, end: int) -> Scores:
        """Compare a picture with a range of others, shape (end − start,), float32."""
        return np.array([self._score(probe, other) for other in range(start, end)], np.float32)

    def _score(self, probe: int, reference: int) -> float:
        if self.failed[probe] or self.failed[reference]:
            return NOT_COMPARED
        return self.matcher.compare(self.paths[probe], self.paths[reference])


def parse_matcher(command: str, timeout_s: float) -> Matcher:
    """Parse a command as a shell would, without running one. Raises BenchmarkFault."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise BenchmarkFault(f"{command}: {error}") from error
    if not words or shutil.which(words[0]) is None:
        raise BenchmarkFault(f"no program {words[0] if words else command!r}")
    return Matcher(words, timeout_s)


def try_pictures(
    matcher: Matcher,
    pictures: Sequence[Picture],
    *,
    workers: int,
    advance: Callable[[int], None],
) -> MatchedPictures:
    """Find out which pictures a matcher can acquire: each is compared with itself."""
    paths = tuple(picture.path for picture in pictures)
    jobs = ((matcher, path) for path in paths)
    tried: Iterator[float] = in_order(_try_picture, jobs, workers=workers)
    failed = np.zeros(len(paths), np.bool_)
    for place, score in enumerate(tried):
        failed[place] = score == NOT_COMPARED
        advance(1)
    return MatchedPictures(matcher, paths, failed)


def _try_picture(job: tuple[Matcher, Path]) -> float:
    matcher, path = job
    return matcher.compare(path, path)


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "replace").strip()[-REPORTED_LETTERS:]


ShiftedDistances = tuple[Scores, NDArray[np.int64]]

CODE: Final = "code"
VECTOR: Final = "vector"
FUSED: Final = "fused"
CLAIMED: Final = "claimed"

OURS: Final = (CLAIMED, FUSED)
"""What the service decides by: these are calibrated."""

SHIFT_METHODS: Final = frozenset({CODE, *OURS})
"""Methods that compare codes at every shift: nearly all of their time."""

BASELINES: Final = (CODE, VECTOR)

TITLES: Final = {
    CODE: "competitive code, shift search",
    VECTOR: "extractor's vector, cosine",
    FUSED: "fused: code score minus the vector penalty",
    CLAIMED: "claimed: fused, or higher where the probe is laid over the reference",
}


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
        codes: shape (count, n × 512), uint8.
        vectors: by method, shape (count, dimension), float32, L2 norm 1; ``VECTOR`` is the
            extractor's.
        matchers: pictures that a command compares, by method.
        dense: codes of probes, by which they are aligned.
    """

    codes: NDArray[np.uint8] = field(repr=False)
    vectors: dict[str, NDArray[np.float32]] = field(repr=False)
    vector_penalty: VectorPenalty
    matchers: dict[str, MatchedPictures] = field(default_factory=dict)
    dense: Sequence[NDArray[np.uint8] | None] = field(default=(), repr=False)

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
        vectors = self.vectors[VECTOR if method in OURS else method]
        cosines = np.asarray(vectors[start:end] @ vectors[probe], np.float32)
        if method not in OURS:
            return cosines
        fused = penalised_scores(
            *(shifted or self.compare_shifted_run(probe, start, end)),
            cosines,
            self.vector_penalty,
        )
        if method == FUSED:
            return fused
        references = [*map(self._template, range(start, end))]
        return compare_claimed(self._template(probe), references, plain=fused)

    def _template(self, row: int) -> PalmTemplate:
        # Only palms of one hand are compared; which one does not matter here.
        vector, dense = self.vectors[VECTOR][row], self.dense[row]
        return PalmTemplate(EXTRACTOR, Hand.LEFT, vector, self.codes[row], dense)


def choose_methods(asked: Sequence[str], *, baselines: bool = True) -> Methods:
    """Resolve method names."""
    names: list[str] = []
    networks: list[Path] = []
    for name in asked:
        if name.endswith(".onnx"):
            networks.append(_file(name))
            names.append(networks[-1].name)
        elif name in (*OURS, *BASELINES):
            names.append(name)
        else:
            known = ", ".join((*OURS, *BASELINES))
            raise BenchmarkFault(f"unknown method {name!r}; choose from {known} and FILE.onnx")
    unique = tuple(dict.fromkeys([*names, *(BASELINES if baselines else ())]))
    return Methods(unique, tuple(dict.fromkeys(networks)))


def with_matchers(methods: Methods, commands: Sequence[str], timeout_s: float) -> Methods:
    """Put other programs before the methods: the first one is reported in full.

    Raises:
        BenchmarkFault: no such program, or two commands have one name.
    """
    matchers = tuple(parse_matcher(command, timeout_s) for command in commands)
    names = tuple(matcher.name for matcher in matchers)
    if len({*names, *methods.names}) < len(names) + len(methods.names):
        raise BenchmarkFault("two methods have the same name; rename a program")
    return Methods((*names, *methods.names), methods.networks, matchers)


def _file(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise BenchmarkFault(f"no file {name}")
    return path
