"""The page's modules under Node."""

from collections.abc import Iterator

import pytest

from mobile_api import page_build
from mobile_api.page_build import GENERATED, module
from tests.phone_page.modules import Modules


@pytest.fixture(scope="session")
def modules() -> Iterator[Modules]:
    """Give the modules, with the engine's numbers written for them."""
    missing = page_build.what_is_missing()
    if missing:
        pytest.skip(f"the page's modules need Node: {missing}")
    GENERATED.mkdir(exist_ok=True)
    (GENERATED / "parameters.js").write_text(module(), "utf-8")
    started = Modules()
    yield started
    started.close()
