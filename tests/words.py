"""Reports words that hide what they mean, and what to write instead: ``python -m tests.words``.

It reads names, comments, docstrings, messages and pages alike, also where a phrase goes on in
the next line or stands in ``camelCase``. A part of another word is allowed (``during``).
"""

import re
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]

INSTEAD: Final = {
    "nobody": "no account, no person, no caller, none",
    "somebody": "a person, another account, the caller",
    "whoever": "the caller, each person who, the one who",
    "told": "sent, returned, notified, reported, set; distinguished",
    "tells? whether": "return whether, show whether",
    "anew": "again",
    "elsewhere": "on another host, by another program",
    "of its own": "its own, a separate, one for each",
    "asked for": "requested",
    "strangers?": "unauthenticated caller, person who is not enrolled",
    "rings?": "key file, circular buffer",
    "roads?": "way, path, method, steps",
    "rooms?": "space, capacity; background (of a picture)",
    "doors?": "endpoint, entry, limit",
    "houses?": "network, operator, company",
    "payers?": "the device or address that is charged",
    "palm[’']s answer": "login answer",
}
"""A word, and words to choose from instead of it."""

SKIPPED: Final = {
    "tests/words.py": "lists the words",
    **dict.fromkeys(("*.jpg", "*.png", "*.webp", "*.onnx", "*.npz"), "pictures and numbers"),
    "*.lock": "written by pip",
    "*/package-lock.json": "written by npm",
    "*/licences/*": "other people's texts",
    "benchmarks/results/*.json": "results as they were measured",
    "*/migrations/versions/*": "applied as they are",
    "*/consent_texts/*": "a changed text needs each person's consent again",
}
"""Files that are not read, and why."""

ALLOWED: Final = (
    # Public and stored names.
    "station_elsewhere", "strangers_failed_per_day", r'[.`"]roads\b|\broads(?=[:=])',
    r'"payer"|_payer_', "somebody asks", "warped_in_room", "outranked_by_a_stranger",
    # Things that are called so: a finger, a user of Unix, a place of a camera.
    "ring[ _]finger", '"nobody"', "a door or a desk",
    # Quotations, and tests that a document names: their names are read in the tests.
    r"“[^”\n]+”", r"`test[^`\n]+`",
)  # fmt: skip

RELEASED: Final = re.compile(r"^## [0-9]", re.MULTILINE)
_GAP: Final = r"[\s_#*/-]+"
WORD: Final = re.compile(rf"(?<![a-z])(?:{'|'.join(INSTEAD).replace(' ', _GAP)})(?![a-z])")


def texts() -> Iterator[tuple[str, str]]:
    """Yield each file of the checkout that is read: its path, its text."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    for path in subprocess.check_output(listed, cwd=ROOT, text=True).splitlines():  # noqa: S603 -- git
        if not any(fnmatch(path, each) for each in SKIPPED):
            text = (ROOT / path).read_text("utf-8")
            # A released section of changes stays as it is.
            yield path, RELEASED.split(text)[0] if path == "CHANGELOG.md" else text


def faults(path: str, text: str) -> Iterator[str]:
    """Yield one line for each word that has to be replaced."""
    known = re.sub("|".join(ALLOWED), "", text, flags=re.IGNORECASE)
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", known).lower()
    for found in WORD.finditer(apart):
        line = apart.count("\n", 0, found.start()) + 1
        word = re.sub(_GAP, " ", found[0])
        yield f"{path}:{line}: {word}: {instead_of(word)}"


def instead_of(word: str) -> str:
    """Return the words to choose from."""
    return next(right for wrong, right in INSTEAD.items() if re.fullmatch(wrong, word))


if __name__ == "__main__":
    if found := [fault for path, text in texts() for fault in faults(path, text)]:
        raise SystemExit("Write instead:\n" + "\n".join(found))
