"""People of the demo are enrolled over HTTP, each with a phone of their own."""

import socket
from pathlib import Path

import uvicorn

from engine.types import Hand
from mobile_api.demo.people import DemoPerson
from mobile_api.demo.running import enrol
from mobile_api.demo.service import DemoService
from mobile_api.demo.site import Site
from tests.support.palms.fake_engine import NO_HAND, picture
from tests.support.servers.app_server import listening
from tests.support.service.mobile_api import MobileWorld


def test_a_start_that_was_cut_short_before_the_phone_was_kept_is_done_again(
    tmp_path: Path,
) -> None:
    """The palms are enrolled already; a picture without a palm is left out each time."""
    ada = person(tmp_path, defect=NO_HAND)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        service = DemoService(tmp_path, Site(), listener.getsockname()[1], "")
        with (
            MobileWorld(tmp_path, public_url=service.url) as world,
            listening(uvicorn.Server(quiet(world)), listener),
        ):
            enrol(ada, service, tmp_path / "first.json")
            enrol(ada, service, tmp_path / "second.json")

    assert (tmp_path / "first.json").exists()
    assert (tmp_path / "second.json").exists()


def quiet(world: MobileWorld) -> uvicorn.Config:
    """Return how to serve the mobile API."""
    return uvicorn.Config(world.application(), log_level="warning", date_header=False)


def person(folder: Path, *, defect: int) -> DemoPerson:
    """Return a person with two good pictures of each hand, and one that is spoilt."""
    paths = []
    for hand in Hand:
        for shot in range(3):
            path = folder / f"{hand}-{shot}.png"
            path.write_bytes(picture(1, hand, shot, defect=defect if shot == 2 else 0))
            paths.append(path)
    return DemoPerson("Ada", tuple(paths), ())
