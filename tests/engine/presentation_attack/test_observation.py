"""session: what is kept between steps comes back unchanged."""

import dataclasses

import numpy as np
import pytest

from engine.presentation_attack.session import Observation, Phase, open_templates
from engine.types import Hand
from tests.support.palms.templates import template_of

SEEN = Observation(
    at_s=0.25,
    phase=Phase.OPEN,
    size=(640, 480),
    digest=bytes(range(16)),
    hands=1,
    hand=Hand.LEFT,
    points=np.random.default_rng(1).uniform(0, 480, (21, 2)).astype(np.float32),
    presence=0.9,
    templates=(template_of(1),),
    quality=77,
    colour=np.full(3, 0.25, np.float32),
    traces=np.arange(5, dtype=np.float32),
    look=np.arange(7, dtype=np.float32),
)


@pytest.mark.parametrize(
    "seen", [SEEN, Observation(0.5, Phase.MOVED, (480, 640), b"\x01")], ids=str
)
def test_an_observation_survives_being_kept(seen):
    """Another process judges what this one saw."""
    kept = Observation.from_bytes(seen.to_bytes())

    for field in dataclasses.fields(Observation):
        before, after = getattr(seen, field.name), getattr(kept, field.name)
        if field.name == "templates":
            assert [one.code.tolist() for one in after] == [one.code.tolist() for one in before]
        else:
            np.testing.assert_array_equal(after, before)


def test_an_observation_prints_no_biometrics():
    """Logs hold no landmarks."""
    assert "points" not in repr(SEEN)
    assert "templates" not in repr(SEEN)


def test_what_is_slipped_among_open_hands_comes_last_however_good_it_is():
    """Nor does a moving hand give a template: a folded thumb hides the palm."""
    still = dataclasses.replace(SEEN, quality=90, templates=(template_of(2),))
    clear = dataclasses.replace(SEEN, quality=80, templates=(template_of(1),))
    moved = dataclasses.replace(SEEN, phase=Phase.MOVED, quality=99)

    found = open_templates([[SEEN, moved], [still], [clear]])

    assert found == [clear.templates, SEEN.templates, still.templates]
