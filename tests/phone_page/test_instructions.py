"""Every instruction can be read, seen, heard and felt."""

import re

from mobile_api.api.page import SOURCE
from tests.phone_page.modules import Modules

LONGEST_MS = 400
"""A phone in the other hand must not shake for longer."""


def instructions() -> set[str]:
    """Return what the guidance may say, and what is said of a good frame and of a burst."""
    source = (SOURCE / "capture" / "guidance.js").read_text("utf-8")
    listed = re.search(r"@typedef \{([^}]+)\} Instruction", source)
    assert listed is not None
    return {"good", *re.findall(r'"(\w+)"', listed[1])}


def test_each_instruction_has_every_form(modules: Modules) -> None:
    """A person who cannot use one form has the others."""
    words = modules.call("words/en.js", "default")
    said = {key.removeprefix("say_") for key in words if key.startswith("say_")}

    assert len(said) > 10
    assert said == instructions()
    assert set(modules.call("view/icons.js", "PATHS")) == said
    assert set(modules.call("view/vibration.js", "PATTERNS")) == said


def test_no_vibration_shakes_the_camera(modules: Modules) -> None:
    """Vibration and rest in turn, none of them nothing, all of it short."""
    patterns = modules.call("view/vibration.js", "PATTERNS")

    assert all(len(each) % 2 and min(each) > 0 for each in patterns.values())
    assert max(sum(each) for each in patterns.values()) <= LONGEST_MS
    assert sum(patterns["hold_still"]) == min(sum(each) for each in patterns.values())


def test_drawings_differ_wherever_the_instruction_does(modules: Modules) -> None:
    """A drawing that says two things says none."""
    drawings = [tuple(lines) for lines in modules.call("view/icons.js", "PATHS").values()]

    assert len(set(drawings)) == len(drawings)
