"""What was compiled is replaced as a whole, or stays."""

from pathlib import Path

import pytest

from engine.comparison.kernels.machine_code import KernelStore
from engine.errors import KernelFault


@pytest.fixture
def store(tmp_path: Path) -> KernelStore:
    """Give a store with one compiled function."""
    store = KernelStore("of a test")
    store.folder = tmp_path / "code"
    with store.replaced():
        store.add("scan", "floats", lambda: b"compiled")
    return store


def test_what_is_compiled_later_is_not_kept(store: KernelStore) -> None:
    """A process that serves writes nothing."""
    store.add("scan", "integers", lambda: b"compiled later")

    assert store.find("scan", "floats") == b"compiled"
    assert store.find("scan", "integers") is None


def test_a_replacement_holds_nothing_of_before(store: KernelStore) -> None:
    """Meanwhile nothing is found: all is compiled again."""
    with store.replaced():
        while_replaced = store.find("scan", "floats")
        store.add("least", "floats", lambda: b"another")

    assert while_replaced is None
    assert store.find("scan", "floats") is None
    assert store.find("least", "floats") == b"another"


def test_a_replacement_that_fails_leaves_what_was_there(
    store: KernelStore, tmp_path: Path
) -> None:
    """Without room on the disk the service goes on with what it has."""

    def full() -> bytes:
        raise OSError(28, "No space left on device")

    with pytest.raises(KernelFault, match="No space left on device"), store.replaced():
        store.add("scan", "floats", full)

    assert store.find("scan", "floats") == b"compiled"
    assert list(tmp_path.iterdir()) == [store.folder]
