"""A hand that trembles: asked to hold still, then taken as it is, at its sharpest."""

from pathlib import Path

import pytest

from tests.phone_page.modules import Modules

PLAY = str(Path(__file__).with_name("burst.mjs"))

SHAKEN = [0.1, 0.3, 0.22, 0.23, 0.36, 0.24]
"""Shares of fine detail in frame after frame: one is blurred, two are sharp."""


@pytest.mark.parametrize("sends", ["template", "picture"])
def test_a_trembling_hand_is_kept_at_its_sharpest(modules: Modules, sends: str) -> None:
    """A person who cannot hold still is asked to for three seconds, not for ever."""
    played = modules.call(PLAY, "tremble", SHAKEN, sends, 150, 9000)

    assert played["said"][:2] == ["hold_still", "burst"]
    assert 3000 <= played["ms"] < 6000
    kept = sorted(each["body"][0] for each in played["kept"])
    assert kept == pytest.approx([0.3, 0.36]) or kept == pytest.approx([0.36, 0.36])


@pytest.mark.parametrize("smeared", ["back", "none"])
def test_a_smeared_frame_does_not_end_the_trying(modules: Modules, smeared: str) -> None:
    """A palm that was there a moment ago has not turned round, nor gone."""
    seen = {"seen": ["palm", "palm", smeared]}
    played = modules.call(PLAY, "tremble", [0.1, 0.3, 0.1], "template", 150, 6000, seen)

    assert played["said"][:2] == ["hold_still", "burst"]
    assert [each["body"][0] for each in played["kept"]] == pytest.approx([0.3, 0.3])


@pytest.mark.parametrize(("shown", "said"), [("back", "other_side"), ("none", "show_palm")])
def test_a_hand_that_turns_or_leaves_is_reported(
    modules: Modules, shown: str, said: str
) -> None:
    """After half a second it is no tremor; and no burst comes of it."""
    seen = {"seen": ["palm", "palm", shown]}
    played = modules.call(PLAY, "tremble", [0.1], "template", 150, 4500, seen)

    assert played["said"] == ["hold_still", said]


@pytest.mark.parametrize("focus", [[0.1, 0.15], [0.1, 0.21]])
def test_no_burst_takes_what_is_blurred(modules: Modules, focus: list[float]) -> None:
    """Closed gates stay closed; one that is just open needs a hand that is still."""
    played = modules.call(PLAY, "tremble", focus, "template", 150, 5000)

    assert played["kept"] == "TimeoutError"
    assert played["said"][:3] == ["hold_still", "burst", "hold_still"]


def test_a_burst_that_nothing_was_kept_of_is_not_called_good(modules: Modules) -> None:
    """The whole path may find no palm where a quick look did."""
    refusing = {"isRefused": True}
    played = modules.call(PLAY, "tremble", SHAKEN, "template", 150, 5000, refusing)

    assert played["kept"] == "TimeoutError"
    assert played["said"][:3] == ["hold_still", "burst", "hold_still"]
    assert None not in played["said"]


def test_a_still_hand_waits_for_no_burst(modules: Modules) -> None:
    """One of each place in which it is seen, and done: a copy adds nothing."""
    for shake, frames in ((0, 1), (1, 1), (4, 2)):
        played = modules.call(PLAY, "tremble", [0.3], "template", shake, 5000, {"needed": 3})

        assert played["said"] == [None]
        assert len(played["kept"]) == frames
        assert played["ms"] < 1500


def test_a_view_is_requested_but_not_demanded(modules: Modules) -> None:
    """A hand that cannot move enrols, too: a little later."""
    enrolling = {"isAttempt": False}
    played = modules.call(PLAY, "tremble", [0.3], "template", 0, 9000, enrolling)

    assert played["said"] == [None, "closer", None]
    assert len(played["kept"]) == 2
    assert 4000 <= played["ms"] < 8000
