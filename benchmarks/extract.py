"""Times each stage from a picture to a template."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from rich.table import Table

from benchmarks.console import console, print_written
from benchmarks.datasets import DatasetFault, landmarks_on_crop, read_palm_set, read_sample
from benchmarks.measurement import result, time_calls, write_result
from engine.errors import EngineError
from engine.pipeline import PalmPipeline, load_pipeline
from engine.settings import EngineSettings
from engine.types import PalmLandmarks, PalmSample

JPEG_QUALITY: Final = 90

MIN_PICTURES: Final = 16
"""Fewer do not show the slow ones."""


@dataclass(frozen=True, slots=True)
class PreparedPicture:
    """A picture that gave a template, at each stage."""

    data: bytes = field(repr=False)
    searched: PalmSample = field(repr=False)
    sample: PalmSample = field(repr=False)
    landmarks: PalmLandmarks = field(repr=False)
    crop: PalmSample = field(repr=False)
    crop_landmarks: PalmLandmarks = field(repr=False)


def measure_stages(data: Path, out: Path, pictures: int, long_side: int) -> None:
    """Time the stages on some pictures of a set; write and print the times."""
    palms = read_palm_set(data)
    pipeline = load_pipeline(EngineSettings())
    paths = [picture.path for picture in palms.pictures if picture.kind == "hand"]
    prepared = prepare(paths, pipeline, pictures, long_side)
    if len(prepared) < MIN_PICTURES:
        raise DatasetFault(f"fewer than {MIN_PICTURES} pictures gave a template")
    content = result(
        protocol="extract-1",
        palms=palms,
        parameters={"pictures": len(prepared), "long_side_px": long_side, "threads": 1},
        numbers={
            "extractor": str(pipeline.extractor.extractor_id),
            "stages": time_stages(prepared, pipeline),
        },
    )
    console.print(_table(content))
    print_written(write_result(out, f"extract-{palms.name}", content))


def prepare(
    paths: Sequence[Path], pipeline: PalmPipeline, count: int, long_side: int
) -> list[PreparedPicture]:
    """Return up to ``count`` pictures that give a template, spread over all."""
    prepared: list[PreparedPicture] = []
    step = max(1, len(paths) // (2 * count))
    for path in paths[::step]:
        if len(prepared) == count:
            break
        pixels = read_sample(path).pixels
        scale = long_side / max(pixels.shape)
        large = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        quality = [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
        _, jpeg = cv2.imencode(".jpg", large[..., ::-1], quality)
        one = _prepared(jpeg.tobytes(), pipeline)
        if one is not None:
            prepared.append(one)
    return prepared


def time_stages(prepared: Sequence[PreparedPicture], pipeline: PalmPipeline) -> dict[str, Any]:
    """Time each stage on every picture, after a warm-up."""
    stages = {
        "decode": lambda n: pipeline.decode(prepared[n].data),
        "locate": lambda n: pipeline.locate(prepared[n].data, prepared[n].searched),
        "extract": lambda n: pipeline.extractor.extract(
            prepared[n].sample, prepared[n].landmarks
        ),
        "photo_to_template": lambda n: pipeline.extract(prepared[n].data),
        "crop_to_template": lambda n: pipeline.extractor.extract(
            prepared[n].crop, prepared[n].crop_landmarks
        ),
    }
    for work in stages.values():
        time_calls(work, min(4, len(prepared)))
    return {name: time_calls(work, len(prepared)) for name, work in stages.items()}


def _prepared(data: bytes, pipeline: PalmPipeline) -> PreparedPicture | None:
    searched = pipeline.decode(data)
    try:
        sample, landmarks = pipeline.locate(data, searched)
        region = pipeline.extractor.extract(sample, landmarks).roi.pixels
        grey = np.repeat(region.round().astype(np.uint8)[..., None], 3, axis=2)
        crop = PalmSample(np.ascontiguousarray(grey))
        crop_landmarks = landmarks_on_crop(crop, landmarks.hand)
        pipeline.extractor.extract(crop, crop_landmarks)
    except EngineError:
        return None
    return PreparedPicture(data, searched, sample, landmarks, crop, crop_landmarks)


def _table(content: dict[str, Any]) -> Table:
    table = Table("stage", "CPU ms", "p50 ms", "p99 ms", box=None)
    for name, times in content["stages"].items():
        cells = (times["cpu_ms"], times["p50_ms"], times["p99_ms"])
        table.add_row(name, *(f"{cell:.1f}" for cell in cells))
    return table
