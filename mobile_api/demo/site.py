"""Where the demo is served: on loopback, or by https to the phones of a local network.

The certificate is self-signed, for one address.
"""

import socket
import ssl
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from mobile_api.demo.people import DemoError
from mobile_api.types import Clock

LIFETIME: Final = timedelta(days=90)
"""Phones accept at most 398 days."""

RENEWED_BEFORE: Final = timedelta(days=2)
"""A demo does not run longer."""

NAME: Final = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Thenar demo")])


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its private key, in two files.

    Attributes:
        public: PEM file with the certificate.
        served: PEM file with key and certificate.
    """

    public: Path
    served: Path

    @property
    def trust(self) -> ssl.SSLContext:
        """How a client trusts this certificate and no other."""
        return ssl.create_default_context(cafile=self.public)

    @property
    def fingerprint(self) -> str:
        """Its SHA-256, as browsers show it."""
        return self._read().fingerprint(SHA256()).hex(":").upper()

    def serves(self, host: str, now: datetime) -> bool:
        """Return whether it is for this address and valid for a while."""
        if not (self.public.exists() and self.served.exists()):
            return False
        kept = self._read()
        names = kept.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        is_for = ip_address(host) in names.get_values_for_type(x509.IPAddress)
        return is_for and now < kept.not_valid_after_utc - RENEWED_BEFORE

    def _read(self) -> x509.Certificate:
        return x509.load_pem_x509_certificate(self.public.read_bytes())


def certificate_for(host: str, folder: Path, now: datetime) -> Certificate:
    """Return the folder's certificate for an address; make one if there is none."""
    kept = Certificate(folder / "certificate.pem", folder / "certificate.key.pem")
    if not kept.serves(host, now):
        key = ec.generate_private_key(ec.SECP256R1())
        public = _signed(host, key, now).public_bytes(Encoding.PEM)
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        kept.served.touch(mode=0o600)
        kept.served.write_bytes(private + public)
        kept.public.write_bytes(public)
    return kept


def _signed(host: str, key: ec.EllipticCurvePrivateKey, now: datetime) -> x509.Certificate:
    """Return a certificate for an address, signed by its own key. RFC 5280 §4.2.1."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(NAME)
        .issuer_name(NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    )
    for extension in _extensions(host, key):
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(key, SHA256())


def _extensions(host: str, key: ec.EllipticCurvePrivateKey) -> tuple[x509.ExtensionType, ...]:
    """Return what browsers and OpenSSL ask of a certificate."""
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return (
        x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))]),
        x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]),
        identifier,
        x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier),
    )


LOOPBACK: Final = "127.0.0.1"

OUTSIDE: Final = ("192.0.2.1", 9)
"""An address of documentation (RFC 5737 §3): asking for the way there sends nothing."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where the demo is served.

    Attributes:
        host: address that service and sample app listen on.
        shop_host: the sample app's name. On loopback another one, so that the two do not
            share cookies.
        certificate: None on loopback, where browsers take plain HTTP for secure.
    """

    host: str = LOOPBACK
    shop_host: str = "localhost"
    certificate: Certificate | None = None

    def url(self, host: str, port: int) -> str:
        """Return an address of the demo."""
        return f"{'http' if self.certificate is None else 'https'}://{host}:{port}"

    @property
    def trust(self) -> ssl.SSLContext | bool:
        """How clients of the demo verify the service: by its certificate, or as usual."""
        return True if self.certificate is None else self.certificate.trust

    @property
    def served_certificate(self) -> Path | None:
        """Key and certificate to serve https with."""
        return None if self.certificate is None else self.certificate.served


def network_site(host: str, folder: Path, clock: Clock) -> Site:
    """Return the site at an address of this machine, with its certificate."""
    return Site(host, host, certificate_for(host, folder, clock()))


def own_address(outside: tuple[str, int] = OUTSIDE) -> str:
    """Return this machine's address in its network.

    Raises:
        DemoError: it is in none.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(outside)
        except OSError as fault:
            raise DemoError(
                "This machine is in no network: connect it, or name its address with --host."
            ) from fault
        return str(probe.getsockname()[0])
