"""Templates of drawn palms: many strangers for benchmarks. ``thenar models templates``.

A folder of parts, each the palms of one sensor: vectors in half precision and codes, no
picture. Drawing can be interrupted and called again, and several may fill one folder: a part
appears under its name only when it is complete. A folder of another plan is refused.
"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha256
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
import onnx

from engine.features.oriented_energy import ENERGY_DIMENSION
from engine.networks.onnx_model import OnnxModel
from engine.roi import landmarks_on_square
from engine.types import Hand
from models.errors import TooFewViews
from models.synthesis.crop.style import SENSOR
from models.synthesis.crop.variation import Variation
from models.synthesis.errors import OtherCollection
from models.training.sample_store import draw_samples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

PLAN_FILE: Final = "templates.json"
GRAPH_FILE: Final = "graph.onnx"
FEWEST_VIEWS: Final = 2
"""Of a palm, to tell how views of one palm differ."""

ENERGY_OUTPUT: Final = "energy_vector"
"""Name inside the palm network's graph of the oriented energy that it joins."""


@dataclass(frozen=True, slots=True)
class TemplatePlan:
    """What a folder of templates is made of; palms are not in it, so that more may be added.

    Attributes:
        seed: of the palms; those of another seed than a training's are in no training.
        views: samples of each palm.
        shift: deviation of their misplacement, as ``Variation.shift``.
        graph: SHA-256 of the palm network's graph.
    """

    seed: int
    views: int
    shift: float
    graph: str


def prepare_templates(
    folder: Path, graph: Path, *, seed: int, views: int, shift: float
) -> TemplatePlan:
    """Make a folder ready to be filled.

    Args:
        folder: made if missing.
        graph: the palm network's whole graph, ``palm_print_net.onnx``.
        seed: of the palms.
        views: samples of each palm.
        shift: deviation of their misplacement.

    Raises:
        OtherCollection: the folder holds templates of another plan.
    """
    plan = TemplatePlan(seed, views, shift, sha256(graph.read_bytes()).hexdigest())
    folder.mkdir(parents=True, exist_ok=True)
    wanted, path = json.dumps(asdict(plan), sort_keys=True), folder / PLAN_FILE
    if path.exists() and path.read_text("utf-8") != wanted:
        raise OtherCollection(f"{folder} holds templates of another plan")
    (folder / GRAPH_FILE).write_bytes(with_energy(graph.read_bytes()))
    path.write_text(wanted, "utf-8")
    return plan


def with_energy(graph: bytes) -> bytes:
    """Return a palm network's graph that gives its oriented energy, too."""
    model = onnx.load_from_string(graph)
    shape = [ENERGY_DIMENSION]
    energy = onnx.helper.make_tensor_value_info(ENERGY_OUTPUT, onnx.TensorProto.FLOAT, shape)
    model.graph.output.append(energy)
    return bytes(model.SerializeToString())


def fill_templates(
    folder: Path, plan: TemplatePlan, palms: int, *, workers: int
) -> Iterator[int]:
    """Make the parts that are missing; yield how many palms are there after each.

    Args:
        folder: prepared.
        plan: that of the folder.
        palms: how many in all; rounded up to whole sensors.
        workers: processes; 1 works in this one.
    """
    firsts = range(0, palms, SENSOR)
    if workers == 1:
        yield from (_fill(folder, plan, first) for first in firsts)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(_fill, folder, plan, first) for first in firsts]
        yield from (job.result() for job in jobs)


def read_energies(folder: Path) -> NDArray[np.float16]:
    """Return the oriented energy of a folder's palms, shape (palms, views, 384).

    Raises:
        TooFewViews: it holds no palm, or one view of each.
    """
    path = folder / PLAN_FILE
    views = json.loads(path.read_text("utf-8"))["views"] if path.is_file() else 0
    parts = sorted(folder.glob("part-*.npz"))
    if views < FEWEST_VIEWS or not parts:
        msg = f"{folder} holds no palms of several views: thenar models templates --views 3"
        raise TooFewViews(msg)
    return np.concatenate([_energies(part) for part in parts]).reshape(
        -1, views, ENERGY_DIMENSION
    )


def _energies(part: Path) -> NDArray[np.float16]:
    """Return the oriented energy of one part."""
    with np.load(part) as columns:
        return np.asarray(columns["energy"], np.float16)


def _fill(folder: Path, plan: TemplatePlan, first: int) -> int:
    """Make one part unless it is there; returns its palms."""
    path = folder / f"part-{first:07d}.npz"
    if not path.exists():
        cv2.setNumThreads(1)
        data = (folder / GRAPH_FILE).read_bytes()
        graph = OnnxModel(folder / GRAPH_FILE, sha256=sha256(data).hexdigest())
        numbers = range(first, first + SENSOR)
        crops = draw_samples(plan.seed, numbers, plan.views, Variation(shift=plan.shift))
        made = [_template(graph, crop) for crop in crops.reshape(-1, *crops.shape[2:])]
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            columns = {name: np.stack([one[name] for one in made]) for name in made[0]}
            np.savez(file, allow_pickle=False, **columns)
        partial.replace(path)
    return SENSOR


def _template(graph: OnnxModel, crop: NDArray[np.uint8]) -> dict[str, NDArray[np.generic]]:
    """Return the two vectors and the code of one region."""
    landmarks = landmarks_on_square(crop.shape, Hand.LEFT)
    made = graph.run(
        {
            "picture": np.ascontiguousarray(np.repeat(crop[..., None], 3, axis=2)),
            "landmarks": landmarks.points,
            "right": np.array(False),  # noqa: FBT003 - a tensor, not an option
        }
    )
    return {
        "network": made["vector"].astype(np.float16),
        "energy": made[ENERGY_OUTPUT].astype(np.float16),
        "code": made["code"],
    }
