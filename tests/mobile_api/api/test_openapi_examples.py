"""The mobile API answers as it is described: to everything that may be sent, signed or not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from schemathesis import GenerationMode

from engine.presentation_attack.session import Phase
from engine.template_codec import encode_template
from engine.types import Hand
from mobile_api import frames
from mobile_api import messages as m
from tests.support.openapi_requests import AnyCase, Operation, operations, send_many
from tests.support.palms.fake_engine import picture, template
from tests.support.phone.challenges import FakeDetector, frame
from tests.support.phone.hostile import HostilePhone, Sent
from tests.support.service.mobile_api import API, MobileWorld


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostilePhone]:
    """Give an attacker with a registered phone, to which no limit applies."""
    limits = ("submissions", "failed_identifications", "network_submissions", "network_failed")
    settings: dict[str, Any] = {f"{name}_per_day": 1_000_000 for name in limits}
    folder = tmp_path_factory.mktemp("described")
    with MobileWorld(folder, device_requests_per_minute=0, **settings) as world:
        yield HostilePhone(world)


@pytest.fixture(scope="module")
def described(hostile: HostilePhone) -> dict[str, Operation]:
    """Give every operation of the description that is served."""
    document = hostile.world.client.get(f"{API}/openapi.json").json()
    return {operation.label: operation for operation in operations(document)}


KINDS = {"signed": 8, "unsigned": 3, "in place": 5}
"""Requests of each operation: signed as described, without a right proof, and signed with the
names, the picture and the template of a phone that is in the middle of something."""


@pytest.mark.parametrize(
    "kind",
    [
        "unsigned",
        "in place",
        pytest.param("signed", marks=pytest.mark.check("signed requests")),
    ],
)
def test_every_answer_is_as_described(
    hostile: HostilePhone, described: dict[str, Operation], kind: str
) -> None:
    """Statuses, content types and bodies, whatever was sent; never a fault of ours."""
    came: dict[str, set[int]] = {}
    # A stream that is open lasts as long as its login.
    asked = {
        label: operation
        for label, operation in described.items()
        if not (kind == "in place" and label.endswith("/events"))
    }
    for label, operation in asked.items():

        def send(case: AnyCase) -> Any:
            return _sent(hostile, case, kind)

        came[label] = set(send_many(operation, send, examples=KINDS[kind]))

    signed = [
        statuses for label, statuses in came.items() if "DPoP" in _headers(described[label])
    ]
    assert len(signed) > 15
    if kind == "unsigned":
        assert all(statuses <= {401, 404, 405, 413, 415, 422} for statuses in signed)
    if kind == "in place":
        assert {200, 409} <= set().union(*signed)


def test_every_answer_about_a_challenge_is_as_described(tmp_path: Path) -> None:
    """Where challenges are asked, begun ones among them."""
    settings: dict[str, Any] = {
        f"{name}_per_day": 1_000_000
        for name in ("submissions", "failed_identifications", "network_failed")
    }
    with MobileWorld(tmp_path, detector=FakeDetector(), **settings) as world:
        hostile = HostilePhone(world)
        document = world.client.get(f"{API}/openapi.json").json()
        asked = [each for each in operations(document) if "/challenges" in each.label]
        for kind, examples in KINDS.items():

            def send(case: AnyCase) -> Any:
                return _sent(hostile, case, kind)  # noqa: B023

            came = [set(send_many(each, send, examples=examples)) for each in asked]
            if kind == "in place":
                assert {200, 201, 422} <= set().union(*came)


def _headers(operation: Operation) -> set[str]:
    return {parameter.name for parameter in operation.headers}


def _sent(hostile: HostilePhone, case: AnyCase, kind: str) -> Any:
    """Send a request; where it is to be signed, with a proof that fits what is sent."""
    client = hostile.world.client
    given = case.as_transport_kwargs(base_url=API)
    request = client.build_request(
        given["method"],
        given["url"],
        headers={k: v for k, v in given["headers"].items() if k.isascii()},
        content=given.get("data") if isinstance(given.get("data"), bytes | str) else None,
        json=given.get("json"),
    )
    if kind == "in place" and _is_right(case):
        request = _in_place(hostile, case)
    if kind != "unsigned" and "DPoP" in _headers(case.operation):
        path = str(request.url).partition("?")[0].removeprefix(API)
        sent = Sent(method=request.method, path=_literal(path), body=request.content)
        request.headers[m.PROOF_HEADER] = hostile.proof(sent)
    return client.send(request)


def _in_place(hostile: HostilePhone, case: AnyCase) -> Any:
    """Return the request as a phone makes it that is in the middle of something."""
    names = {
        "enrolment_id": hostile.enrolment,
        "login_id": hostile.login,
        "handle": "x",
        "challenge_id": hostile.challenge(),
        "number": "1",
    }
    kind, content = case.media_type, b""
    match kind:
        case m.TEMPLATE_TYPE:
            content = encode_template(template(1))
        case "image/png" | "image/jpeg" | "image/webp":
            content = picture(1)
        case frames.FRAMES_TYPE:
            content = frames.write_frames(
                [frames.SentFrame(at, Phase.OPEN, frame(1, Hand.LEFT, at)) for at in range(3)]
            )
        case "application/json":
            begun = {"purpose": "palm_proof"} if case.path == "/challenges" else case.body
            content = hostile.world.client.build_request("POST", API, json=begun).content
        case _:
            pass
    headers = {} if kind is None else {"Content-Type": kind}
    url = API + case.path.format(**names)
    return hostile.world.client.build_request(
        case.method, url, content=content, headers=headers
    )


def _literal(path: str) -> str:
    """Return a path that ``format`` leaves as it is."""
    return path.replace("{", "{{").replace("}", "}}")


def _is_right(case: AnyCase) -> bool:
    return case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE
