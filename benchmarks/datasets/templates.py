"""Templates of a set's pictures, with their palms."""

from dataclasses import dataclass, field

import numpy as np
from rich.progress import track

from benchmarks.console import console
from benchmarks.datasets.manifest import DatasetFault, PalmSet, Picture
from benchmarks.datasets.samples import landmarks_on_crop, read_sample, side_of
from engine.errors import EngineError
from engine.pipeline import PalmPipeline
from engine.types import Hand, PalmTemplate


@dataclass(frozen=True, slots=True)
class LabelledTemplate:
    """A template with its palm and session.

    Attributes:
        session: empty if unknown.
    """

    identity: str = field(repr=False)
    session: str
    template: PalmTemplate = field(repr=False)


def labelled_templates(
    palms: PalmSet, pipeline: PalmPipeline, pictures_per_palm: int
) -> list[LabelledTemplate]:
    """Extract templates from up to ``pictures_per_palm`` pictures of each palm."""
    chosen = _spread(palms, pictures_per_palm)
    templates = []
    for picture in track(chosen, f"{palms.name}: templates", console=console):
        template = _template_of(picture, pipeline)
        if template is not None:
            templates.append(LabelledTemplate(picture.identity, picture.session, template))
    lost = len(chosen) - len(templates)
    console.print(f"{palms.name}: {lost} of {len(chosen)} pictures not acquired")
    return templates


def _spread(palms: PalmSet, count: int) -> list[Picture]:
    chosen = []
    for pictures in palms.by_identity().values():
        steps = min(count, len(pictures))
        places = np.linspace(0, len(pictures) - 1, steps).round().astype(int)
        chosen += [pictures[place] for place in places]
    return chosen


def _template_of(picture: Picture, pipeline: PalmPipeline) -> PalmTemplate | None:
    try:
        if picture.kind != "roi":
            return pipeline.extract(picture.path.read_bytes()).template
        sample = read_sample(picture.path)
        landmarks = landmarks_on_crop(sample, side_of(picture.hand) or Hand.LEFT)
        return pipeline.extractor.extract(sample, landmarks).template
    except EngineError:
        return None
    except OSError as error:
        raise DatasetFault(f"a picture of {picture.path.parent} cannot be read") from error
