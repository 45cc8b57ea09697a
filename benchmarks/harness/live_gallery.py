"""Enrol and erase by the service's use cases in this process, without HTTP.

Runs what ``thenar serve`` runs, background jobs included: transactions on SQLite with
synchronous=FULL, the audit chain, the live gallery, the erasure list.
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from anyio.from_thread import start_blocking_portal

from engine.settings import EngineSettings
from mobile_api.account.deletion import erase_account
from mobile_api.devices.binding import require_bound
from mobile_api.errors import MobileError
from mobile_api.gallery.template_encryption import group_of
from mobile_api.observability.metrics import Metrics
from mobile_api.server.configuration import Settings
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database, open_engine
from mobile_api.types import ConsentGiven, DeviceId
from oidc.settings import OidcSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastapi import FastAPI

    from mobile_api.types import Device

_ADDRESS: Final = "http://127.0.0.1:9"
"""Nothing listens there."""

_PALMS_A_DAY: Final = 1_000_000

ENROLLED: Final = "enrolment committed"
SEARCHABLE: Final = "enrolment committed, searchable"
ERASED: Final = "erasure committed"
NOT_SEARCHABLE: Final = "erasure committed, out of searches"
SAMPLE: Final = "sample kept, searched"
DELETED: Final = "palm verified, account deleted"


class StillSearchable(Exception):
    """A gallery still held a person whose erasure was acknowledged."""


class LiveService:
    """Enrols and erases by the use cases of a service in this process.

    Attributes:
        times_s: durations of each step, by its name.
    """

    def __init__(self, app: FastAPI, storage: Database) -> None:
        self._use, self._gallery, self._storage = app.state.services, app.state.gallery, storage
        self.times_s: dict[str, list[float]] = defaultdict(list)

    def enrol(self, templates: list[bytes]) -> Device | None:
        """Enrol a person; return their phone, or None if refused."""
        use, device_id = self._use, DeviceId(uuid4().hex)
        use.devices.register(device_id, "Benchmark")
        device = use.devices.require(device_id)
        [text, *_] = use.consents.values()
        consent = ConsentGiven(text.version, text.sha256, text.language, use.clock())
        enrolment_id = use.enrolments.open(device, consent).enrolment_id
        for template in templates:
            with self._step(SAMPLE):
                use.enrolments.add_sample(
                    device, enrolment_id, use.acquisition.from_template(template)
                )
        try:
            with self._step(SEARCHABLE):
                with self._step(ENROLLED):
                    use.enrolments.finish(device, enrolment_id)
                self._gallery.current()
        except MobileError:
            return None  # drawn palms may be too similar: not what is timed
        enrolled: Device = use.devices.require(device_id)
        return enrolled

    def erase(self, phone: Device) -> None:
        """Erase the phone's owner from the database and the searched gallery.

        Raises:
            StillSearchable: the gallery still holds them.
        """
        account = require_bound(phone)
        with self._step(NOT_SEARCHABLE):
            with self._step(ERASED), self._storage.writing() as transaction:
                erase_account(transaction, account, self._use.clock(), by="palm")
            gallery = self._gallery.current()
        if gallery.references_of(group_of(account)):
            raise StillSearchable
        self._use.deletion.finish_pending_erasures()

    def delete(self, phone: Device, template: bytes) -> bool:
        """Delete the owner's account by palm; False if it did not match."""
        try:
            with self._step(DELETED):
                self._use.deletion.delete(
                    phone, lambda: self._use.acquisition.from_template(template)
                )
        except MobileError:
            return False
        return True

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.times_s[name].append(time.perf_counter() - start)


@contextmanager
def live_service(folder: Path) -> Iterator[LiveService]:
    """Run a mobile API in this process with empty databases."""
    from mobile_api.app import migrate, mobile_alone  # noqa: PLC0415 - not for help

    settings = _settings(folder)
    list(migrate(settings))
    app = mobile_alone(settings, Metrics())
    storage = Database(open_engine(settings.mobile.database_url))
    try:
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(app.router.lifespan_context(app)),
        ):
            yield LiveService(app, storage)
    finally:
        storage.close()


def _settings(folder: Path) -> Settings:
    return Settings(
        OidcSettings(
            issuer=_ADDRESS,
            auth_url=_ADDRESS,
            base_url=_ADDRESS,
            database_url=f"sqlite:///{folder / 'protocol.sqlite3'}",
            key_encryption_key_file=folder / "protocol.key",
        ),
        MobileSettings(
            public_url=_ADDRESS,
            database_url=f"sqlite:///{folder / 'biometric.sqlite3'}",
            key_file=folder / "biometric.key",
            network_submissions_per_day=_PALMS_A_DAY,
        ),
        EngineSettings(),
    )
