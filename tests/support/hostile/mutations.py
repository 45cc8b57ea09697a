"""Mutations of a request, drawn by hypothesis: functions from a request to a request.

A position is drawn as a number and taken modulo the length, so that every mutation fits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from hypothesis import strategies as st

from tests.support.hostile import odd_values as v
from tests.support.hostile.odd_headers import HEADERS
from tests.support.hostile.raw_http import Framing, Pair, Request, segment

Mutation = Callable[[Request], Request]

_positions: Final = st.integers(0, 40)

_TAILS: Final = (
    "/",
    "//",
    "/..",
    "/%2e%2e",
    "%2f",
    "%00",
    "%ff",
    ";x=y",
    "/x",
    "%0d%0aX:%20y",
    "?",
    "#x",
    "%",
    "/" + "a" * 3000,
    "/%F0%9F%96%90",
    ".json",
    "\\",
    "/..%2f..%2fetc/passwd",
)

_QUERIES: Final = (
    "%ff",
    "%00=%00",
    "&&&&",
    "=",
    "a" * 9000,
    "a=1;b=2",
    "a[]=1&a[]=2",
    "client_id",
    "%",
    "a=%zz",
    "&".join(f"p{number}=1" for number in range(400)),
    "a=b=c",
    "\udcff=\udcff",
    "+=+",
)


def _method(method: str, request: Request) -> Request:
    return replace(request, method=method)


def _version(version: str, request: Request) -> Request:
    return replace(request, version=version)


def _framing(framing: Framing, request: Request) -> Request:
    return replace(request, framing=framing)


def _tail(tail: str, request: Request) -> Request:
    return replace(request, path=request.path + tail)


def _segment(position: int, text: str, request: Request) -> Request:
    parts = request.path.split("/")
    parts[position % len(parts)] = segment(text)
    return replace(request, path="/".join(parts))


def _raw_query(query: str, request: Request) -> Request:
    return replace(request, raw_query=query)


def _fields(request: Request, change: Callable[[list[Pair]], list[Pair]]) -> Request:
    """Change the form, or the query of a request without one."""
    if request.form is not None:
        return replace(request, form=tuple(change(list(request.form))))
    return replace(request, query=tuple(change(list(request.query))))


def _value(position: int, text: str, request: Request) -> Request:
    return _fields(request, partial(_with_value, position, text))


def _name(position: int, text: str, request: Request) -> Request:
    def change(pairs: list[Pair]) -> list[Pair]:
        at = position % max(1, len(pairs))
        return [
            (text, value) if n == at else (name, value) for n, (name, value) in enumerate(pairs)
        ]

    return _fields(request, change)


def _drop(position: int, request: Request) -> Request:
    def change(pairs: list[Pair]) -> list[Pair]:
        at = position % max(1, len(pairs))
        return [pair for n, pair in enumerate(pairs) if n != at]

    return _fields(request, change)


def _twice(position: int, text: str | None, request: Request) -> Request:
    def change(pairs: list[Pair]) -> list[Pair]:
        if not pairs:
            return pairs
        name, value = pairs[position % len(pairs)]
        return [*pairs, (name, value if text is None else text)]

    return _fields(request, change)


def _more(name: str, text: str, request: Request) -> Request:
    return _fields(request, lambda pairs: [*pairs, (name, text)])


def _damage(position: int, request: Request) -> Request:
    def change(pairs: list[Pair]) -> list[Pair]:
        if not pairs:
            return pairs
        value = pairs[position % len(pairs)][1]
        at = position % max(1, len(value))
        mutate = value[:at] + ("A" if value[at : at + 1] != "A" else "B") + value[at + 1 : -1]
        return _with_value(position, mutate, pairs)

    return _fields(request, change)


def _moved(request: Request) -> Request:
    if request.form is not None:
        return replace(request, query=request.form, form=None)
    return replace(request, form=request.query, query=())


def _with_value(position: int, text: str, pairs: list[Pair]) -> list[Pair]:
    at = position % max(1, len(pairs))
    return [(name, text) if n == at else (name, value) for n, (name, value) in enumerate(pairs)]


def _header(pair: Pair, request: Request) -> Request:
    return replace(request, headers=(*request.headers, pair))


def _replaced_header(position: int, text: str, request: Request) -> Request:
    return replace(request, headers=tuple(_with_value(position, text, list(request.headers))))


def _dropped_header(position: int, request: Request) -> Request:
    at = position % max(1, len(request.headers))
    return replace(request, headers=tuple(p for n, p in enumerate(request.headers) if n != at))


def _same_header(position: int, request: Request) -> Request:
    if not request.headers:
        return request
    return _header(request.headers[position % len(request.headers)], request)


def _damaged_header(position: int, request: Request) -> Request:
    if not request.headers:
        return request
    value = request.headers[position % len(request.headers)][1]
    at = (position * 7) % max(1, len(value))
    return _replaced_header(position, value[:at] + "A" + value[at + 1 :], request)


def _body(body: bytes, request: Request) -> Request:
    return replace(request, form=None, body=body)


def _cut_body(position: int, request: Request) -> Request:
    content = request.content
    return _body(content[: len(content) * (position % 10) // 10], request)


def _flipped_body(position: int, request: Request) -> Request:
    content = bytearray(request.content)
    if content:
        content[(position * 31) % len(content)] ^= 1 << position % 8
    return _body(bytes(content), request)


def _longer_body(more: bytes, request: Request) -> Request:
    return _body(request.content + more, request)


def _huge_body(size: int, request: Request) -> Request:
    return _body(b"x=" + b"y" * size, request)


def _member(position: int, value: Any, request: Request) -> Request:
    try:
        document = json.loads(request.content)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or not document:
        return _body(json.dumps(value).encode(), request)
    document[list(document)[position % len(document)]] = value
    return _body(json.dumps(document).encode(), request)


def _drawn_mutation(
    make: Callable[..., Request], *drawn: st.SearchStrategy[Any]
) -> st.SearchStrategy[Mutation]:
    return st.builds(lambda *values: partial(make, *values), *drawn)


mutations: Final[st.SearchStrategy[Mutation]] = v.hide_repr(
    st.one_of(
        _drawn_mutation(_value, _positions, v.texts),
        _drawn_mutation(_drop, _positions),
        _drawn_mutation(_twice, _positions, st.none() | v.texts),
        _drawn_mutation(_damage, _positions),
        _drawn_mutation(_name, _positions, v.texts),
        _drawn_mutation(_more, v.texts, v.texts),
        st.just(_moved),
        _drawn_mutation(_raw_query, st.sampled_from(_QUERIES)),
        _drawn_mutation(_method, v.methods),
        _drawn_mutation(_tail, st.sampled_from(_TAILS)),
        _drawn_mutation(
            _segment, _positions, v.texts.filter(lambda text: text not in v.CANARIES)
        ),
        _drawn_mutation(_header, st.sampled_from(HEADERS)),
        _drawn_mutation(_replaced_header, _positions, v.texts),
        _drawn_mutation(_dropped_header, _positions),
        _drawn_mutation(_same_header, _positions),
        _drawn_mutation(_damaged_header, _positions),
        _drawn_mutation(_member, _positions, v.documents),
        _drawn_mutation(_body, v.octets),
        _drawn_mutation(_cut_body, _positions),
        _drawn_mutation(_flipped_body, _positions),
        _drawn_mutation(_longer_body, v.octets),
        _drawn_mutation(_huge_body, st.sampled_from((16_382, 17_000, 70_000, 200_000))),
        _drawn_mutation(_framing, st.sampled_from(Framing)),
        _drawn_mutation(
            _version, st.sampled_from(("HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", "x"))
        ),
    )
)


def mutate(request: Request, applied: Sequence[Mutation]) -> Request:
    """Apply mutations in order."""
    for change in applied:
        request = change(request)
    return request
