"""Times logins, enrolments and erasures beside a gallery.

Phones send templates of drawn palms: times exclude image processing. Changes are committed to
SQLite with synchronous=FULL before they are acknowledged. Steps run one after the other, over
HTTP as a phone waits, and again inside a process, which the targets are about.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx2
from rich.console import Console
from rich.progress import track

from benchmarks.datasets.drawn import EXTRACTOR, DrawnTemplates
from benchmarks.datasets.manifest import DatasetFault
from benchmarks.harness.live_gallery import (
    ENROLLED,
    NOT_SEARCHABLE,
    SEARCHABLE,
    LiveService,
    live_service,
)
from benchmarks.harness.relying_party import RelyingParty
from benchmarks.harness.service import Service
from benchmarks.harness.template_login import TemplateLoginFlow
from benchmarks.measurement.rates import percentile
from benchmarks.measurement.targets import Target
from engine.template_codec import encode_template
from engine.types import Hand, PalmTemplate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mobile_api.reference_phone.client import ReferencePhone

SAMPLES: Final = 2
"""Templates of each enrolment; the next one logs in and deletes."""

REDIRECT_URI: Final = "http://127.0.0.1:9/callback"
"""Nothing listens there: the browser stops before it."""

SHARES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}

_TARGETS: Final = (
    (ENROLLED, "p50", 3, 1),
    (ENROLLED, "p99", 40, 20),
    (SEARCHABLE, "p50", 3, 1),
    (SEARCHABLE, "p99", 40, 20),
    (NOT_SEARCHABLE, "p50", 5, 2),
    (NOT_SEARCHABLE, "p99", 5, 2),
)

_console = Console(stderr=True, highlight=False)


def measure(drawn: DrawnTemplates, *, logins: int, erasures: int) -> dict[str, Any]:
    """Time every step over HTTP, then within this process.

    Raises:
        DatasetFault: the templates are too few.
        ServiceFault: the service does not start.
    """
    palms = templates_of(drawn)
    with _service() as party, httpx2.Client(timeout=60) as http:
        flow = TemplateLoginFlow(f"{party.issuer}/mobile/v1", party, http)
        numbers = time_over_http(flow, palms, logins=logins, erasures=erasures)
    with _live_service() as service:
        numbers["within_ms"] = time_in_process(service, palms, erasures=erasures)
    return numbers


def login_targets(times: dict[str, dict[str, float]]) -> list[Target]:
    """Return the targets of enrolment and erasure; steps that did not happen are left out.

    They are about the gallery and its database, as measured in the service's process. An
    enrolment is acknowledged when it is committed; until a search shows it is a second pair of
    targets.
    """
    return [
        Target(f"{stage}, {share}", times[stage][share], must, goal, "ms")
        for stage, share, must, goal in _TARGETS
        if stage in times
    ]


def templates_of(drawn: DrawnTemplates) -> list[list[bytes]]:
    """Return the templates that each phone sends, in order."""
    if drawn.codes.shape[1] <= SAMPLES:
        raise DatasetFault(
            "each palm needs three templates: run thenar models templates --views 3"
        )
    return [
        [
            encode_template(PalmTemplate(EXTRACTOR, Hand.LEFT, vector, code))
            for vector, code in zip(of_palm, codes, strict=True)
        ]
        for of_palm, codes in zip(drawn.unit_vectors(), drawn.codes, strict=True)
    ]


def time_over_http(
    flow: TemplateLoginFlow, palms: list[list[bytes]], *, logins: int, erasures: int
) -> dict[str, Any]:
    """Enrol, log in and delete over HTTP; return the times of each step."""
    enrolled: list[tuple[ReferencePhone, bytes]] = []
    for templates in track(palms, "enrolments", console=_console):
        phone = flow.enrol_templates(templates[:SAMPLES])
        if phone is not None:
            enrolled.append((phone, templates[SAMPLES]))
    known = [
        flow.sign_in(phone, template)
        for phone, template in track(enrolled[:logins], "logins", console=_console)
    ]
    left = [
        flow.delete_account(phone, template)
        for phone, template in track(enrolled[:erasures], "erasures", console=_console)
    ]
    return {
        "enrolled": len(enrolled),
        "rows": SAMPLES * len(enrolled),
        "logins": len(known),
        "known": sum(known),
        "erasures": sum(left),
        "times_ms": _in_ms(flow.times_s),
    }


def time_in_process(
    service: LiveService, palms: list[list[bytes]], *, erasures: int
) -> dict[str, dict[str, float]]:
    """Enrol and erase in the service's process; return the times of each step."""
    enrolled = []
    for templates in track(palms, "enrolments within", console=_console):
        phone = service.enrol(templates[:SAMPLES])
        if phone is not None:
            enrolled.append((phone, templates[SAMPLES]))
    for phone, _ in track(enrolled[:erasures], "erasures within", console=_console):
        service.erase(phone)
    for phone, template in enrolled[erasures : 2 * erasures]:
        service.delete(phone, template)
    return _in_ms(service.times_s)


def _in_ms(times_s: Mapping[str, list[float]]) -> dict[str, dict[str, float]]:
    return {name: _percentiles(seconds) for name, seconds in times_s.items()}


def _percentiles(seconds: list[float]) -> dict[str, float]:
    shares = {name: round(1e3 * percentile(seconds, s), 2) for name, s in SHARES.items()}
    return {"count": len(seconds), **shares}


@contextmanager
def _service() -> Iterator[RelyingParty]:
    with tempfile.TemporaryDirectory(prefix="thenar-login-") as folder:
        service = Service(
            Path(folder),
            settings={
                "THENAR_MOBILE_ADDRESS_DEVICES_PER_HOUR": "0",
                "THENAR_MOBILE_TEMPLATE_TRUST": "any_device",
            },
        )
        service.run("migrate")
        registration = service.add_client("Login", REDIRECT_URI)
        party = RelyingParty(service.issuer, registration)
        with service.running(), party.http:
            yield party


@contextmanager
def _live_service() -> Iterator[LiveService]:
    with (
        tempfile.TemporaryDirectory(prefix="thenar-login-") as folder,
        live_service(Path(folder)) as service,
    ):
        yield service
