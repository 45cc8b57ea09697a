"""Client names, read by people on the consent page: none may pass for another's.

Unicode Technical Standard 39 §4, §5. Names are stored in compatibility form (NFKC).
"""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Final
from unicodedata import category, name, normalize

from oidc.errors import ClientRefused

_LENGTH: Final = 80

_EAST_ASIAN: Final = frozenset(
    {"LATIN", "CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "HANGUL"}
)
"""Scripts that one word may mix. UTS 39 §5.2, highly restrictive."""

_SCRIPTS: Final = _EAST_ASIAN | {
    "ARABIC", "ARMENIAN", "BENGALI", "BOPOMOFO", "CYRILLIC", "DEVANAGARI", "ETHIOPIC",
    "GEORGIAN", "GREEK", "GUJARATI", "GURMUKHI", "HEBREW", "KANNADA", "KHMER", "LAO",
    "MALAYALAM", "MYANMAR", "ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN",
}  # fmt: skip
"""Scripts in everyday use. Unicode Standard Annex 31, table 5."""

_DIGITS: Final = str.maketrans("347", "eat")
_LATIN_LETTER: Final = re.compile(
    r"LATIN .*?LETTER (?:[A-Z]{2,} )*([A-Z]|TH)(?:LPHA)?(?: (?:WITH|ROTUNDA).*)?"
)
"""The Unicode name of a Latin letter, and the plain letter that it looks like."""

_OURS: Final = "thenar"
_READ: Final = 4
"""Letters of our name that must be read; the others may be any letter that is not ASCII."""

_ANY: Final = "?"

_UNSEEN: Final = re.compile("FILLER|VARIATION SELECTOR|VOWEL INHERENT|^COMBINING ")
"""In the Unicode name of what shows nothing, or is left over by NFKC to dress a letter up."""


def require_name(text: str) -> str:
    """Return the name to store. Raises ``ClientRefused``."""
    trimmed = normalize("NFKC", text).strip()
    # isprintable refuses control and formatting characters, such as reversed text.
    if not 0 < len(trimmed) <= _LENGTH or not trimmed.isprintable():
        raise ClientRefused(f"a name needs 1 to {_LENGTH} printable characters")
    if not all(map(_is_text, trimmed)) or "verified" in trimmed.casefold():
        raise ClientRefused("a name has no symbols, such as ✓, and does not say “verified”")
    if any(_UNSEEN.search(name(each, "")) for each in trimmed):
        raise ClientRefused("a name has no invisible letters, nor loose accents")
    for word in trimmed.split():
        if not _is_one_script({_script(letter) for letter in word if letter.isalpha()}):
            raise ClientRefused(f"the word {word} mixes scripts, or uses a rare one")
    foreign = {each for each in trimmed if each.isalpha() and _script(each) != "LATIN"}
    if foreign and all(map(_twin, foreign)):
        raise ClientRefused("the name looks like Latin letters and is not: write it in Latin")
    return trimmed


def is_reserved(text: str) -> bool:
    """Return whether people would read our own name in it: in one word, or in several joined.

    “The Narrative” is another name, “The Nar” is not. What is too long for a name is not looked
    at: ``require_name`` refuses it, and the time grows with the square of the words.
    """
    trimmed = normalize("NFKC", text).strip()
    words = [_folded(word) for word in trimmed.split()] if len(trimmed) <= _LENGTH else []
    bounds = combinations(range(len(words) + 1), 2)
    joined = ("".join(words[start:end]) for start, end in bounds)
    return any(map(_contains_ours, words)) or any(
        len(one) == len(_OURS) and _contains_ours(one) for one in joined
    )


def _contains_ours(word: str) -> bool:
    """Return whether our name is in a folded word, most of it in letters that are read."""
    parts = (word[start : start + len(_OURS)] for start in range(len(word) - len(_OURS) + 1))
    for part in parts:
        read = [a == b for a, b in zip(part, _OURS, strict=True) if a != _ANY]
        if all(read) and len(read) >= _READ:
            return True
    return False


def _folded(word: str) -> str:
    """Return the word in the letters a to z that it looks like, or ``_ANY`` for one."""
    return "".join(map(_plain, normalize("NFKD", word).translate(_DIGITS))).lower()


def _plain(letter: str) -> str:
    """Return the letters that one looks like; “” for what is no letter."""
    if letter.isascii():
        return letter if letter.isalpha() else ""
    found = _LATIN_LETTER.fullmatch(name(letter, ""))
    if found or _UNSEEN.search(name(letter, "")):
        return found[1] if found else ""
    return _twin(letter) or (_ANY if letter.isalpha() else "")


def _twin(letter: str) -> str:
    """Return the ASCII letter that people cannot tell from this one, “” if there is none."""
    from confusable_homoglyphs.confusables import (  # noqa: PLC0415 - 10 MB
        confusables_data,
    )

    same: Iterator[str] = (each["c"] for each in confusables_data.get(letter, ()))
    return next((each for each in same if each.isascii() and each.isalpha()), "")


def _is_text(character: str) -> bool:
    kind = category(character)
    is_mark_around = kind == "Me"
    return character.isascii() or (not is_mark_around and (kind[0] in "LMNPZ" or kind == "Sc"))


def _is_one_script(scripts: set[str]) -> bool:
    return scripts <= _EAST_ASIAN or (len(scripts) == 1 and scripts <= _SCRIPTS)


def _script(letter: str) -> str:
    """Return the script, which is the first word of a letter's Unicode name."""
    first = name(letter, "").partition(" ")[0].partition("-")[0]
    return "LATIN" if first == "MODIFIER" else first
