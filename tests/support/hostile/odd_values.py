"""Hypothesis strategies for hostile texts, JSON documents and bodies."""

import secrets
from typing import Any, Final, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


def hide_repr(inner: st.SearchStrategy[T]) -> st.SearchStrategy[T]:
    """Wrap a strategy to avoid its very long representation."""

    @st.composite
    def drawn(draw_requests: st.DrawFn) -> T:
        return draw_requests(inner)

    return drawn()


CANARIES: Final = tuple(secrets.token_urlsafe(32) for _ in range(8))
"""Made-up secrets: sent where secrets are sent, they must not be printed either."""

_DEEP: Final = "[" * 3000 + "]" * 3000

_ODD_TEXTS: Final = (
    "", " ", "\x00", "a\x00b", "\r\nX-Evil: 1", "\n", "\t", "%00", "%", "%zz", "%ff", "\udcff",
    "\ud800", "\u202e", "\ufeff", "é", "ع", "🖐", "\x7f", "\x85", "'", '"', "';--", "<script>",
    "{{7*7}}", "${x}", "%s%n", "../../etc/passwd", "..\\", "//evil.example",
    "http://evil.example", "https://user:pw@evil.example/", "javascript:alert(1)", "data:,x",
    "urn:x", "null", "None", "true", "[]", "{}", _DEEP, '{"a":' * 500, "-1", "0", "1e999",
    "NaN", "9" * 400, "0x10", "٣", "1_000", "a" * 300, "a" * 5000, "ا" * 2000, "openid " * 300,
    "none", "login consent", "code token", "fragment", "plain", "a.b.c",
    "eyJhbGciOiJub25lIn0.e30.", "=" * 10, "&a=b", "*",
)  # fmt: skip

_ODD_OCTETS: Final = (
    b"", b"\x00", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"{", b"[]", b"null", b'"x"',
    b"1e999", b'{"a":1,"a":2}', b'{"name":"\\ud800"}', b'{"name":NaN}', b'{"ticket":1}',
    b"a=b&a=c", b"&" * 99, b"a" * 20_000, b"x=" + b"%ff", b"x=\xff", _DEEP.encode(),
    b"\x1f\x8b\x08" + bytes(20), b"THNR" + bytes(100), b"\xff\xd8\xff\xe0" + bytes(200),
    b"\x89PNG\r\n\x1a\n" + bytes(64), b"RIFF\xff\xff\xff\xffWEBPVP8 ",
    b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--x--",
)  # fmt: skip

texts: Final = hide_repr(
    st.one_of(
        st.sampled_from(_ODD_TEXTS),
        st.sampled_from(CANARIES),
        st.text(max_size=30),
        st.text(st.characters(codec="ascii"), max_size=60),
        st.from_regex(r"[A-Za-z0-9._~-]{1,80}", fullmatch=True),
    )
)

octets: Final = hide_repr(st.one_of(st.sampled_from(_ODD_OCTETS), st.binary(max_size=200)))

methods: Final = st.sampled_from(
    (
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
        "PROPFIND", "get", "PÖST", "A" * 300, "", "PRI", "QUERY",
    )
)  # fmt: skip

documents: Final[st.SearchStrategy[Any]] = hide_repr(
    st.recursive(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(),
            st.sampled_from((10**400, -(10**30), 2**63, 1e308)),
            texts,
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
        ),
        max_leaves=8,
    )
)
"""JSON values, and some that JSON cannot express."""
