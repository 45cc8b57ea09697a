"""The page for phone developers makes templates: its program runs as it is written there."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.extract import load_extractor
from engine.networks.manifest import read_manifest
from engine.settings import PALM_GRAPH, EngineSettings
from engine.template_codec import decode_template, encode_template
from tests.onnx_web.golden import GoldenHand, golden_hands

PAGE: Final = Path(__file__).parents[2] / "mobile_api/docs/showing-a-palm.md"

pytestmark = pytest.mark.check("the page for phone developers")


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    """Give what the program of the page defines, beside the file that an app bundles."""
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    bundled = EngineSettings().weights_dir / f"{PALM_GRAPH}.onnx"
    defined: dict[str, Any] = {}
    exec(program.replace(bundled.name, str(bundled)), defined)  # noqa: S102 -- our own page
    return defined


@pytest.mark.parametrize("hand", golden_hands(), ids=lambda hand: hand.name)
def test_the_program_of_the_page_makes_the_template_of_the_engine(
    written: dict[str, Any], hand: GoldenHand
) -> None:
    """Byte for byte from the same picture and points, and as the golden vectors say."""
    template_of: Callable[[Any, Any], bytes] = written["template_of"]
    made = template_of(hand.sample.pixels, hand.landmarks.points)
    read = decode_template(made)
    dense: NDArray[np.uint8] = read.dense if read.dense is not None else np.zeros(0, np.uint8)

    assert (
        written["EXTRACTOR"].decode()
        == read_manifest(EngineSettings().manifest)[PALM_GRAPH].extractor
    )
    assert len(made) == 6_681
    assert read.hand is hand.landmarks.hand
    assert read.code.tolist() == hand.expected["code"].tolist()
    assert dense.tolist() == hand.expected["dense"].tolist()
    assert np.abs(read.vector - hand.expected["vector"]).max() < 1e-4


def test_the_engine_takes_what_the_page_makes_for_its_own(written: dict[str, Any]) -> None:
    """The same bytes, of a palm that is good enough for both."""
    hand, extractor = golden_hands()[2], load_extractor(EngineSettings())
    ours = encode_template(
        extractor.extract(hand.sample, hand.landmarks).template, as_probe=True
    )

    assert written["template_of"](hand.sample.pixels, hand.landmarks.points) == ours
