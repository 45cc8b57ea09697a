"""Mutations of a request, drawn by hypothesis: functions from a request to a request.

A position is drawn as a number and taken modulo the length, so that every mutation fits.
"""

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

Pairs = list[Pair]

_positions: Final = st.integers(0, 40)

_TAILS: Final = (
    "/",
    "/..",
    "/%2e%2e",
    "%00",
    "%ff",
    ";x=y",
    "%0d%0aX:%20y",
    "?",
    "#x",
    "/" + "a" * 3000,
    "/%F0%9F%96%90",
    "\\",
    "/..%2f..%2fetc/passwd",
)

_QUERIES: Final = (
    "%ff",
    "%00=%00",
    "a" * 9000,
    "a=1;b=2",
    "a[]=1&a[]=2",
    "%",
    "a=%zz",
    "&".join(f"p{number}=1" for number in range(400)),
    "\udcff=\udcff",
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


def _value(position: int, text: str, pairs: Pairs) -> Pairs:
    at = position % max(1, len(pairs))
    return [(name, text if n == at else value) for n, (name, value) in enumerate(pairs)]


def _name(position: int, text: str, pairs: Pairs) -> Pairs:
    at = position % max(1, len(pairs))
    return [(text if n == at else name, value) for n, (name, value) in enumerate(pairs)]


def _drop(position: int, pairs: Pairs) -> Pairs:
    at = position % max(1, len(pairs))
    return [pair for n, pair in enumerate(pairs) if n != at]


def _twice(position: int, text: str | None, pairs: Pairs) -> Pairs:
    if not pairs:
        return pairs
    name, value = pairs[position % len(pairs)]
    return [*pairs, (name, value if text is None else text)]


def _damage(position: int, pairs: Pairs) -> Pairs:
    if not pairs:
        return pairs
    value = pairs[position % len(pairs)][1]
    at = (7 * position) % max(1, len(value))
    damaged = value[:at] + ("A" if value[at : at + 1] != "A" else "B") + value[at + 1 :]
    return _value(position, damaged, pairs)


def _more(pair: Pair, pairs: Pairs) -> Pairs:
    return [*pairs, pair]


def _in_fields(change: Callable[[Pairs], Pairs], request: Request) -> Request:
    """Change the form, or the query of a request without one."""
    if request.form is not None:
        return replace(request, form=tuple(change(list(request.form))))
    return replace(request, query=tuple(change(list(request.query))))


def _in_headers(change: Callable[[Pairs], Pairs], request: Request) -> Request:
    return replace(request, headers=tuple(change(list(request.headers))))


def _moved(request: Request) -> Request:
    if request.form is not None:
        return replace(request, query=request.form, form=None)
    return replace(request, form=request.query, query=())


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


def _drawn(
    make: Callable[..., Request], *drawn: st.SearchStrategy[Any]
) -> st.SearchStrategy[Mutation]:
    return st.builds(lambda *values: partial(make, *values), *drawn)


_changes: Final = st.one_of(
    st.builds(partial, st.just(_value), _positions, v.texts),
    st.builds(partial, st.just(_drop), _positions),
    st.builds(partial, st.just(_twice), _positions, st.none() | v.texts),
    st.builds(partial, st.just(_damage), _positions),
)
"""Changes of fields and of headers."""

_segments: Final = v.texts.filter(lambda text: text not in v.CANARIES)

_VERSIONS: Final = ("HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", "x")

mutations: Final[st.SearchStrategy[Mutation]] = v.hide_repr(
    st.one_of(
        _drawn(_in_fields, _changes),
        _drawn(_in_fields, st.builds(partial, st.just(_name), _positions, v.texts)),
        _drawn(_in_fields, st.builds(partial, st.just(_more), st.tuples(v.texts, v.texts))),
        _drawn(_in_headers, _changes),
        _drawn(_in_headers, st.builds(partial, st.just(_more), st.sampled_from(HEADERS))),
        st.just(_moved),
        _drawn(_raw_query, st.sampled_from(_QUERIES)),
        _drawn(_method, v.methods),
        _drawn(_tail, st.sampled_from(_TAILS)),
        _drawn(_segment, _positions, _segments),
        _drawn(_member, _positions, v.documents),
        _drawn(_body, v.octets),
        _drawn(_cut_body, _positions),
        _drawn(_flipped_body, _positions),
        _drawn(_longer_body, v.octets),
        _drawn(_huge_body, st.sampled_from((16_382, 17_000, 70_000, 200_000))),
        _drawn(_framing, st.sampled_from(Framing)),
        _drawn(_version, st.sampled_from(_VERSIONS)),
    )
)


def mutate(request: Request, applied: Sequence[Mutation]) -> Request:
    """Apply mutations in order."""
    for change in applied:
        request = change(request)
    return request
