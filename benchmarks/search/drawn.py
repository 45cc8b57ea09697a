"""Templates of a set of palms, made by the shipped extractor and kept for the next run."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
from rich.progress import track

from benchmarks.datasets.manifest import DatasetFault
from benchmarks.mosaics import Templates, group_templates
from benchmarks.results import digest_of
from engine.errors import EngineError
from engine.pipeline import load_pipeline

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from benchmarks.datasets.manifest import PalmSet
    from engine.settings import EngineSettings


def templates_of(
    palms: PalmSet, settings: EngineSettings, folder: Path, console: Console
) -> Templates:
    """Return the templates of a set; those of an earlier run if nothing changed since.

    Args:
        palms: pictures of hands.
        settings: of the engine.
        folder: where templates are kept: drawn palms only belong there.
        console: shows how far it is.

    Raises:
        DatasetFault: no picture gives a template.
        ModelFault: a network is missing or damaged.
        TooFewPalms: mosaics cannot be made of so few.
    """
    pipeline = load_pipeline(settings)
    models = digest_of(settings.manifest)
    name = f"{pipeline.extractor.extractor_id}:{palms.digest}:{models}"
    kept = folder / f"templates-{hashlib.sha256(name.encode()).hexdigest()[:16]}.npz"
    if kept.is_file():
        with np.load(kept, allow_pickle=False) as file:
            return group_templates(file["vectors"], file["codes"], file["palms"].tolist())
    found = []
    for picture in track(palms.pictures, f"{palms.name}: templates", console=console):
        try:
            template = pipeline.extract(picture.path.read_bytes()).template
        except EngineError:
            continue
        found.append((template.vector, template.code, picture.identity))
    if not found:
        raise DatasetFault("no picture of the set gives a template")
    vectors, codes, identities = zip(*found, strict=True)
    folder.mkdir(parents=True, exist_ok=True)
    columns = {"vectors": np.stack(vectors), "codes": np.stack(codes)}
    np.savez(kept, allow_pickle=False, **columns, palms=np.array(identities))
    return group_templates(columns["vectors"], columns["codes"], identities)
