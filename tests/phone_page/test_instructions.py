"""Every instruction can be read, seen, heard and felt."""

import re

from mobile_api.api.page import SOURCE
from tests.phone_page.modules import Modules


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
