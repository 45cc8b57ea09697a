"""The page's half of a challenge: what is said, which frames are taken."""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.presentation_attack.challenge import Motion
from engine.presentation_attack.parameters import CHALLENGE_STEPS
from tests.phone_page.modules import Modules

PLAY = str(Path(__file__).with_name("challenge.mjs"))

OUTLINE = {"x": 0.5, "y": 0.55, "size": 0.2}

FULL = [0.0, 0.6, 1.0, 1.0, 1.0, 0.0]
"""How much of a motion is seen, every 300 ms."""


def answered(modules: Modules, looks: list[dict[str, Any]], **step: Any) -> Any:
    """Answer a step; return what is said, what is taken, whether the motion begins again."""
    given = {"motion": "fold_thumb", "outline": OUTLINE, **step}
    options = {"wanted": None, "isMirrored": given.pop("is_mirrored", False)}
    return modules.call(PLAY, "answered", given, looks, options)


def every_300_ms(shares: Sequence[float | None], **look: Any) -> list[dict[str, Any]]:
    """Return looks at a hand."""
    return [{"at": 300 * n, "done": share, **look} for n, share in enumerate(shares)]


def taken(answer: Any) -> list[str]:
    """Return the frames that are sent."""
    frames: list[str] = []
    for _, take, is_again in answer["said"]:
        if is_again:
            frames = [each for each in frames if each != "moved"]
        frames += [take] if take else []
    return frames


def test_the_page_knows_the_motions_of_the_engine(modules: Modules) -> None:
    """A motion that it cannot follow would be answered by patience alone."""
    assert set(modules.call("capture/motions.js", "MOTIONS")) == set(Motion)
    assert modules.call("capture/motions.js", "STEPS") == CHALLENGE_STEPS


@pytest.mark.parametrize("motion", list(Motion))
def test_each_motion_is_followed(modules: Modules, motion: Motion) -> None:
    """Open, as soon as it is there, after the hold, open again."""
    answer = answered(modules, every_300_ms(FULL), motion=motion)

    assert answer["isDone"]
    assert taken(answer) == ["open", "moved", "moved", "back"]
    assert answer["said"][0][0] == motion


def test_a_tilt_is_requested_where_the_service_requests_it(modules: Modules) -> None:
    """A hand that tilts less than the page notices is taken after a while."""
    looks = every_300_ms([*FULL, *[0.0] * 25])
    answer = answered(modules, looks, tilt_deg=80.0)

    assert taken(answer) == ["open", "moved", "moved", "back", "tilted"]
    assert ["tilt_up", None, False] in answer["said"]


@pytest.mark.parametrize("end", [0.84, 1.0])
def test_a_tilt_begins_where_the_motion_ended(modules: Modules, end: float) -> None:
    """Hands come back a little turned, as flat as before: the service would call that flat."""
    back = [{"at": at, "height": 0.92} for at in (1500, 1800, 2100)]
    tilted = [{"at": at, "height": end} for at in (2400, 2700)]
    answer = answered(modules, [*every_300_ms(FULL[:-1]), *back, *tilted], tilt_deg=80.0)

    assert taken(answer) == ["open", "moved", "moved", "back", "tilted"]
    assert [take for _, take, _ in answer["said"]][5:] == ["back", None, None, None, "tilted"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"x": 0.44}, "move_right"),
        ({"x": 0.56}, "move_left"),
        ({"y": 0.5}, "move_down"),
        ({"y": 0.6}, "move_up"),
        ({"size": 0.17}, "closer"),
        ({"size": 0.23}, "further"),
    ],
)
def test_the_way_into_the_outline_is_said(
    modules: Modules, change: dict[str, float], said: str
) -> None:
    """In words, too: not everybody sees the drawing. A hand on its way is not asked to stop."""
    looks = [{"at": 0, "place": {**OUTLINE, **change}, "motion": 2.0}]
    mirrored = {"move_right": "move_left", "move_left": "move_right"}

    assert answered(modules, looks)["said"] == [[said, None, False]]
    in_a_mirror = answered(modules, looks, is_mirrored=True)["said"]
    assert in_a_mirror == [[mirrored.get(said, said), None, False]]


def test_a_trembling_hand_is_waited_for_but_not_for_ever(modules: Modules) -> None:
    """Tremor never stops; the service looks at the picture, not at the motion."""
    looks = every_300_ms([0.0] * 15, motion=1.0)
    said = [each[0] for each in answered(modules, looks)["said"]]

    assert said[0] == "hold_still"
    assert "fold_thumb" in said


def test_a_motion_that_is_given_up_begins_again(modules: Modules) -> None:
    """The frames between which the hold is measured are of one motion."""
    answer = answered(modules, every_300_ms([0, 1, 0, 0, 1, 1, 1, 0]))

    assert taken(answer) == ["open", "moved", "moved", "back"]
    assert sum(is_again for *_, is_again in answer["said"]) == 1


def taken_every_40_ms(modules: Modules, done: Sequence[float]) -> dict[str, list[int]]:
    """Return when which frames of a motion held for half a second are taken, milliseconds."""
    looks = [{"at": 40 * n, "done": share} for n, share in enumerate(done)]
    found: dict[str, list[int]] = {"open": [], "moved": [], "back": []}
    steps = answered(modules, looks, motion="spread_fingers")["said"]
    for look, (_, take, _) in zip(looks, steps, strict=False):
        if take:
            found[take].append(int(look["at"]))
    return found


def test_a_hold_ends_early_and_lasts_with_the_way_back(modules: Modules) -> None:
    """The service allows a tenth of a second less than asked, not more."""
    (first, second), back = (
        taken_every_40_ms(modules, [0.0, *[1.0] * 8, *[0.0] * 20])[phase]
        for phase in ("moved", "back")
    )

    assert 80 <= second - first <= 240
    assert 450 <= back[0] - first <= 500


def test_a_small_motion_is_taken_after_a_while(modules: Modules) -> None:
    """A person who moves less far than most is judged, not kept waiting."""
    answer = answered(modules, every_300_ms([0.0, *[0.3] * 24, 0.0]))

    assert taken(answer) == ["open", "moved", "moved", "back"]


def test_a_fist_that_looks_like_no_hand_is_one(modules: Modules) -> None:
    """The networks lose some fists; the service follows them from the open hand."""
    shares: list[float | None] = [0.0, 0.2, None, None, None, 0.0]
    answer = answered(modules, every_300_ms(shares), motion="loose_fist")

    assert taken(answer) == ["open", "moved", "moved", "back"]


def test_a_browser_without_networks_goes_by_the_clock(modules: Modules) -> None:
    """It cannot see the hand: each part of a step gets its time."""
    answer = answered(modules, every_300_ms([0.0] * 30, seen=False))

    assert taken(answer) == ["open", "moved", "moved", "back"]


def test_frames_travel_as_the_service_reads_them(modules: Modules) -> None:
    """Big-endian: milliseconds, phase, an octet of no meaning, length."""
    jpeg = np.arange(5, dtype=np.uint8)
    frames = [
        {"at": 900.4, "phase": "open", "jpeg": jpeg},
        {"at": 70_000, "phase": "tilted", "jpeg": jpeg[:2]},
    ]
    packed = modules.call("capture/frames.js", "packed", frames).tobytes()

    first = struct.pack(">IBxI", 900, 0, 5) + jpeg.tobytes()
    assert packed == first + struct.pack(">IBxI", 70_000, 3, 2) + jpeg[:2].tobytes()
