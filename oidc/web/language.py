"""Languages of the pages, and which one a person gets.

A catalogue is a flat JSON object from a key to a sentence with named ``{placeholders}``.
Values in a right-to-left sentence are isolated, so that names keep their own direction
(Unicode Standard Annex 9 §2.4).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).with_name("locales")

TAGS: Final = ("en", "es", "fr", "de", "pt", "ar", "zh", "ja")
"""BCP 47 tags of the catalogues; the first is the default."""

COOKIE: Final = "thenar-language"
"""The choice in the menu of any page; the phone's page reads and writes it, too."""

_RIGHT_TO_LEFT: Final = frozenset({"ar"})
_ASKED_LENGTH: Final = 200
_PALM: Final = "手のひら"
"""A word that browsers would break; word joiners (U+2060) keep a line from ending inside it."""
_RANGE: Final = re.compile(
    r"(?P<tag>[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)(?:\s*;\s*q=(?P<q>[01](?:\.\d{0,3})?))?"
)


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    Attributes:
        tag: for the attribute ``lang``.
    """

    tag: str
    messages: Mapping[str, str] = field(repr=False)

    @property
    def direction(self) -> str:
        """For the attribute ``dir``."""
        return "rtl" if self.tag in _RIGHT_TO_LEFT else "ltr"

    def translate(self, key: str, **values: object) -> str:
        """Return a sentence with its values. Raises ``KeyError`` for a missing key."""
        if self.tag in _RIGHT_TO_LEFT:
            values = {name: f"\u2068{value}\u2069" for name, value in values.items()}
        return self.messages[key].format(**values)


class Languages:
    """All catalogues, read once: those of every page, and what ``more`` folders add."""

    def __init__(self, *more: Path) -> None:
        folders = (FOLDER, *more)
        self._by_tag = {tag: Language(tag, _read(folders, f"{tag}.json")) for tag in TAGS}

    def __iter__(self) -> Iterator[Language]:
        """Iterate over the languages."""
        return iter(self._by_tag.values())

    def choose(self, ui_locales: str | None, accept_language: str | None) -> Language:
        """Return the language for a person.

        First the client's ``ui_locales`` (OpenID Connect Core §3.1.2.1), then the browser's by
        weight (RFC 9110 §12.5.4). Lookup matching (RFC 4647 §3.4): ``de-AT`` finds ``de``.
        """
        asked = [*(ui_locales or "")[:_ASKED_LENGTH].split(), *_accepted(accept_language)]
        for tag in asked:
            primary = tag.lower().partition("-")[0]
            if primary in self._by_tag:
                return self._by_tag[primary]
        return self._by_tag[TAGS[0]]


def _accepted(header: str | None) -> list[str]:
    """Return the tags of an Accept-Language header, best first; malformed ones are skipped."""
    weighed = []
    for part in (header or "")[:_ASKED_LENGTH].split(","):
        found = _RANGE.fullmatch(part.strip())
        if found is not None and float(found["q"] or 1) > 0:
            weighed.append((-float(found["q"] or 1), found["tag"]))
    return [tag for _, tag in sorted(weighed, key=lambda each: each[0])]


def _read(folders: Iterable[Path], name: str) -> dict[str, str]:
    messages: dict[str, str] = {}
    for each in folders:
        text = (each / name).read_text(encoding="utf-8")
        messages |= json.loads(text.replace(_PALM, "\u2060".join(_PALM)))
    return messages
