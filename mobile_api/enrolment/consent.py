"""The consent text: version, text and digest."""

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
    """Return the current consent text with the contact address filled in.

    Raises SettingsFault.
    """
    try:
        text = (settings.consent_file or SHIPPED_TEXT).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsFault("the consent text cannot be read") from fault
    text = text.replace("{support_email}", settings.support_email)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Consent(settings.consent_version, text, digest, settings.support_email)


def accept(consent: Consent, version: str, sha256: str, clock: Clock) -> ConsentGiven:
    """Return the consent given, if it was given to the current text.

    Raises ConsentChanged.
    """
    if version != consent.version or not hmac.compare_digest(sha256, consent.sha256):
        raise ConsentChanged("the consent text has changed and must be shown again")
    return ConsentGiven(version, sha256, clock())
