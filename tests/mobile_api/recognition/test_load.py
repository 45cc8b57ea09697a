"""The two extractors that are shipped, side by side, with their real networks."""

from functools import cache
from pathlib import Path

from engine.settings import EngineSettings
from mobile_api.recognition.load import Recognition, load_recognition
from mobile_api.reference_phone.client import ReferencePhone
from oidc.types import Authenticated
from tests.support.palms.drawn_palms import photo
from tests.support.service.mobile_api import API, MobileWorld

OLD, NEW = "palmnet-2", "palmnet-3"


@cache
def recognition(*, moving: bool) -> Recognition:
    """Load the old extractor alone, or the new one with the old one beside it."""
    if not moving:
        return load_recognition(EngineSettings(palm_graph="palm_print_net_2"))
    return load_recognition(EngineSettings(previous_palm_graph="palm_print_net_2"))


def test_two_extractors_share_the_rates_of_one() -> None:
    """Two searches are two chances of a false match: half the rate each keeps the bound."""
    alone, both = recognition(moving=False), recognition(moving=True)
    assert [each.extractor for each in both.extractors] == [NEW, OLD]
    rates = EngineSettings(palm_graph="palm_print_net_2", target_fmr=0.5e-4, target_fpir=0.5e-3)
    halved = load_recognition(rates).current.thresholds

    shared = both.extractors[1].thresholds
    assert shared.identification(10_000) == halved.identification(10_000)
    assert shared.verification(8) == halved.verification(8)
    assert shared.identification(10_000) > alone.current.thresholds.identification(10_000)


def test_a_palm_moves_between_the_shipped_extractors(tmp_path: Path) -> None:
    """The whole way with pictures: known by the old one, moved, known by the new one alone."""
    shots = [photo(1, shot=shot) for shot in range(1, 5)]
    with MobileWorld(tmp_path) as world:
        world.recognition = recognition(moving=False)
        old = world.phone(world.start())
        old.enrol(shots[:2])
        world.recognition = recognition(moving=True)
        phone = ReferencePhone(API, old.key, world.start())
        for shot in shots[2:]:
            login = world.show_palm(phone, shot)
            assert isinstance(world.handoff.outcome(login), Authenticated)

        held = "SELECT min(extractor), max(extractor), count(*) FROM biometric_references"
        assert world.row(held) == (NEW, NEW, 2)
