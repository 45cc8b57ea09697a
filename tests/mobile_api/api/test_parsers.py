"""Every reader of the mobile API: its own refusal only, and what it wrote it reads.

The others have theirs beside what they do: proofs, nonces, sealed templates, passkeys.
"""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.presentation_attack.session import Phase
from mobile_api import messages as m
from mobile_api.codes import digest_of
from mobile_api.errors import NoSuchCode, NoThenarLink
from mobile_api.frames import FRAMES_LIMIT, SentFrame, read_frames, write_frames
from mobile_api.reference_phone.client import parse_link

text = st.text(max_size=60)


@given(text | st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567- ", max_size=40))
@example("ı" * 24)
@example("ß" * 12)
def test_no_text_makes_a_deletion_code_raise_anything_else(code: str) -> None:
    """Typed by an operator from whatever a person brought."""
    with suppress(NoSuchCode):
        assert len(digest_of("deletion", code)) == 32


codes = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", min_size=24, max_size=24).map(
    lambda letters: "-".join(letters[start : start + 4] for start in range(0, 24, 4))
)


@given(text | st.builds("https://{}/m#{}".format, text, text))
@example("https://[/m#x")
@example("https://a:b/m#x")
@example("https://a/m#&x")
def test_no_link_ends_in_another_fault(link: str) -> None:
    """What a camera read may be any text; what is a link names an API and a ticket."""
    with suppress(NoThenarLink):
        found = parse_link(link)
        assert found.ticket
        assert found.api.endswith(m.API_PREFIX)


MESSAGES = m.RequestMessage.__subclasses__()


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
@given(body=st.binary(max_size=80) | text.map(lambda t: t.encode("utf-8", "surrogatepass")))
@example(body=b'{"name":"\\ud800"}')
@example(body=b"[" * 3000)
@example(body=b'{"ticket":' + b"9" * 5000 + b"}")
def test_no_bytes_make_a_message_raise_anything_else(
    kind: type[m.RequestMessage], body: bytes
) -> None:
    """JSON, almost JSON, and what is none."""
    with suppress(ValidationError):
        kind.model_validate_json(body)


JPEGS = st.binary(min_size=1, max_size=40)
SENT = st.builds(SentFrame, st.integers(0, 2**32 - 1), st.sampled_from(Phase), JPEGS)
FRAMES = st.lists(SENT, min_size=1, max_size=FRAMES_LIMIT)


@given(st.binary(max_size=60) | FRAMES.map(write_frames).map(lambda body: body[:-1]))
def test_no_bytes_make_frames_raise_anything_else(body: bytes) -> None:
    """Their number is bounded, whatever the lengths in them say."""
    with suppress(ValueError):
        assert 1 <= len(read_frames(body)) <= FRAMES_LIMIT


@pytest.mark.parametrize("message", [*m.RequestMessage.__subclasses__(), m.StateMessage])
def test_a_body_shows_no_value(message: type[m.Message]) -> None:
    """Proofs, tickets and codes would reach a log with it."""
    known: dict[str, Any] = dict.fromkeys(message.model_fields, "ae1f-secret")

    body = message.model_construct(**known)

    assert "ae1f" not in f"{body!r} {body}"
