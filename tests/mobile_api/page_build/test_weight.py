"""What a first visit costs a person on a mobile network."""

import gzip
from pathlib import Path

import pytest

from mobile_api.api.page import BUILT, SOURCE

OWN_BYTES = 74_500
"""Scripts, styles and texts a visitor runs, gzipped; onnxruntime's own script is in it.

Over 60 KiB since refusals have their cause and a way on, and a laptop is called a device; over
61.5 since the page can be a station (a separate file would weigh more than it saves); over
64.4 since a challenge counts its motions and there is a menu of languages; over 65.4 since a
taken frame shows the palm's lines, and tilts are drawn; over 67.4 since the start is a
home with sign-ins and settings; over 68.9 since a notification has a text without a number;
over 69.9 since an enrolment asks for views that differ; over 70.4 since notifications are
renewed and a browser that is too old, or keeps nothing, is named. 1.0 less since the service
worker has only the requests that it makes."""

VISIT_BYTES = 9_000_000
"""Everything that is kept after the first visit, over the wire with brotli: of the languages,
English and the largest other one."""

LANGUAGES = {path.stem for path in (SOURCE / "words").glob("??.js")}


@pytest.fixture
def built() -> list[Path]:
    """Give the built files, if there are."""
    if not (BUILT / "index.html").is_file():
        pytest.skip("the phone's page is not built: python -m mobile_api.page_build")
    return [path for path in BUILT.iterdir() if path.suffix != ".br"]


def test_scripts_and_styles_are_light(built: list[Path]) -> None:
    """With the largest of the languages: a visitor reads one."""
    sizes: dict[str, list[int]] = {"words": [], "other": []}
    for path in built:
        if path.suffix in {".js", ".css", ".html", ".svg", ".webmanifest"}:
            kind = "words" if path.name.split("-")[0] in LANGUAGES else "other"
            sizes[kind].append(len(gzip.compress(path.read_bytes())))

    assert len(sizes["words"]) == len(LANGUAGES)
    assert sum(sizes["other"]) + max(sizes["words"]) <= OWN_BYTES


def test_a_first_visit_is_at_most_nine_megabytes(built: list[Path]) -> None:
    """Every file is sent compressed, and has to be: the networks would be three times that."""
    packed = {
        path.name.split("-")[0]: path.with_name(f"{path.name}.br").stat().st_size
        for path in built
    }
    languages = [packed.pop(name) for name in LANGUAGES - {"en"}]

    assert sum(packed.values()) + max(languages) <= VISIT_BYTES
