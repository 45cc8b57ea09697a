"""What the page's service worker keeps, and what is not its own."""

from pathlib import Path

from tests.phone_page.modules import Modules

PLAY = str(Path(__file__).with_name("keeper.mjs"))


def test_a_new_build_clears_the_older_ones_alone(modules: Modules) -> None:
    """Other pages of the host keep their caches."""
    names = ["thenar-page-1", "thenar-page-2", "another-page"]

    left = modules.call(PLAY, "takeOver", "2", names)

    assert left == ["thenar-page-2", "another-page"]
