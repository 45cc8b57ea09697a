"""The demo's people are read from a folder of pictures."""

from pathlib import Path

import pytest

from engine import Engine
from mobile_api.demo.people import PEOPLE, DemoError, read_people


def write_manifest(folder: Path, shots: int) -> None:
    """Write a manifest of two people with two hands."""
    rows = ["path,identity,session,hand,kind,subject"]
    rows += [
        f"{name}/{hand}-{shot}.jpg,{name}_{hand},1,{hand},hand,{name}"
        for name in ("ada", "ben")
        for hand in ("L", "R")
        for shot in range(1, shots + 1)
    ]
    (folder / "manifest.csv").write_text("\n".join(rows) + "\n")


def test_the_first_shots_enrol_and_others_answer(tmp_path):
    """The demo tells to answer with a picture that was not used to enrol."""
    write_manifest(tmp_path, shots=5)

    people = read_people(tmp_path).people

    assert [person.name for person in people] == ["ada", "ben"]
    assert [path.name for path in people[0].enrolment] == [
        "L-1.jpg", "L-2.jpg", "L-3.jpg", "R-1.jpg", "R-2.jpg", "R-3.jpg",
    ]  # fmt: skip
    assert [path.name for path in people[0].others] == [
        "L-4.jpg", "L-5.jpg", "R-4.jpg", "R-5.jpg",
    ]  # fmt: skip


@pytest.mark.parametrize(("shots", "message"), [(None, "Draw people first"), (3, "draw more")])
def test_a_folder_that_will_not_do_says_what_to_do(tmp_path, shots, message):
    """The demo ends with a sentence, not with a traceback."""
    if shots is not None:
        write_manifest(tmp_path, shots)

    with pytest.raises(DemoError, match=message):
        read_people(tmp_path)


@pytest.mark.check("every picture of the demo's people")
def test_everybody_who_is_shipped_is_recognised_by_every_other_picture():
    """A visitor may be anybody: no picture may fail, and none may be taken for another."""
    engine, everybody = Engine.open(), read_people(PEOPLE).people
    people = engine.gallery()
    for person in everybody:
        people.enrol(person.name, [engine.extract(p.read_bytes()) for p in person.enrolment])

    assert len(everybody) == 20
    for person in everybody:
        for picture in person.others:
            assert people.search(engine.extract(picture.read_bytes())).label == person.name
