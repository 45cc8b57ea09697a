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
from tests.support.hostile.raw_http import Framing, Pair, Request, segment

Mutation = Callable[[Request], Request]
Pairs = list[Pair]

_TAILS: Final = (
    "/", "/..", "/%2e%2e", "%00", "%ff", ";x=y", "%0d%0aX:%20y", "?", "#x", "/" + "a" * 3000,
    "/%F0%9F%96%90", "\\", "/..%2f..%2fetc/passwd",
)  # fmt: skip
_QUERIES: Final = (
    "%ff", "%00=%00", "a" * 9000, "a=1;b=2", "a[]=1&a[]=2", "%", "a=%zz", "\udcff=\udcff",
    "&".join(f"p{number}=1" for number in range(400)),
)  # fmt: skip
_VERSIONS: Final = ("HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", "x")
_HEADERS: Final = {
    "Content-Type": (
        "application/json", "", "multipart/form-data; boundary=x", ";;;=",
        "application/x-www-form-urlencoded; charset=utf-16", "application/vnd.thenar.template",
    ),
    "Content-Encoding": ("gzip",), "Transfer-Encoding": ("identity",),
    "Expect": ("100-continue",), "Upgrade": ("websocket",), "Range": ("bytes=9999999-1",),
    "TE": ("trailers",), "If-None-Match": ('"x", W/"y"',), "If-Modified-Since": ("yesterday",),
    "Accept": ("*/*;q=x",), "Accept-Encoding": ("br;q=1e9, gzip;q=-1",),
    "Accept-Language": ("de;q=0.1," * 400, "x" * 4000),
    "Authorization": ("Basic", "Basic !!!", "Basic //8=", "Bearer \xff", "DPoP x"),
    "Cookie": (
        "=;=;;;", "thenar-session=\xff", "thenar-portal-form=x; thenar-portal-session=y",
        "a=b; " * 2000, 'thenar-session="\\377"',
    ),
    "Origin": ("null", "https://evil.example", "\xff"), "Sec-Fetch-Site": ("cross-site",),
    "Referer": ("\x01",), "Host": ("evil.example", "", "[::1", "\xff"),
    "X-Forwarded-For": ("1.2.3.4", "x, ::ffff:1.2.3.4, [::1]:80"),
    "X-Forwarded-Proto": ("javascript",), "X-Forwarded-Host": ("evil.example",),
    "Forwarded": ("for=_x;proto=https",), "X-HTTP-Method-Override": ("DELETE",),
    "DPoP": ("", "eyJ9.e30.x"), "Content-Length": ("5",), "X": ("y" * 60_000,),
    "User-Agent": (
        "x" * 9000, "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)", "\x1b[31m",
    ),
    "Traceparent": ("00-" + "f" * 32 + "-" + "f" * 16 + "-01",), "X-Request-ID": ("\xff\xfe",),
    "Access-Control-Request-Headers": ("x" * 500,), "Last-Event-ID": ("\x00",),
    "Bad Name": ("x",), "": ("x",), "X\x00": ("x",),
}  # fmt: skip
"""Malformed, contradictory and unusual headers."""


def _set(part: str, value: Any, request: Request) -> Request:
    return replace(request, **{part: value})


def _tail(tail: str, request: Request) -> Request:
    return replace(request, path=request.path + tail)


def _segment(position: int, text: str, request: Request) -> Request:
    parts = request.path.split("/")
    parts[position % len(parts)] = segment(text)
    return replace(request, path="/".join(parts))


def _change(position: int, change: Callable[[str, str], Sequence[Pair]], pairs: Pairs) -> Pairs:
    """Put other pairs in the place of one."""
    at = position % max(1, len(pairs))
    return [
        new
        for number, pair in enumerate(pairs)
        for new in (change(*pair) if number == at else [pair])
    ]


def _damaged(position: int, name: str, value: str) -> list[Pair]:
    at = (7 * position) % max(1, len(value))
    other = "A" if value[at : at + 1] != "A" else "B"
    return [(name, value[:at] + other + value[at + 1 :])]


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


def _in_body(change: Callable[[bytes], bytes], request: Request) -> Request:
    return replace(request, form=None, body=change(request.content))


def _member(position: int, value: Any, body: bytes) -> bytes:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or not document:
        return json.dumps(value).encode()
    document[list(document)[position % len(document)]] = value
    return json.dumps(document).encode()


def _drawn(
    make: Callable[..., Any], *drawn: st.SearchStrategy[Any]
) -> st.SearchStrategy[Callable[[Any], Any]]:
    return st.builds(lambda *values: partial(make, *values), *drawn)


_positions: Final = st.integers(0, 40)
_replaced: Final = st.one_of(
    v.texts.map(lambda text: lambda name, _: [(name, text)]),
    v.texts.map(lambda text: lambda name, value: [(name, value), (name, text)]),
    _positions.map(lambda at: partial(_damaged, at)),
    st.sampled_from((lambda *_: [], lambda name, value: [(name, value)] * 2)),
)
_changes: Final = _drawn(_change, _positions, _replaced)
"""Changes of fields and of headers."""

_renamed: Final = v.texts.map(lambda text: lambda _, value: [(text, value)])
_headers: Final = st.sampled_from(
    [(name, value) for name, values in _HEADERS.items() for value in values]
)


def _more(pairs: st.SearchStrategy[Pair]) -> st.SearchStrategy[Callable[[Pairs], Pairs]]:
    return pairs.map(lambda pair: lambda pairs: [*pairs, pair])


_bodies: Final = st.one_of(
    _drawn(_member, _positions, v.documents),
    v.octets.map(lambda octets: lambda _: octets),
    v.octets.map(lambda octets: lambda body: body + octets),
    _positions.map(lambda at: lambda body: body[: len(body) * (at % 10) // 10]),
    _drawn(
        lambda size, _: b"x=" + b"y" * size, st.sampled_from((16_382, 17_000, 70_000, 200_000))
    ),
)
_parts: Final[dict[str, st.SearchStrategy[Any]]] = {
    "method": v.methods,
    "version": st.sampled_from(_VERSIONS),
    "framing": st.sampled_from(Framing),
    "raw_query": st.sampled_from(_QUERIES),
}
mutations: Final[st.SearchStrategy[Mutation]] = v.hide_repr(
    st.one_of(
        _drawn(_in_fields, _changes | _drawn(_change, _positions, _renamed)),
        _drawn(_in_fields, _more(st.tuples(v.texts, v.texts))),
        _drawn(_in_headers, _changes | _more(_headers)),
        st.just(_moved),
        _drawn(_tail, st.sampled_from(_TAILS)),
        _drawn(_segment, _positions, v.texts.filter(lambda text: text not in v.CANARIES)),
        _drawn(_in_body, _bodies),
        *(_drawn(partial(_set, part), values) for part, values in _parts.items()),
    )
)


def mutate(request: Request, applied: Sequence[Mutation]) -> Request:
    """Apply mutations in order."""
    for change in applied:
        request = change(request)
    return request
