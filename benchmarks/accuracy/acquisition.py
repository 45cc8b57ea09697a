"""Extract features from pictures, or the reason of failure.

Every method is measured on the same pictures: those that pass the engine's quality checks.

A palm graph in an ONNX file is run as the engine does, and measured by its vectors.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.processes import in_order
from benchmarks.datasets import Picture, located, read_sample, reason_of
from engine.errors import EngineError, ModelFault
from engine.networks.onnx_model import OnnxModel
from engine.pipeline import PalmPipeline, load_pipeline
from engine.settings import EngineSettings
from engine.types import Hand, PalmLandmarks, PalmRoi, PalmSample

INPUTS: Final = {"picture", "landmarks", "right"}


class PalmNetwork:
    """Makes the vector of a palm.

    Raises:
        ModelFault: missing, not ONNX, or no palm graph.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise ModelFault(f"no file {path.name}")
        self._model = OnnxModel(path, sha256=sha256(path.read_bytes()).hexdigest())
        if set(self._model.inputs) != INPUTS or "vector" not in self._model.outputs:
            raise ModelFault(f"{path.name} has not the inputs and outputs of a palm graph")

    def vector_of(self, sample: PalmSample, landmarks: PalmLandmarks) -> NDArray[np.float32]:
        """Return the palm's vector, shape (dimension,), float32, L2 norm 1."""
        given: dict[str, NDArray[Any]] = {
            "picture": sample.pixels,
            "landmarks": landmarks.points.astype(np.float32),
            "right": np.array(landmarks.hand is Hand.RIGHT),
        }
        vector = self._model.run(given)["vector"].reshape(-1).astype(np.float32)
        return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), np.float32)


NEGATIVE: Final = "negative"


@dataclass(frozen=True, slots=True)
class Acquired:
    """Features of one picture.

    Attributes:
        row: of the manifest, from 0.
        hand: detected or, for a crop, given side.
        code: shape (n × 512,), uint8.
        vectors: of the extractor, then of each network, L2 norm 1, float32.
        dense: as ``PalmTemplate.dense``.
    """

    row: int
    hand: Hand
    code: NDArray[np.uint8] = field(repr=False)
    vectors: tuple[NDArray[np.float32], ...] = field(repr=False)
    dense: NDArray[np.uint8] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class NotAcquired:
    """A picture without a template.

    Attributes:
        row: of the manifest, from 0.
        reason: the engine's error code, with the failed quality check.
    """

    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class NegativeSeen:
    """A picture without a hand in which the locator found one."""

    row: int


Outcome = Acquired | NotAcquired | NegativeSeen


def acquire(
    pictures: Sequence[Picture], networks: Sequence[Path], *, workers: int
) -> Iterator[Outcome]:
    """Yield the outcome of each picture, in order."""
    work = partial(_acquire_job, tuple(networks))
    return in_order(work, enumerate(pictures), workers=workers)


def region_of(pipeline: PalmPipeline, picture: Picture) -> PalmRoi:
    """Return the region of interest of an acquired picture."""
    sample = read_sample(picture.path)
    return pipeline.extractor.extract(sample, located(pipeline, picture, sample)).roi


@cache
def _loaded(networks: tuple[Path, ...]) -> tuple[PalmPipeline, list[PalmNetwork]]:
    """Load the networks once in each process: they cannot be sent to it."""
    return load_pipeline(EngineSettings()), [PalmNetwork(path) for path in networks]


def _acquire_job(networks: tuple[Path, ...], job: tuple[int, Picture]) -> Outcome:
    (row, picture), (pipeline, others) = job, _loaded(networks)
    try:
        sample = read_sample(picture.path)
        landmarks = located(pipeline, picture, sample)
        if picture.kind == NEGATIVE:
            return NegativeSeen(row)
        extraction = pipeline.extractor.extract(sample, landmarks)
    except EngineError as fault:
        return NotAcquired(row, reason_of(fault))
    template = extraction.template
    vectors: list[Any] = [template.vector]
    vectors += [network.vector_of(sample, landmarks) for network in others]
    return Acquired(row, template.hand, template.code, tuple(vectors), template.dense)
