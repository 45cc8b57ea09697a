"""The page's words: every language complete, and the right one chosen."""

import re
from pathlib import Path

import pytest

from mobile_api.api.page import SOURCE
from mobile_api.types import NoticeKind
from oidc.web import language
from oidc.web.language import COOKIE
from tests.phone_page.modules import Modules

OF_PHONES = {"home_text", "camera_missing"}

OTHERS = ["ar", "de", "es", "fr", "ja", "pt", "zh"]


def words_of(modules: Modules, language: str) -> dict[str, str]:
    """Return all words of a language."""
    words: dict[str, str] = modules.call(f"words/{language}.js", "default")
    return words


def test_the_page_speaks_what_the_consent_page_speaks(modules: Modules) -> None:
    """A person who reads the computer's page must be able to read the phone's."""
    of_computers = {path.stem for path in Path(language.__file__).parent.glob("locales/*.json")}

    assert set(modules.call("words/words.js", "languages")) == of_computers


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_is_complete(modules: Modules, language: str) -> None:
    """The same keys, the same values in braces, nothing empty, nothing left in English."""
    english, other = words_of(modules, "en"), words_of(modules, language)

    assert set(other) == set(english)
    for key, text in other.items():
        assert text.strip() == text != ""
        assert re.findall(r"\{\w+\}", text) == re.findall(r"\{\w+\}", english[key]), key
    assert not re.search(r"\d", other["step"])  # beside digits as the country writes them
    assert "QR" not in other["camera_missing"]  # nor is there one where palms are set up
    assert sum(other[key] == english[key] for key in english) <= 3


@pytest.mark.parametrize("language", ["en", *OTHERS])
def test_a_laptop_is_called_a_device(modules: Modules, language: str) -> None:
    """Only two sentences mean a phone wherever they are read."""
    renamed = modules.call(f"words/{language}.js", "device")
    words = modules.call("words/words.js", "forDevices", words_of(modules, language), renamed)
    phone = renamed[-1][0]

    assert {key for key, said in words.items() if phone in said.lower()} <= OF_PHONES


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (["de-AT", "en"], "de"),
        (["pt-BR"], "pt"),
        (["zh-Hant-TW"], "zh"),
        (["AR"], "ar"),
        (["tlh", "fr"], "fr"),
        (["tlh"], "en"),
        ([], "en"),
    ],
)
def test_the_first_language_there_are_words_in_is_chosen(
    modules: Modules, wanted: list[str], expected: str
) -> None:
    """Regions and scripts do not matter; a language without words is passed over."""
    assert modules.call("words/words.js", "firstOf", wanted) == expected


def test_what_was_chosen_comes_first_in_the_browsers_own_variety(modules: Modules) -> None:
    """Dates are written as in the person's country."""
    own, chosen = ["fr", "de-AT"], f"a=b; {COOKIE}="

    assert modules.call("words/words.js", "wantedOf", "a=b", ["en-US@posix", *own]) == own
    assert modules.call("words/words.js", "wantedOf", f"{chosen}de", own)[0] == "de-AT"


def test_every_notice_of_the_service_has_words(modules: Modules) -> None:
    """The page leaves out a notice that it has no words for."""
    english = words_of(modules, "en")

    assert {f"notice_{kind.value}" for kind in NoticeKind} <= set(english)


def test_every_requested_word_exists(modules: Modules) -> None:
    """A key that was mistyped would be an empty screen."""
    english = words_of(modules, "en")
    folders = ("flows", "view", "capture")
    files = [SOURCE / "main.js", *(f for name in folders for f in (SOURCE / name).glob("*.js"))]
    sources = [file.read_text("utf-8") for file in files]
    asked = {key for source in sources for key in re.findall(r'\b(?:t|text)\("(\w+)"', source)}

    assert len(asked) > 20
    assert asked <= set(english)
