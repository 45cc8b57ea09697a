"""Makes a template of a located palm with the shipped ONNX graph, which browsers run too.

The readable reference is ``ReferenceExtractor`` of the tests.
"""

from typing import Protocol

import numpy as np

from engine.errors import ModelFault
from engine.features.code_bytes import require_shown
from engine.hand.detector import Network
from engine.networks.manifest import read_manifest
from engine.networks.onnx_model import load_model
from engine.parameters import TEMPLATE_SIZES
from engine.quality import require_usable, score_quality
from engine.roi import region_square
from engine.settings import EngineSettings
from engine.types import (
    Extraction,
    ExtractorId,
    Hand,
    PalmLandmarks,
    PalmRoi,
    PalmSample,
    PalmTemplate,
    Quality,
)


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

    def inspect(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template, however bad, to look at. Raises ``PalmNotFound``."""
        ...

    def extract(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template. Raises ``FailureToAcquire``, which says why there is none."""
        ...


def require_good(made: Extraction) -> Extraction:
    """Return it. Raises ``QualityTooLow`` if its region or its code must not be used."""
    require_usable(made.quality)
    require_shown(made.template.code)
    return made


class PalmGraphExtractor:
    """Implements ``Extractor`` with a palm graph of the manifest.

    ``picture``, ``landmarks``, ``right`` → ``vector``, ``code``, ``dense``, ``region``,
    ``corners``, ``quality``. An extractor of one code takes the first, and no dense one.
    """

    def __init__(self, graph: Network, extractor_id: ExtractorId, dimension: int) -> None:
        self._graph = graph
        self.extractor_id = extractor_id
        self.dimension = dimension

    def extract(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template. Raises ``FailureToAcquire``."""
        return require_good(self.inspect(sample, landmarks))

    def inspect(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template, however bad, to look at. Raises ``PalmNotFound``."""
        region_square(landmarks)
        outputs = self._graph.run(
            {
                "picture": sample.pixels,
                "landmarks": landmarks.points.astype(np.float32, copy=False),
                "right": np.array(landmarks.hand is Hand.RIGHT),
            }
        )
        # The measures have the order of ``Quality``'s fields.
        measured = Quality(0, None, *outputs["quality"].tolist())
        quality = score_quality(measured)
        code = outputs["code"]
        _, size = TEMPLATE_SIZES.get(self.extractor_id, (0, len(code)))
        return Extraction(
            template=PalmTemplate(
                self.extractor_id,
                landmarks.hand,
                outputs["vector"],
                code[:size],
                outputs["dense"] if size == len(code) else None,
            ),
            roi=PalmRoi(
                pixels=outputs["region"],
                hand=landmarks.hand,
                corners=outputs["corners"],
                residual=quality.residual,
                scale_px=quality.scale_px,
                inside_share=quality.inside_share,
            ),
            quality=quality,
        )


def load_extractor(settings: EngineSettings) -> PalmGraphExtractor:
    """Load the palm graph that the settings name. Raises ``ModelFault``."""
    name = settings.palm_graph
    graph = load_model(name, settings)
    entry = read_manifest(settings.manifest)[name]
    shape = entry.outputs.get("vector", ())
    if not entry.extractor or len(shape) != 1 or not isinstance(shape[0], int):
        raise ModelFault(f"the model manifest does not say which extractor {name} is")
    return PalmGraphExtractor(graph, ExtractorId(entry.extractor), shape[0])
