"""The demo's people, read from a folder of pictures. Each has a phone: a state file."""

import csv
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final


class DemoError(Exception):
    """The demo cannot start; the message says what to do."""


PEOPLE: Final = Path(__file__).with_name("people")
"""Twenty people who do not exist, from ``thenar models draw --people 20 --shots 4``."""

MANIFEST: Final = "manifest.csv"

ENROLMENT_SHOTS: Final = 3
"""Pictures of each hand to enrol; the others are for logins."""


@dataclass(frozen=True, slots=True)
class DemoPerson:
    """A person: pictures to enrol, and others to log in with."""

    name: str
    enrolment: tuple[Path, ...] = field(repr=False)
    others: tuple[Path, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class DemoPeople:
    """The people of a folder; ``collection`` identifies its content."""

    collection: str
    people: tuple[DemoPerson, ...]

    def phone_file(self, data: Path, person: DemoPerson) -> Path:
        """Return the state file of a person's phone."""
        return data / "phones" / self.collection / f"{person.name}.json"

    def not_enrolled(self, data: Path) -> list[DemoPerson]:
        """Return the people without a phone."""
        return [one for one in self.people if not self.phone_file(data, one).exists()]


def read_people(folder: Path, count: int | None = None) -> DemoPeople:
    """Read the first people of a folder of drawn hands, or all.

    Raises:
        DemoError: no manifest, or too few pictures.
    """
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise DemoError(
            f"No {MANIFEST} in {folder}. Draw people first: "
            f"thenar models draw --people 20 --shots 4 --out {folder}"
        )
    data = manifest.read_bytes()
    hands = _hands_by_person(folder, data)
    people = tuple(_person(name, sides) for name, sides in hands.items())[:count]
    if not people or any(not person.others for person in people):
        raise DemoError(
            f"Each hand needs more than {ENROLMENT_SHOTS} pictures: draw more shots."
        )
    return DemoPeople(hashlib.sha256(data).hexdigest()[:12], people)


def _hands_by_person(folder: Path, manifest: bytes) -> dict[str, dict[str, list[Path]]]:
    """Return the pictures of each hand of each person."""
    hands: dict[str, dict[str, list[Path]]] = {}
    for row in csv.DictReader(manifest.decode("utf-8").splitlines()):
        subject = row.get("subject") or row["identity"]
        hands.setdefault(subject, {}).setdefault(row["hand"], []).append(folder / row["path"])
    return hands


def _person(name: str, sides: dict[str, list[Path]]) -> DemoPerson:
    """Split a person's pictures."""
    first = [shot for shots in sides.values() for shot in shots[:ENROLMENT_SHOTS]]
    others = [shot for shots in sides.values() for shot in shots[ENROLMENT_SHOTS:]]
    return DemoPerson(name, tuple(first), tuple(others))
