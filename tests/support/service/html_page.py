"""A parsed page: elements by id, and forms."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urljoin

VOID: Final = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source"})
"""Elements without an end tag. HTML §13.1.2."""


REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(slots=True)
class Element:
    """One element that has an id.

    Attributes:
        attributes: as written; an attribute without a value is empty.
        fields: name and value of the inputs inside a form.
    """

    tag: str
    attributes: dict[str, str]
    text: str = ""
    fields: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page:
    """A loaded page.

    Attributes:
        headers: names in lower case.
    """

    url: str
    status: int
    headers: dict[str, str]
    html: str = field(repr=False)
    elements: dict[str, Element] = field(repr=False)

    def element(self, name: str) -> Element:
        """Return the element with an id."""
        try:
            return self.elements[name]
        except KeyError:
            raise LookupError(f"no element #{name} on a page of status {self.status}") from None

    @property
    def onward(self) -> str:
        """The address that a browser opens next by a redirect or script; empty if it stays."""
        if self.status in REDIRECTS:
            return urljoin(self.url, self.headers["location"])
        answer = self.elements.get("answer")
        return "" if answer is None else answer.attributes.get("href", "")

    def address(self, name: str, attribute: str) -> str:
        """Return an attribute of an element as an absolute address."""
        return urljoin(self.url, self.element(name).attributes[attribute])


def read_page(url: str, status: int, headers: dict[str, str], html: str) -> Page:
    """Parse a page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return Page(url, status, headers, html, reader.elements)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: dict[str, Element] = {}
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        if "id" in element.attributes:
            self.elements[element.attributes["id"]] = element
        if tag == "input" and "name" in element.attributes:
            for form in self._open:
                form.fields[element.attributes["name"]] = element.attributes.get("value", "")
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while self._open and any(element.tag == tag for element in self._open):
            if self._open.pop().tag == tag:
                return

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data
