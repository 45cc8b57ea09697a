"""Times sign-ins on new phones: a drawn hand follows the challenge that the service asks for.

The hand reacts at once, as nobody does: what is timed is the page, the service, and the times
that the challenge asks for.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from benchmarks.harness.service import ServiceFault
from benchmarks.phone_page.camera_file import wall
from benchmarks.phone_page.challenge import FollowingHand
from benchmarks.phone_page.drawn_hand import DrawnHand, draw_hand
from benchmarks.phone_page.phone import WAIT_MS, PhoneBrowser
from benchmarks.phone_page.run import Setup, running_setup, summary
from engine.parameters import CHALLENGE_STEPS
from engine.types import Hand

PERSON, SESSION = 31, 3
"""A drawn person, and a session whose camera has the browser's format."""

TRIES: Final = 5


def measure_judged(
    program: Path, count: int, answered_p50: float, progress: Callable[[], None]
) -> dict[str, Any]:
    """Sign in on as many new phones; ``answered_p50``: without a challenge, milliseconds.

    Raises:
        ServiceFault: the hand was refused again and again.
    """
    hands = {hand.value: draw_hand(PERSON, SESSION, hand) for hand in Hand}
    judged = []
    with running_setup(program, THENAR_ENGINE_ATTACK_DETECTION="challenge") as setup:
        _enrol(setup, hands)
        for _ in range(count):
            judged.append(_answer(setup, hands["right"]))
            progress()
    times = summary([ms for ms, _ in judged])
    return {
        **times,
        "steps": CHALLENGE_STEPS,
        "refused": sum(refused for _, refused in judged),
        "more_p50": round(times["p50"] - answered_p50, 1),
    }


def _enrol(setup: Setup, hands: dict[str, DrawnHand]) -> None:
    phone = PhoneBrowser(setup.browser, setup.camera)
    phone.enrol_by(setup.page, lambda side: _pass(phone, hands[side]))
    phone.context.close()


def _answer(setup: Setup, drawn: DrawnHand) -> tuple[float, int]:
    """Return the milliseconds from the visible palm to the answer, and how often it failed."""
    phone = PhoneBrowser(setup.browser, setup.camera)
    with setup.login() as link:
        phone.open(link)
        phone.wait_for_screen("who_asks")
        phone.wait_for_disclosure()
        phone.press("show_palm")
        began, refused = _pass(phone, drawn)
        phone.wait_for_screen("approve")
        ended = phone.page.evaluate("screensSeen.findLast(([name]) => name === 'approve')[1]")
        phone.camera.show(wall())
        phone.press("approve")
        phone.wait_for_screen("end_go")
    phone.context.close()
    return ended - began, refused


def _pass(phone: PhoneBrowser, drawn: DrawnHand) -> tuple[float, int]:
    """Pass a challenge; return when the palm was shown first in it, and how many failed."""
    hand = FollowingHand(phone.page, phone.camera, drawn)
    for refused in range(TRIES):
        phone.page.wait_for_selector("#instruction", timeout=WAIT_MS)
        began: float = phone.page.evaluate("performance.now()")
        if hand.follow() != "challenge_failed":
            return began, refused
        phone.press("try_again")
    raise ServiceFault(f"{TRIES} challenges were refused")
