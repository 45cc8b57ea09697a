"""Registered phones: which one signed a request, and its account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from mobile_api.devices.nonces import NonceService
from mobile_api.devices.request_proofs import Proof, verify_proof
from mobile_api.errors import DeviceUnknown
from mobile_api.storage.database import Database
from mobile_api.types import Clock, Device, DeviceId
from oidc.plumbing.dpop import ProvedRequest


class DeviceService:
    """Registers phones and authenticates their requests.

    ``origin`` comes from the public URL; the Host header is never used.
    """

    def __init__(
        self,
        database: Database,
        nonces: NonceService,
        clock: Clock,
        *,
        origin: str,
        clock_skew_s: int,
    ) -> None:
        self._database, self._nonces, self._clock = database, nonces, clock
        self._origin, self._clock_skew = origin, timedelta(seconds=clock_skew_s)

    def prove(self, proofs: Sequence[str], method: str, path: str) -> Proof:
        """Return the proof of a request whose body is still to be read, and consume its nonce.

        Reading spends no nonce, and so commits nothing: until it expires a proof may show
        again what the same key was shown.

        Raises InvalidProof, ClockSkew or NonceNeeded.
        """
        request = ProvedRequest(
            method,
            frozenset({self._origin + path}),
            self._clock(),
            window=self._clock_skew,
            ahead=self._clock_skew,
        )
        proof = verify_proof(proofs, request)
        # Last, so that an otherwise invalid proof costs its sender no nonce.
        if method == "GET":
            self._nonces.check(proof.nonce)
        else:
            self._nonces.consume(proof.nonce)
        return proof

    def register(self, device_id: DeviceId, name: str) -> bool:
        """Register a phone; False if its key is registered already."""
        with self._database.write() as transaction:
            return transaction.devices.add(device_id, name, self._clock())

    def is_trusted(self, device_id: DeviceId) -> bool:
        """Return whether a key is of a phone that its account trusts."""
        with self._database.read() as transaction:
            device = transaction.devices.find(device_id)
        return device is not None and device.is_trusted

    def require(self, device_id: DeviceId) -> Device:
        """Return the registered phone or station of a key, or raise DeviceUnknown."""
        with self._database.read() as transaction:
            device = transaction.devices.find(device_id)
            if device is None:
                raise DeviceUnknown("this key is not registered")
            if device.account is not None:
                return device
            return replace(device, station=transaction.stations.of(device_id))
