"""Makes a template of a located palm with the shipped ONNX graph, which browsers run too.

The readable reference is ``engine.features.reference_extractor``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from engine.errors import ModelFault
from engine.networks.manifest import read_manifest
from engine.networks.onnx_model import load_model
from engine.quality import require_usable, score_quality
from engine.roi import require_palm
from engine.types import Extraction, ExtractorId, Hand, PalmRoi, PalmTemplate, Quality

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

    from engine.settings import EngineSettings
    from engine.types import PalmLandmarks, PalmSample


class Extractor(Protocol):
    """Makes templates. Thread-safe."""

    @property
    def extractor_id(self) -> ExtractorId:
        """Name of the extractor with its preprocessing."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a template's vector."""
        ...

    def extract(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template. Raises ``FailureToAcquire``, which says why there is none."""
        ...


class Graph(Protocol):
    """A runnable graph, such as an ``OnnxModel``."""

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return every output by name."""
        ...


class PalmGraphExtractor:
    """Implements ``Extractor`` with a palm graph of the manifest.

    ``picture``, ``landmarks``, ``right`` → ``vector``, ``code``, ``region``, ``corners``,
    ``quality``.
    """

    def __init__(self, graph: Graph, extractor_id: ExtractorId, dimension: int) -> None:
        self._graph = graph
        self.extractor_id = extractor_id
        self.dimension = dimension

    def extract(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template. Raises ``FailureToAcquire``."""
        require_palm(landmarks)
        outputs = self._graph.run(
            {
                "picture": sample.pixels,
                "landmarks": landmarks.points.astype(np.float32, copy=False),
                "right": np.array(landmarks.hand is Hand.RIGHT),
            }
        )
        quality = require_usable(score_quality(_quality_of(outputs)))
        template = PalmTemplate(
            self.extractor_id, landmarks.hand, outputs["vector"], outputs["code"]
        )
        roi = _roi_of(outputs, landmarks.hand, quality)
        return Extraction(template=template, roi=roi, quality=quality)


def load_extractor(settings: EngineSettings) -> PalmGraphExtractor:
    """Load the palm graph that the settings name. Raises ``ModelFault``."""
    name = settings.palm_graph
    graph = load_model(name, settings)
    entry = read_manifest(settings.manifest)[name]
    shape = entry.outputs.get("vector", ())
    if not entry.extractor or len(shape) != 1 or not isinstance(shape[0], int):
        raise ModelFault(f"the model manifest does not say which extractor {name} is")
    return PalmGraphExtractor(graph, ExtractorId(entry.extractor), shape[0])


def _quality_of(outputs: Mapping[str, NDArray[Any]]) -> Quality:
    """Return the measures; the output has the order of ``Quality``'s fields."""
    focus, exposure, clipped_share, residual, inside_share, scale_px = outputs[
        "quality"
    ].tolist()
    return Quality(
        score=0,
        reason=None,
        focus=focus,
        exposure=exposure,
        clipped_share=clipped_share,
        residual=residual,
        inside_share=inside_share,
        scale_px=scale_px,
    )


def _roi_of(outputs: Mapping[str, NDArray[Any]], hand: Hand, quality: Quality) -> PalmRoi:
    return PalmRoi(
        pixels=outputs["region"],
        hand=hand,
        corners=outputs["corners"],
        residual=quality.residual,
        scale_px=quality.scale_px,
        inside_share=quality.inside_share,
    )
