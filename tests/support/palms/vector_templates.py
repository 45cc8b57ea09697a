"""Templates of the shipped extractor, whose vectors lower scores; the fake one's do not."""

from dataclasses import replace

import numpy as np

from engine.networks.manifest import read_manifest
from engine.parameters import TEMPLATE_SIZES
from engine.settings import PALM_GRAPH, EngineSettings
from engine.types import ExtractorId, PalmTemplate
from tests.support.palms.templates import template_of

EXTRACTOR = ExtractorId(read_manifest(EngineSettings().manifest)[PALM_GRAPH].extractor)

DIMENSION = TEMPLATE_SIZES[EXTRACTOR][0]


def penalised_template(
    palm: int, *, noise: float = 0.0, sample: int = 0, likeness: float = 1.0
) -> PalmTemplate:
    """A template whose code and vector differ in what they match.

    Args:
        palm: which palm.
        noise: share of the code's cells that are redrawn.
        sample: which picture.
        likeness: cosine of its vector and the palm's own.
    """
    own, other = (_unit((palm, which)) for which in (0, 1))
    across = other - (other @ own) * own
    across /= np.linalg.norm(across)
    vector = likeness * own + (1 - likeness**2) ** 0.5 * across
    template = template_of(palm, noise=noise, sample=sample)
    code = np.tile(template.code, 2)
    return replace(template, extractor=EXTRACTOR, vector=vector.astype(np.float32), code=code)


def _unit(seed: tuple[int, int]) -> np.ndarray:
    """A unit vector of that seed."""
    vector = np.random.default_rng(seed).standard_normal(DIMENSION)
    return np.asarray(vector / np.linalg.norm(vector))
