"""Where a request ends: no byte of a body is read as a request, whatever its head says.

Behind a proxy that keeps its connections, one answer too many is read by another person.
"""

import itertools
import json
import socket
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from mobile_api.server.connections import OVERHEAD_BYTES
from tests.support.hostile.connections import (
    LIMIT_S,
    OFFERS,
    Packets,
    answers_to,
    head,
    not_as_expected,
    serving,
)
from tests.support.hostile.raw_http import Response
from tests.support.service.process import LOOPBACK

BODY = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
"""A body that would be a request."""

NEXT = b"GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

Read = list[Any]
"""For each answer: path and body of the request as the application saw it, or ``refused``."""

REFUSED: Read = ["refused"]

ANSWERED: Read = [("/read", BODY.decode()), ("/next", "")]


async def _echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with path and body; ``/refuse`` is answered before its body."""
    if scope["type"] != "http":
        return
    body = b"" if scope["path"] == "/refuse" else await Request(scope, receive).body()
    seen = [scope["path"], body.decode("latin-1")]
    seen += [str(value) for name, value in scope["headers"] if name == b"x-forwarded-for"]
    await JSONResponse(seen)(scope, receive, send)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Give the port of the server as it is shipped, before an application that echoes."""
    with serving(_echo) as port:
        yield port


def read_by(port: int, *packets: bytes, in_turn: bool = False) -> Read:
    """Send packets; return what the application read until the connection was closed."""
    return _read(answers_to(port, packets, in_turn=in_turn))


def wrongly_read(port: int, sent: Mapping[Any, Packets], expected: Read) -> dict[Any, Read]:
    """Send each on a separate connection; return what was not read as expected."""
    wrong = not_as_expected(port, sent, lambda _case, answers: _read(answers) == expected)
    return {case: _read(answers) for case, answers in wrong.items()}


def _read(answers: list[Response]) -> Read:
    return [
        tuple(json.loads(each.body)) if each.status == 200 else "refused" for each in answers
    ]


CHUNKS = b"5\r\n%s\r\n%x;name=value\r\n%s\r\n0\r\n" % (BODY[:5], len(BODY) - 5, BODY[5:])

FRAMES = {
    "length": (b"Content-Length: %d" % len(BODY), BODY),
    "chunks": (b"Transfer-Encoding: chunked", CHUNKS + b"\r\n"),
    "trailers": (
        b"Transfer-Encoding: chunked",
        CHUNKS + b"Upgrade: foo\r\nConnection: upgrade\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n",
    ),
}


def _packets(head: bytes, body: bytes, way: str) -> Packets:
    if way == "byte by byte":
        return [bytes([each]) for each in head + body + NEXT]
    return {
        "in one": [head + body + NEXT],
        "body later": [head, body, NEXT],
        "in pieces": [head[:40], head[40:] + body[:7], body[7:20], body[20:] + NEXT],
    }[way]


WAYS = ("in one", "body later", "in pieces", "byte by byte")


def test_an_offer_of_another_protocol_changes_nothing(port: int) -> None:
    """The body is whole, however it comes, and the next request gets its own answer."""
    sent = {}
    cases = itertools.product(("POST", "DELETE", "GET"), OFFERS, FRAMES, WAYS, (1, -1))
    for method, offer, frame, way, order in cases:
        line, body = FRAMES[frame]
        top = head(method, "/read", *[OFFERS[offer], line][::order])
        sent[method, offer, frame, way, order] = _packets(top, body, way)

    assert wrongly_read(port, sent, ANSWERED) == {}


@pytest.mark.parametrize("many", [1, 1000])
def test_offers_without_a_body_change_nothing(port: int, many: int) -> None:
    """Pipelined ones, too."""
    sent = {name: [head("GET", "/read", offer) * many, NEXT] for name, offer in OFFERS.items()}

    assert wrongly_read(port, sent, [("/read", "")] * many + ANSWERED[1:]) == {}


def test_a_length_too_long_takes_what_follows_into_the_body(port: int) -> None:
    """It is never read as a separate request."""
    length = b"Content-Length: %d" % len(BODY + NEXT)
    sent = {
        (name, way): _packets(
            head("POST", "/read", b"Connection: close", offer, length), BODY, way
        )
        for name, offer in OFFERS.items()
        for way in WAYS
    }

    assert wrongly_read(port, sent, [("/read", (BODY + NEXT).decode())]) == {}


def test_a_body_that_waits_for_word_is_read_or_the_connection_ends(port: int) -> None:
    """A client that is answered before ``100 Continue`` may leave the body out, or send it."""
    for offer in OFFERS.values():
        waits = head("POST", "/read", b"Expect: 100-continue", offer, FRAMES["length"][0])
        refused = waits.replace(b"/read", b"/refuse")

        assert read_by(port, waits, BODY, NEXT) == ANSWERED[:1]
        assert read_by(port, refused, BODY, NEXT) == [("/refuse", "")]
        assert read_by(port, refused, NEXT, in_turn=True) == [("/refuse", "")]
        # Sent before the answer it may be taken for the body, and what is left is refused.
        assert read_by(port, refused, NEXT) in ([("/refuse", "")], REFUSED)


def test_a_trailer_is_not_a_header(port: int) -> None:
    """Otherwise a client would say where it comes from after the proxy has said it."""
    line, body = FRAMES["trailers"]

    assert read_by(port, head("POST", "/read", line) + body + NEXT) == ANSWERED


def test_a_connection_never_becomes_a_tunnel_or_http2(port: int) -> None:
    """What follows is not read at all."""
    rest = b"\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(BODY)
    starts = (b"CONNECT /read HTTP/1.1", b"CONNECT x:443 HTTP/1.1", b"PRI * HTTP/2.0")
    sent = {(each, way): _packets(each + rest, BODY, way) for each in starts for way in WAYS}

    assert wrongly_read(port, sent, REFUSED) == {}


HOSTS = {
    "none": [],
    "two": [b"Host: x", b"Host: x"],
    "empty": [b"Host:"],
    "a space": [b"Host: x y"],
    "a user": [b"Host: a@x"],
    "a path": [b"Host: x/a"],
    "a scheme": [b"Host: http://x"],
    "no port": [b"Host: x:a"],
    "an open bracket": [b"Host: [::1"],
    "not ASCII": [b"Host: \xff"],
}


def test_a_request_names_one_host(port: int) -> None:
    """RFC 9112 §3.2."""
    sent = {
        name: [b"\r\n".join([b"GET / HTTP/1.1", *hosts, b"", b""])]
        for name, hosts in HOSTS.items()
    }
    good = [b"x", b"x.example:8390", b"127.0.0.1", b"[::1]:80", b"xn--a_b.example"]
    heads = b"".join(b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % each for each in good)

    assert wrongly_read(port, sent, REFUSED) == {}
    assert read_by(port, heads, NEXT) == [("/", "")] * len(good) + ANSWERED[1:]
    assert read_by(port, b"GET / HTTP/1.0\r\n\r\n") == [("/", "")]


LARGE = b"a" * OVERHEAD_BYTES

CHUNKED = head("POST", "/read", b"Transfer-Encoding: chunked")

OVERHEADS = {
    "target": (b"GET /", LARGE),
    "value": (b"GET / HTTP/1.1\r\nX: ", LARGE),
    "headers": (b"GET / HTTP/1.1\r\n", b"X: y\r\n" * OVERHEAD_BYTES),
    "chunk extension": (CHUNKED + b"5;a=", LARGE),
    "trailer": (CHUNKED + b"0\r\nX: ", LARGE),
}


@pytest.mark.parametrize("case", OVERHEADS)
def test_only_bodies_may_be_long(port: int, case: str) -> None:
    """The service reads no further, though the client sends on."""
    start, more = OVERHEADS[case]
    with socket.create_connection((LOOPBACK, port), timeout=LIMIT_S) as connection:
        connection.sendall(start)
        with pytest.raises(ConnectionError):
            for _ in range(2_000):
                connection.sendall(more)


def test_a_head_too_large_is_answered(port: int) -> None:
    """RFC 6585 §5; a large one within the limit is read."""
    large = head("GET", "/read", b"X: " + LARGE[:-1_000])
    larger = head("GET", "/read", b"X: " + LARGE, b"Y: " + LARGE[:8_000])
    answers = answers_to(port, [large, larger], in_turn=True)

    assert [each.status for each in answers] == [200, 431]


LENGTH = b"Content-Length: %d" % len(BODY)

AMBIGUOUS_HEADS = {
    "a length and chunks": [LENGTH, b"Transfer-Encoding: chunked"],
    "chunks and a length": [b"Transfer-Encoding: chunked", LENGTH],
    "chunks and no length": [b"Transfer-Encoding: chunked", b"Content-Length: 0"],
    "two lengths": [LENGTH, b"Content-Length: 0"],
    "no length, then one": [b"Content-Length: 0", LENGTH],
    "one length twice": [LENGTH, LENGTH],
    "lengths in a list": [LENGTH + b", %d" % len(BODY)],
    "a list of lengths": [b"Content-Length: 0, %d" % len(BODY)],
    "a sign": [b"Content-Length: +%d" % len(BODY)],
    "negative": [b"Content-Length: -1"],
    "hexadecimal": [b"Content-Length: 0x%x" % len(BODY)],
    "underscores": [b"Content-Length: 3_5"],
    "a fraction": [LENGTH + b".0"],
    "an exponent": [b"Content-Length: 1e1"],
    "a length too large": [b"Content-Length: 18446744073709551616"],
    "no digits": [b"Content-Length:"],
    "digits of another script": [b"Content-Length: \xd9\xa3"],
    "digits apart": [b"Content-Length: 3 5"],
    "a quoted length": [b'Content-Length: "35"'],
    "a length after a vertical tab": [b"Content-Length: \x0b35"],
    "a space before the colon": [b"Content-Length : %d" % len(BODY)],
    "a tab before the colon": [b"Content-Length\t: %d" % len(BODY)],
    "no colon": [b"Content-Length %d" % len(BODY)],
    "a folded length": [b"Content-Length: 3", b" 5"],
    "a folded line": [b"X-A: b", b" " + LENGTH],
    "a folded offer": [b"Upgrade: foo", b"Connection: keep-alive,", b" upgrade", LENGTH],
    "a tab that folds": [b"X-A: b", b"\t" + LENGTH],
    "an indented first line": [b" X-A: b", LENGTH],
    "chunked twice": [b"Transfer-Encoding: chunked, chunked"],
    "chunked not last": [b"Transfer-Encoding: chunked, identity"],
    "chunked, then another line": [b"Transfer-Encoding: chunked", b"Transfer-Encoding: x"],
    "no encoding that is known": [b"Transfer-Encoding: xchunked", LENGTH],
    "identity and a length": [b"Transfer-Encoding: identity", LENGTH],
    "an offer and no known encoding": [
        b"Upgrade: a",
        b"Connection: upgrade",
        b"Transfer-Encoding: x",
    ],
    "a quoted encoding": [b'Transfer-Encoding: "chunked"', LENGTH],
    "an encoding with a parameter": [b"Transfer-Encoding: chunked;a=b", LENGTH],
    "an encoding after a vertical tab": [b"Transfer-Encoding: \x0bchunked", LENGTH],
    "an encoding after NUL": [b"Transfer-Encoding: \0chunked", LENGTH],
    "an encoding before a form feed": [b"Transfer-Encoding: chunked\x0c", LENGTH],
    "a space before the encoding's colon": [b"Transfer-Encoding : chunked", LENGTH],
    "a name with a control character": [b"Transfer\x01-Encoding: chunked", LENGTH],
    "a name that is not ASCII": [b"Transfer-Encoding\xa0: chunked", LENGTH],
    "an encoding behind a bare LF": [b"X: y\nTransfer-Encoding: chunked", LENGTH],
    "an encoding behind a bare CR": [b"X: y\rTransfer-Encoding: chunked", LENGTH],
    "a length behind a bare LF": [b"X: y\nContent-Length: 0", LENGTH],
    "a length behind a bare CR": [b"X: y\rContent-Length: 0", LENGTH],
    "a name without characters": [b": %d" % len(BODY), LENGTH],
}


def test_a_head_that_can_be_read_in_two_ways_is_refused(port: int) -> None:
    """Once, and nothing after it is read."""
    sent = {
        (name, body, way): _packets(head("POST", "/read", *lines), body, way)
        for name, lines in AMBIGUOUS_HEADS.items()
        for body in (BODY, b"0\r\n\r\n" + BODY)
        for way in WAYS
    }

    assert wrongly_read(port, sent, REFUSED) == {}


AMBIGUOUS_CHUNKS = {
    "0x": b"0x5\r\nhello\r\n0\r\n\r\n",
    "a sign": b"+5\r\nhello\r\n0\r\n\r\n",
    "negative": b"-1\r\nhello\r\n0\r\n\r\n",
    "no digits": b"\r\nhello\r\n0\r\n\r\n",
    "no hexadecimal digits": b"5g\r\nhello\r\n0\r\n\r\n",
    "a space before": b" 5\r\nhello\r\n0\r\n\r\n",
    "a size too large": b"10000000000000005\r\nhello\r\n0\r\n\r\n",
    "a bare LF after the size": b"5\nhello\r\n0\r\n\r\n",
    "a bare CR after the size": b"5\rhello\r\n0\r\n\r\n",
    "a bare LF after the data": b"5\r\nhello\n0\r\n\r\n",
    "nothing after the data": b"5\r\nhello0\r\n\r\n",
    "data too long": b"5\r\nhello!\r\n0\r\n\r\n",
    "an extension with a bare LF": b"5;a=b\nc\r\nhello\r\n0\r\n\r\n",
    "an extension with a bare CR": b"5;a=b\rc\r\nhello\r\n0\r\n\r\n",
    "an extension with a quoted line": b'5;a="\r\n0\r\n\r\n"\r\nhello\r\n0\r\n\r\n',
    "an extension without a semicolon": b"5 a\r\nhello\r\n0\r\n\r\n",
    "a bare LF at the end": b"5\r\nhello\r\n0\n\n",
    "a trailer with a bare LF": b"5\r\nhello\r\n0\r\nX: y\nZ: z\r\n\r\n",
    "a trailer with a space": b"5\r\nhello\r\n0\r\nX : y\r\n\r\n",
    "a folded trailer": b"5\r\nhello\r\n0\r\nX: y\r\n z\r\n\r\n",
    "a trailer that is a request": b"5\r\nhello\r\n0\r\n" + BODY,
}


def test_chunks_that_can_be_read_in_two_ways_are_refused(port: int) -> None:
    """Once, and nothing after them is read."""
    sent = {
        (name, offer, way): _packets(
            head("POST", "/read", offer, b"Transfer-Encoding: chunked"), chunks, way
        )
        for name, chunks in AMBIGUOUS_CHUNKS.items()
        for offer in (b"X-No: offer", OFFERS["foo"])
        for way in WAYS
    }

    assert wrongly_read(port, sent, REFUSED) == {}
