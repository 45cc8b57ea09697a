"""The reference phone's state file: its device key and registrations. Mode 0600."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass, field
from pathlib import Path

from joserfc.errors import JoseError
from joserfc.jwk import ECKey

from mobile_api.errors import PhoneState
from oidc.plumbing import private_file


@dataclass(frozen=True, slots=True)
class PhoneIdentity:
    """A device key and where it is registered.

    Attributes:
        registered: addresses of APIs, the latest last.
    """

    key: ECKey = field(repr=False)
    registered: tuple[str, ...] = ()

    def with_registration(self, api: str) -> PhoneIdentity:
        """Return this identity with a registration added."""
        others = tuple(each for each in self.registered if each != api)
        return PhoneIdentity(self.key, (*others, api))


def load_identity(path: Path) -> PhoneIdentity | None:
    """Read the file; None if there is none.

    Raises:
        PhoneState: it is damaged, or readable by others.
    """
    try:
        mode, text = path.stat().st_mode, path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as fault:
        raise PhoneState("the phone's file cannot be read") from fault
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise PhoneState("the phone's file is readable by others; its mode must be 0600")
    try:
        kept = json.loads(text)
        return PhoneIdentity(ECKey.import_key(kept["key"]), tuple(kept["registered"]))
    except (ValueError, KeyError, TypeError, JoseError) as fault:
        raise PhoneState("the phone's file is damaged") from fault


def save_identity(path: Path, identity: PhoneIdentity) -> None:
    """Write the file atomically, mode 0600."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pem = identity.key.as_pem(private=True).decode()
    text = json.dumps({"key": pem, "registered": list(identity.registered)}, indent=1)
    private_file.replace(path, text.encode())
