"""A phone that hangs up in the middle of a request is nobody's fault."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import Request

from mobile_api.api.http import read_body
from mobile_api.errors import InvalidRequest
from mobile_api.server.error_responses import status_of


def test_a_phone_that_hangs_up_is_no_fault_of_ours() -> None:
    """Otherwise anybody could fill the log with errors, and the metrics with 500s."""
    messages: list[dict[str, object]] = [
        {"type": "http.request", "body": b"half", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, object]:
        return messages.pop(0)

    request = Request({"type": "http", "method": "POST", "headers": []}, receive)

    with pytest.raises(InvalidRequest) as refused:
        asyncio.run(read_body(request, 1_000))
    assert status_of(refused.value) == 422
