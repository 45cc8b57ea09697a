"""id_table: a dictionary without a dictionary's size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.gallery.id_table import ABSENT, IdTable

few_keys = st.integers(0, 40)
steps = st.lists(st.tuples(st.sampled_from(["set", "remove", "find"]), few_keys), max_size=300)


def key(number: int) -> bytes:
    """An identifier of 16 octets."""
    return number.to_bytes(16, "big")


class Collision(bytes):
    """Keys that all have one home: every chain is as long as can be."""

    def __hash__(self) -> int:
        return 7 << 10

    def __eq__(self, other: object) -> bool:
        return bytes.__eq__(self, other)


@given(steps=steps, kind=st.sampled_from([bytes, Collision]))
def test_it_does_what_a_dictionary_does(steps, kind):
    """Closing a hole wrongly would make somebody's reference impossible to erase."""
    plain: dict[int, int] = {}
    table = IdTable(lambda number: kind(key(number)))
    for step, number in steps:
        name = kind(key(number))
        if step == "set":
            table.set(name, number)
            plain[number] = number
        elif step == "find":
            assert table.find(name) == plain.get(number, ABSENT)
        elif number in plain:
            table.remove(name)
            del plain[number]
        else:
            with pytest.raises(KeyError):
                table.remove(name)
    for number in range(41):
        assert table.find(kind(key(number))) == plain.get(number, ABSENT)


def test_it_grows_and_a_key_can_get_another_number():
    """A group whose first reference is erased is known by its next one."""
    names = {number: key(number % 50_000) for number in range(50_001)}
    table = IdTable(lambda number: names[number])
    for number in range(50_000):
        table.set(names[number], number)
    table.set(names[0], 50_000)

    assert table.find(names[0]) == 50_000
    assert all(table.find(names[n]) == n for n in range(1, 50_000, 97))
    assert table.find(key(50_001)) == ABSENT
