"""One short instruction at a time: which, and when none."""

from typing import Any

import numpy as np
import pytest

from engine.parameters import CODE_BYTES
from tests.phone_page.modules import Modules
from tests.support.palms.hand_models import open_palm

WIDTH, HEIGHT = 1280, 720


def view(**changes: Any) -> dict[str, Any]:
    """Return a view of a good frame, changed in something."""
    palm = open_palm()
    middle = palm - palm.mean(axis=0) + (WIDTH / 2, HEIGHT / 2)
    hand = {
        "points": [{"x": float(x), "y": float(y)} for x, y in middle],
        "side": "right",
        "width": 200.0,
        "isBack": False,
    }
    good = {
        "hand": hand,
        "quality": {"score": 80, "reason": None},
        "brightness": 120.0,
        "motion": 0.05,
        "width": WIDTH,
        "height": HEIGHT,
    }
    hand |= changes.pop("hand", {}) or {}
    return good | changes


CASES = [
    ({}, None),
    ({"brightness": 20.0, "no_hand": True}, "more_light"),
    ({"no_hand": True}, "show_palm"),
    ({"hand": {"isBack": True}}, "other_side"),
    ({"hand": {"side": "left"}}, "other_hand"),
    ({"hand": {"width": 60.0}}, "closer"),
    ({"width": 600, "hand": {"width": 100.0}}, "to_middle"),
    ({"width": 600, "hand": {"width": 300.0}}, "further"),
    ({"quality": {"reason": "out_of_frame"}}, "to_middle"),
    ({"quality": {"reason": "bad_pose"}}, "fingers_apart"),
    ({"quality": {"reason": "too_dark"}}, "more_light"),
    ({"quality": {"reason": "too_bright"}}, "less_glare"),
    ({"quality": {"reason": "too_blurred"}}, "hold_still"),
    ({"quality": {"reason": "covered"}}, "uncover"),
    ({"motion": 3.0}, "hold_still"),
]


@pytest.mark.parametrize(("changes", "expected"), CASES, ids=[str(case) for _, case in CASES])
def test_one_thing_wrong_gives_one_instruction(
    modules: Modules, changes: dict[str, Any], expected: str | None
) -> None:
    """A good frame with one fault gets the message of that fault."""
    changed = dict(changes)
    no_hand = changed.pop("no_hand", False)
    seen = view(**changed)
    if no_hand:
        seen["hand"] = None

    assert modules.call("capture/guidance.js", "instructionFor", seen, "right") == expected


def seen_as(*, size: float = 1.0, tilt: float = 1.0, wish: str | None = None) -> Any:
    """Return a view of a hand in another distance or tilted, in light to wish for."""
    seen = view(quality={"score": 80, "reason": None, "wish": wish})
    middle = np.array([[p["x"], p["y"]] for p in seen["hand"]["points"]]).mean(axis=0)
    for point in seen["hand"]["points"]:
        point["x"] = middle[0] + size * (point["x"] - middle[0])
        point["y"] = middle[1] + size * tilt * (point["y"] - middle[1])
    seen["hand"]["width"] *= size
    return seen


@pytest.mark.parametrize(
    ("first", "taken", "now", "asked"),
    [
        (seen_as(), 1, seen_as(), "closer"),
        (seen_as(), 1, seen_as(size=1.15), None),
        (seen_as(), 1, seen_as(size=0.85), None),
        (seen_as(size=1.1), 1, seen_as(size=1.1), "further"),
        (seen_as(), 2, seen_as(size=1.15), "tilt_up"),
        (seen_as(), 2, seen_as(tilt=0.9), None),
        (seen_as(), 3, seen_as(), "spread_fingers"),
        (seen_as(wish="too_dark"), 3, seen_as(wish="too_dark"), "more_light"),
        (seen_as(wish="too_dark"), 3, seen_as(), None),
        (seen_as(), 4, seen_as(), None),
    ],
)
def test_an_enrolment_asks_for_views_that_differ(
    modules: Modules, first: Any, taken: int, now: Any, asked: str | None
) -> None:
    """Farther or nearer, tilted, then other light if it was extreme, or other fingers."""
    assert modules.call("capture/views.js", "viewAsked", [first] * taken, now) == asked


def test_the_back_is_said_before_anything_about_light(modules: Modules) -> None:
    """A person who turns on a lamp for the back of a hand got the wrong message."""
    seen = view(hand={"isBack": True}, quality={"reason": "too_dark"}, motion=3.0)

    assert modules.call("capture/guidance.js", "instructionFor", seen, "right") == "other_side"


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("#abc_-9", {"ticket": "abc_-9", "isHere": False}),
        ("#abc&here", {"ticket": "abc", "isHere": True}),
        ("#abc&later", {"ticket": "abc", "isHere": False}),
        ("", None),
        ("#", None),
        ("#a b", None),
        ("#<script>", None),
        ("#" + "a" * 257, None),
    ],
)
def test_a_fragment_is_a_ticket_or_nothing(
    modules: Modules, fragment: str, expected: dict[str, Any] | None
) -> None:
    """It comes from the author of the link."""
    assert modules.call("service/link.js", "parseFragment", fragment) == expected


def test_a_closed_gate_is_a_reason_and_an_open_one_a_score(modules: Modules) -> None:
    """The graph says how far each gate is open; a number that is none is a closed one."""
    good = [1.0, 0.9, 0.6, 1.0, 1.0, 0.7, 1.0, 0.8, 1.0]
    measures = [0.3, 100.0, 0.0, 0.05, 1.0, 200.0]

    def quality(merits: list[float], exposure: float = 100.0) -> Any:
        given = [*measures[:1], exposure, *measures[2:]]
        return quality_of(modules, merits, given)

    assert quality(good)["score"] == 60
    assert quality([*good[:5], -0.1, *good[6:]])["reason"] == "too_blurred"
    assert quality([*good[:6], 0.3, 1.0, 1.0])["wish"] == "too_dark", "noise needs light"
    assert quality([*good[:8], -0.1])["reason"] == "too_dark"
    assert quality([*good[:8], -0.1], 200.0)["reason"] == "too_bright"
    assert quality([float("nan"), *good[1:]])["reason"] == "out_of_frame"


@pytest.mark.parametrize(("rows", "reason"), [(14, None), (13, "covered")])
def test_a_palm_that_is_mostly_covered_is_not_sent(
    modules: Modules, rows: int, reason: str | None
) -> None:
    """The service would refuse it; the end of the code says which cells show palm."""
    code = np.zeros((4, 32, 4), np.uint8)
    code[3, :rows] = 255
    measures = [0.3, 100.0, 0.0, 0.05, 1.0, 200.0]

    given = quality_of(modules, [1.0] * 9, measures, code.reshape(-1))

    assert given["reason"] == reason


def quality_of(
    modules: Modules, merits: list[float], measures: list[float], code: Any = None
) -> Any:
    """Return what the page says of the graph's outputs; a code of a bare palm if none."""
    shown = np.full(CODE_BYTES, 255, np.uint8) if code is None else code
    given = np.array(merits, np.float32)
    return modules.call("palm/quality.js", "qualityOf", given, measures, shown)
