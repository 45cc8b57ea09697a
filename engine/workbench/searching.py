"""Identification of files among others, without any printing. Loads the gallery's compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import EngineError, GalleryFault
from engine.gallery.search.adaptive import AdaptiveGallery
from engine.library import LabelledGallery
from engine.workbench.inspection import Inspection
from engine.workbench.operations import Identification, InspectedFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.decision.calibration import Calibration


def enrolled(
    seen: Sequence[InspectedFile], calibration: Calibration, fpir: float
) -> LabelledGallery:
    """Return a gallery of files by label. Raises ``GalleryFault`` without a template."""
    labelled = [(one.file.label, one.template) for one in seen if one.template]
    if not labelled:
        raise GalleryFault("no file of the gallery gave a template")
    first = labelled[0][1]
    gallery = AdaptiveGallery(first.extractor, first.vector.size)
    people = LabelledGallery(gallery, calibration, fpir)
    for label, template in labelled:
        people.enrol(label, [template])
    return people


def identify(people: LabelledGallery, probe: InspectedFile, *, count: int) -> Identification:
    """Search for a probe and decide at the threshold for this gallery's size."""
    if probe.template is None:
        return Identification(probe)
    try:
        found = people.search(probe.template, count=count)
    except EngineError as fault:
        failed = Inspection(template=probe.template, fault=fault)
        return Identification(InspectedFile(probe.file, failed, probe.time_ms))
    return Identification(probe, found.candidates, found.threshold, found.label)
