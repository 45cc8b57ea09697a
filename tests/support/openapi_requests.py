"""Requests that an OpenAPI description allows, and requests that it forbids: schemathesis."""

from collections.abc import Callable, Iterator
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case, GenerationMode, SerializationContext
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from mobile_api.frames import FRAMES_TYPE
from mobile_api.messages import TEMPLATE_TYPE

AnyCase = Case[Any]
Operation = APIOperation[Any, Any, Any, Any]

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance,
    response_headers_conformance, response_schema_conformance,
]  # fmt: skip


@schemathesis.serializer(TEMPLATE_TYPE, FRAMES_TYPE)
def _as_octets(_context: SerializationContext, value: Any) -> bytes:
    """Send whatever is drawn for a template or for frames."""
    return value if isinstance(value, bytes) else str(value).encode()


def operations(document: dict[str, Any]) -> Iterator[Operation]:
    """Return every operation of a description."""
    schema = schemathesis.openapi.from_dict(document)
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        yield result.ok()


def send_many(
    operation: Operation,
    send: Callable[[AnyCase], Any],
    *,
    examples: int,
    modes: tuple[GenerationMode, ...] = tuple(GenerationMode),
) -> list[int]:
    """Send requests as described, and as forbidden; check every answer.

    Args:
        operation: which.
        send: sends one request and returns the answer.
        examples: how many of each kind; always the same ones.
        modes: which kinds.

    Returns:
        The statuses that came.
    """
    statuses: list[int] = []
    for mode in modes:
        if mode is GenerationMode.NEGATIVE and not _can_be_wrong(operation):
            continue

        @seed(1)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(operation.as_strategy(generation_mode=mode))
        def sent(case: AnyCase) -> None:
            answer = send(case)
            statuses.append(answer.status_code)
            case.validate_response(answer, checks=CHECKS)

        sent()
    return statuses


def _can_be_wrong(operation: Operation) -> bool:
    """Return whether there is anything in a request that could be wrong."""
    parameters = [*operation.path_parameters, *operation.query, *operation.headers]
    return bool(parameters or len(operation.body))
