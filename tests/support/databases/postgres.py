"""Empty databases in the tests' own PostgreSQL cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg


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
