"""The consent text in every language: version, text and digest."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from mobile_api.errors import ConsentChanged, SettingsFault
from mobile_api.settings import MobileSettings
from mobile_api.types import Clock, Consent, ConsentGiven

SHIPPED: Final = Path(__file__).with_name("consent_texts")

DEFAULT_LANGUAGE: Final = "en"
"""Shown where there is no text in the wanted language. RFC 5646."""


def load_consents(settings: MobileSettings) -> Mapping[str, Consent]:
    """Return the current texts by language, with the contact address filled in.

    Raises SettingsFault.
    """
    place = settings.consent_file or SHIPPED
    files = {path.stem: path for path in sorted(place.glob("*.txt"))}
    texts = {
        language: _load(file, language, settings)
        for language, file in (files or {DEFAULT_LANGUAGE: place}).items()
    }
    if DEFAULT_LANGUAGE not in texts:
        raise SettingsFault(f"the folder of consent texts has no {DEFAULT_LANGUAGE}.txt")
    return texts


def _load(file: Path, language: str, settings: MobileSettings) -> Consent:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsFault("the consent text cannot be read") from fault
    text = text.replace("{support_email}", settings.support_email)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Consent(settings.consent_version, language, text, digest, settings.support_email)


def text_in(consents: Mapping[str, Consent], language: str) -> Consent:
    """Return the text in a language, or in the default one."""
    return consents.get(language, consents[DEFAULT_LANGUAGE])


def accept(
    consents: Mapping[str, Consent], version: str, sha256: str, clock: Clock
) -> ConsentGiven:
    """Return the consent given, with its language, if it was given to a current text.

    Raises ConsentChanged.
    """
    for consent in consents.values():
        if version == consent.version and hmac.compare_digest(sha256, consent.sha256):
            return ConsentGiven(version, sha256, consent.language, clock())
    raise ConsentChanged("the consent text has changed and must be shown again")
