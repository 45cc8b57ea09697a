"""id_table: a dictionary without a dictionary's size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.gallery.rows.id_table import ABSENT, IdTable, KeyHash

few_keys = st.integers(0, 40)
steps = st.lists(st.tuples(st.sampled_from(["set", "remove", "find"]), few_keys), max_size=300)


def key(number: int) -> bytes:
    """An identifier of 16 octets."""
    return number.to_bytes(16, "big")


class Collision(KeyHash):
    """All keys have one home: every chain is as long as can be."""

    def of(self, key: bytes) -> int:
        """Return the same for all."""
        return (7 << 10) * len(key)


@given(steps=steps, key_hash=st.sampled_from([KeyHash(), Collision()]))
def test_it_does_what_a_dictionary_does(steps, key_hash):
    """Closing a hole wrongly would make somebody's reference impossible to erase."""
    plain: dict[int, int] = {}
    table = IdTable(key, key_hash)
    for step, number in steps:
        name = key(number)
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
        assert table.find(key(number)) == plain.get(number, ABSENT)


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


@given(
    count=st.integers(0, 3000),
    secret=st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1)),
)
def test_filling_it_at_once_is_putting_one_after_the_other(count, secret):
    """A start with a million references has no time for a million calls."""
    key_hash = KeyHash((2 * secret[0] + 1, 2 * secret[1] + 1))
    keys = np.random.default_rng(count).integers(0, 256, (count, 16), np.uint8)
    keys = np.unique(keys, axis=0)
    table = IdTable(lambda number: keys[number].tobytes(), key_hash)
    table.fill(keys, np.arange(len(keys)))

    assert all(table.find(k.tobytes()) == number for number, k in enumerate(keys))
    for number in range(0, len(keys), 2):
        table.remove(keys[number].tobytes())
    for number, k in enumerate(keys):
        assert table.find(k.tobytes()) == (number if number % 2 else ABSENT)
