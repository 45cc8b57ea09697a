"""Reads request bodies up to a limit."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Final

from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

BODY_BYTES: Final = 16_384
"""Maximum size of a form; a legitimate form has up to about 3,000 bytes."""

FORM: Final = "application/x-www-form-urlencoded"


async def read_body(request: Request, limit_bytes: int = BODY_BYTES) -> bytes | None:
    """Return the body; None if it is too long or the client disconnects."""
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > limit_bytes:
                return None
    except ClientDisconnect:
        return None
    return bytes(body)


def is_form(request: Request) -> bool:
    """Return whether the body is a form, in any character set."""
    return _media_type(request) == FORM


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Upload:
    """A submitted form with one file."""

    fields: Mapping[str, str] = field(repr=False)
    data: bytes = field(repr=False)


async def read_upload(request: Request, limit_bytes: int) -> Upload | None:
    """Return a form with one file; None if it is not one, or too long. RFC 7578.

    The file stays in memory while ``limit_bytes`` is below 1 MiB.
    """
    body = await read_body(request, limit_bytes)
    if body is None or _media_type(request) != "multipart/form-data":
        return None
    try:
        parser = MultiPartParser(request.headers, _once(body), max_files=1, max_fields=4)
        form = await parser.parse()
    except MultiPartException:
        return None
    texts = {name: value for name, value in form.items() if isinstance(value, str)}
    files = [await each.read() for each in form.values() if not isinstance(each, str)]
    await form.close()
    return Upload(texts, files[0]) if len(files) == 1 else None


async def _once(body: bytes) -> AsyncGenerator[bytes, None]:
    yield body


async def read_form(request: Request) -> str | None:
    """Return the text of a form body; None if it is not a form, too long or not ASCII."""
    body = await read_body(request) if is_form(request) else None
    return body.decode("ascii") if body is not None and body.isascii() else None
