"""Which extractor people move from, by what the database holds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.settings import EngineSettings
from mobile_api.recognition.previous_graph import with_previous_graph
from tests.support.palms.fake_engine import picture
from tests.support.service.mobile_api import MobileWorld


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MobileWorld]:
    """Give a service with one person, whose extractor no shipped manifest knows."""
    with MobileWorld(tmp_path_factory.mktemp("world")) as world:
        world.enrolled([picture(1, shot=shot) for shot in (0, 1)])
        yield world


def engine_settings(folder: Path, *, instead_of: str, previous: str = "") -> EngineSettings:
    """Give settings whose manifest names the person's extractor in place of another."""
    shipped = EngineSettings().manifest.read_text("utf-8")
    manifest = folder / "manifest.toml"
    manifest.write_text(shipped.replace(f'extractor = "{instead_of}"', 'extractor = "fake-1"'))
    return EngineSettings(manifest=manifest, previous_palm_graph=previous)


@pytest.mark.parametrize(
    ("instead_of", "abandoned", "expected"),
    [
        ("palmnet-2", "", "palm_print_net_2"),
        ("palmnet-2", "other-1, fake-1", ""),
        ("palmnet-3", "", ""),
        ("nothing", "", ""),
    ],
    ids=["of another graph", "given up", "of the present graph", "of no graph"],
)
def test_people_move_from_the_graph_that_made_their_references(
    world: MobileWorld, tmp_path: Path, instead_of: str, abandoned: str, expected: str
) -> None:
    """Naming another graph locks no person out, and needs no second setting."""
    settings = engine_settings(tmp_path, instead_of=instead_of)
    mobile = world.settings.model_copy(update={"abandoned_extractors": abandoned})

    assert with_previous_graph(settings, mobile, world.database).previous_palm_graph == expected


def test_a_graph_that_the_settings_name_stays(world: MobileWorld, tmp_path: Path) -> None:
    """Several processes must run the same extractors before the first reference exists."""
    settings = engine_settings(tmp_path, instead_of="nothing", previous="palm_print_net_2")

    assert with_previous_graph(settings, world.settings, world.database) is settings
