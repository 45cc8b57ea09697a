"""Submitted forms; that of a client is a document like one of the registration endpoint."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl

from oidc.client import Client, Setter
from oidc.clients.options import STORED, Kind, describe
from oidc.clients.rules import SCOPES
from oidc.errors import FormRefused

_FIELD_COUNT: Final = 40

_SHOWN: Final = tuple(
    each for each in STORED if Setter.DEVELOPER in each.setters and each.kind != Kind.WORDS
)
_KEEPS: Final = "offline_access"
"""The box that stands for the scope."""

FIELDS: Final = (*(each.name for each in _SHOWN), _KEEPS)
"""Of the client form."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a submitted form."""

    values: Mapping[str, str] = field(repr=False)

    def get(self, name: str) -> str:
        """Return a field, or an empty string."""
        return self.values.get(name, "")

    def lines(self, name: str) -> list[str]:
        """Return the non-blank lines of a field."""
        return [line.strip() for line in self.get(name).splitlines() if line.strip()]


@dataclass(frozen=True, slots=True)
class ClientForm:
    """The client form as shown: texts and ticked boxes."""

    texts: Mapping[str, str]
    ticked: frozenset[str]

    def document(self) -> dict[str, object]:
        """Return the form as ``options.check`` reads it."""
        typed = Fields(self.texts)
        document: dict[str, object] = {}
        for option in _SHOWN:
            match option.kind:
                case Kind.FLAG:
                    document[option.name] = option.name in self.ticked
                case Kind.LINES:
                    document[option.name] = typed.lines(option.name)
                case Kind.KEYS:
                    document[option.name] = _json(typed.get(option.name))
                case _:
                    document[option.name] = typed.get(option.name).strip()
        document["scope"] = " ".join(SCOPES if _KEEPS in self.ticked else SCOPES[:1])
        return document


def read_fields(text: str | None) -> Fields:
    """Parse a form body.

    Raises:
        FormRefused: it is malformed or a field appears twice.
    """
    try:
        pairs = parse_qsl(
            text or "", keep_blank_values=True, errors="strict", max_num_fields=_FIELD_COUNT
        )
    except ValueError as fault:
        raise FormRefused("the form is malformed") from fault
    values = dict(pairs)
    if text is None or len(values) != len(pairs):
        raise FormRefused("the form is malformed")
    return Fields(values)


def empty_form() -> ClientForm:
    """Return the form of a new client."""
    texts = {each.name: next(iter(each.values), "") for each in _SHOWN}
    ticked = {each.name for each in _SHOWN if each.default is True}
    return ClientForm(texts, frozenset({*ticked, _KEEPS}))


def form_of_fields(fields: Fields) -> ClientForm:
    """Return the form as it was submitted."""
    texts = {name: fields.get(name) or text for name, text in empty_form().texts.items()}
    return ClientForm(texts, frozenset(name for name in FIELDS if fields.get(name) == "yes"))


def form_of_client(client: Client) -> ClientForm:
    """Return the form of an existing client."""
    described = describe(client)
    texts = {each.name: _text(described[each.name]) for each in _SHOWN}
    ticked = {each.name for each in _SHOWN if described[each.name] is True}
    return ClientForm(texts, frozenset({*ticked, *client.scope}))


def _json(text: str) -> object:
    """Return the value, or a text that is no JSON as it is: it is refused as a JWK set."""
    try:
        return json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        return text


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case list():
            return "\n".join(value)
        case dict():
            return json.dumps(value, indent=1)
        case _:
            return str(value)
