"""Templates of drawn palms for benchmarks: ``thenar models templates``.

A folder of parts, each the palms of one sensor: vectors in half precision and codes, no
picture. An interrupted run continues, and several may fill one folder: a part gets its name
only when complete. A folder made with other options is refused.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import cv2
import numpy as np
import typer
from numpy.typing import NDArray

from engine.extract import Extractor, load_extractor
from engine.networks.manifest import read_manifest
from engine.roi import landmarks_on_square
from engine.settings import PALM_GRAPH, EngineSettings
from engine.types import Hand, PalmSample, PalmTemplate
from models.console import console, progress, reported_faults
from models.processes import claim, in_processes
from models.synthesis.crop.style import SENSOR, Variation
from models.training.sample_store import draw_samples

PLAN_FILE: Final = "templates.json"


@dataclass(frozen=True, slots=True)
class TemplatePlan:
    """The parameters of a folder's templates. The number of palms may grow.

    Attributes:
        seed: of the palms; use another than a training's, so that none was learnt from.
        views: samples of each palm.
        shift: deviation of their misplacement, as ``Variation.shift``.
        graph: SHA-256 of the palm graph.
    """

    seed: int
    views: int
    shift: float
    graph: str


def prepare_templates(
    folder: Path, graph: Path, *, seed: int, views: int, shift: float
) -> TemplatePlan:
    """Prepare a folder; ``graph`` is the palm graph's file.

    Raises:
        ModelsError: the folder holds templates of another plan.
    """
    plan = TemplatePlan(seed, views, shift, sha256(graph.read_bytes()).hexdigest())
    claim(folder, PLAN_FILE, asdict(plan))
    return plan


def fill_templates(
    folder: Path, plan: TemplatePlan, palms: int, *, workers: int
) -> Iterator[int]:
    """Make missing parts of a prepared folder; yield how many palms each has."""
    parts = [range(first, min(first + SENSOR, palms)) for first in range(0, palms, SENSOR)]
    yield from in_processes(workers, partial(_fill, folder, plan), parts)


def _fill(folder: Path, plan: TemplatePlan, numbers: range) -> int:
    path = folder / f"part-{numbers.start:07d}.npz"
    if _palms_in(path, plan) < len(numbers):
        cv2.setNumThreads(1)
        extractor = load_extractor(EngineSettings())
        crops = draw_samples(plan.seed, numbers, plan.views, Variation(shift=plan.shift))
        made = [_template(extractor, crop) for crop in crops.reshape(-1, *crops.shape[2:])]
        vectors = np.stack([one.vector.astype(np.float16) for one in made])
        codes = np.stack([one.code for one in made])
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            np.savez(file, network=vectors, code=codes)
        partial.replace(path)
    return len(numbers)


def _palms_in(part: Path, plan: TemplatePlan) -> int:
    if not part.exists():
        return 0
    with np.load(part) as columns:
        return len(columns["code"]) // plan.views


def _template(extractor: Extractor, crop: NDArray[np.uint8]) -> PalmTemplate:
    pixels = np.ascontiguousarray(np.repeat(crop[..., None], 3, axis=2))
    landmarks = landmarks_on_square(crop.shape, Hand.LEFT)
    return extractor.inspect(PalmSample(pixels), landmarks).template


DEFAULT_SEED: Final = 7
"""Not the seed of any shipped training, so none of these palms was learnt from."""


def templates(
    out: Annotated[Path, typer.Option(help="Folder to fill; made if missing.")],
    palms: Annotated[int, typer.Option(min=1, help="Number of palms.")] = 1024,
    views: Annotated[int, typer.Option(min=1, max=16, help="Samples of each palm.")] = 1,
    seed: Annotated[
        int, typer.Option(min=0, help="Other seeds are other palms.")
    ] = DEFAULT_SEED,
    shift: Annotated[
        float, typer.Option(min=0, help="Misplacement of a sample, in halves of a region.")
    ] = Variation().shift,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Draw synthetic palms and store their templates: vectors and codes, no picture.

    ``thenar bench search`` and ``calibrate`` read them. An interrupted run continues. About 30
    ms of one core for each sample.
    """
    settings = EngineSettings()
    with reported_faults():
        graph = settings.weights_dir / read_manifest(settings.manifest)[PALM_GRAPH].file
        plan = prepare_templates(out, graph, seed=seed, views=views, shift=shift)
        with progress("drawing palms", palms) as advance:
            for count in fill_templates(out, plan, palms, workers=workers):
                advance(count)
    console.print(f"templates in {out}", soft_wrap=True)
