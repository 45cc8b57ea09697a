"""Work in several processes, and folders that a later run continues."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from models.console import ModelsError

T = TypeVar("T")
R = TypeVar("R")


def in_processes(count: int, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yield the results in order; one process is this one. ``work`` is of a module."""
    if count == 1:
        yield from map(work, items)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, items)


def claim(folder: Path, name: str, plan: Mapping[str, object]) -> None:
    """Note the plan of a folder's files in it.

    Raises:
        ModelsError: the folder holds files of another plan.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted, path = json.dumps(plan, sort_keys=True), folder / name
    if path.exists() and path.read_text("utf-8") != wanted:
        raise ModelsError(f"{folder} holds files of another plan: choose an empty folder")
    path.write_text(wanted, "utf-8")
