"""The path prefixes and hosts of the three URLs of the settings."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from oidc.protocol import is_loopback
from oidc.settings import OidcSettings


@dataclass(frozen=True, slots=True)
class Paths:
    """Path prefixes and hosts.

    Attributes:
        issuer_path: path of the issuer, or empty.
        auth_origin: ``Origin`` of the consent page's forms.
        auth_host: host and port of ``auth_url``.
        base_host: host and port of ``base_url``.
    """

    issuer_path: str
    auth_path: str
    base_path: str
    auth_origin: str
    auth_host: str
    base_host: str

    def is_other_address(self, host: str) -> bool:
        """Return whether a browser must first be sent to ``auth_url``, where its cookies are.

        With one path for both addresses, only the Host header says which one was used.
        """
        is_base = self.base_path == self.auth_path and host.lower() == self.base_host
        return (is_base and host.lower() != self.auth_host) or self._is_other_loopback(host)

    def _is_other_loopback(self, host: str) -> bool:
        """Return whether a local browser used another loopback name than ``auth_url``.

        ``localhost`` and ``127.0.0.1`` do not share cookies. Other hosts are ignored, because a
        proxy may have rewritten the Host header.
        """
        ours = urlsplit(self.auth_origin)
        try:
            asked = urlsplit(f"//{host.lower()}")
            is_same_port = asked.port == ours.port
        except ValueError:
            return False
        names = (asked.hostname or "", ours.hostname or "")
        return is_same_port and names[0] != names[1] and all(map(is_loopback, names))


def paths_of(settings: OidcSettings) -> Paths:
    """Return the paths for these settings."""
    issuer, auth, base = map(urlsplit, (settings.issuer, settings.auth_url, settings.base_url))
    return Paths(
        issuer_path=issuer.path,
        auth_path=auth.path,
        base_path=base.path,
        auth_origin=f"{auth.scheme}://{auth.netloc}".lower(),
        auth_host=auth.netloc.lower(),
        base_host=base.netloc.lower(),
    )
