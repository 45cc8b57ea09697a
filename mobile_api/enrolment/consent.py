"""The text a person agrees to before a palm is enrolled: version, words, digest."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path
from typing import Final

from mobile_api.errors import ConsentChanged, SettingsFault
from mobile_api.settings import MobileSettings
from mobile_api.types import Clock, Consent, ConsentGiven

SHIPPED_TEXT: Final = Path(__file__).with_name("consent.txt")


def load_consent(settings: MobileSettings) -> Consent:
    """Return today's consent text, its placeholder filled in.

    Raises:
        SettingsFault: the file cannot be read.
    """
    try:
        text = (settings.consent_file or SHIPPED_TEXT).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsFault("the consent text cannot be read") from fault
    text = text.replace("{support_email}", settings.support_email)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Consent(settings.consent_version, text, digest, settings.support_email)


def accept(consent: Consent, version: str, sha256: str, clock: Clock) -> ConsentGiven:
    """Return what was agreed to, if it is today's text.

    Raises:
        ConsentChanged: it is another one: show the text of today first.
    """
    if version != consent.version or not hmac.compare_digest(sha256, consent.sha256):
        raise ConsentChanged("the consent text has changed: it has to be shown again")
    return ConsentGiven(version, sha256, clock())
