"""A PostgreSQL cluster of the tests' own: real, on loopback, gone afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg

from benchmarks.harness.postgres import cluster


@contextmanager
def postgres_cluster(folder: Path, programs: Path) -> Iterator[str]:
    """Run a cluster in ``folder``; yield a libpq URL of its maintenance database."""
    with cluster(folder, programs, durable=False) as running:
        yield running.url


@contextmanager
def empty_database(cluster_url: str) -> Iterator[str]:
    """Yield the SQLAlchemy URL of a new, empty database, dropped afterwards."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(cluster_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    base = cluster_url.removesuffix("/postgres").replace(
        "postgresql://", "postgresql+psycopg://"
    )
    try:
        yield f"{base}/{name}"
    finally:
        with psycopg.connect(cluster_url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
