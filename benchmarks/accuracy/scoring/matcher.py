"""A matcher of somebody else: a command that is given two pictures and prints a score.

Exit status 0: the last word printed is the score, higher is more similar. Exit status 3: one of
the pictures cannot be used. Anything else ends the run.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.accuracy.processes import in_order
from benchmarks.errors import BenchmarkFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from benchmarks.datasets.manifest import Picture

    Scores = NDArray[np.float32]

NOT_ACQUIRED_STATUS: Final = 3
"""Exit status of a command that cannot use one of its pictures."""

NOT_COMPARED: Final = -np.inf
"""Score of a comparison that the command could not make."""

NAME_LETTERS: Final = 60
"""Of a command, in tables and plots."""

LARGEST: Final = float(np.finfo(np.float32).max)
"""Largest score that can be kept."""

TOLD_LETTERS: Final = 2_000
"""Of a program's last words, in an error."""


class MatcherFault(BenchmarkFault):
    """The command cannot be run, failed, took too long, or printed no score."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """A command with the limit of one comparison.

    Attributes:
        words: the program and its first arguments; two files follow.
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
        """Return the score of two pictures, or ``NOT_COMPARED``. Raises MatcherFault."""
        files = [str(path.resolve()) for path in (probe, reference)]
        try:
            done = subprocess.run(  # noqa: S603 - the engineer's own command
                [*self.words, *files],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            fault = f"{self.name}: no score within {self.timeout_s:g} s"
            raise MatcherFault(_with_words(fault, late.stderr)) from late
        except OSError as error:
            raise MatcherFault(f"{self.name}: {error.strerror}") from error
        if done.returncode == NOT_ACQUIRED_STATUS:
            return NOT_COMPARED
        if done.returncode != 0:
            fault = f"{self.name}: exit status {done.returncode}"
            raise MatcherFault(_with_words(fault, done.stderr))
        return self._score(done)

    def _score(self, done: subprocess.CompletedProcess[bytes]) -> float:
        try:
            score = float(done.stdout.split()[-1])
        except (IndexError, ValueError):
            score = np.inf
        if not abs(score) <= LARGEST:
            fault = f"{self.name}: printed no finite number: {_text(done.stdout)[-80:]!r}"
            raise MatcherFault(_with_words(fault, done.stderr))
        return score


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
    """Parse a command as a shell would, without running one. Raises MatcherFault."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise MatcherFault(f"{command}: {error}") from error
    if not words or shutil.which(words[0]) is None:
        raise MatcherFault(f"no program {words[0] if words else command!r}")
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


def _with_words(fault: str, stderr: bytes | None) -> str:
    words = _text(stderr or b"")
    return f"{fault}; it said:\n{words}" if words else fault


def _text(octets: bytes) -> str:
    return octets.decode("utf-8", "replace").strip()[-TOLD_LETTERS:]
