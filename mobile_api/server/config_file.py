"""A configuration file (TOML) beside the environment, and the names that settings may have.

Tables ``[oidc]``, ``[mobile]`` and ``[engine]`` hold the settings in lower case. The file's
values become environment variables of this process, unless the environment already has them.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from pydantic_settings import BaseSettings

from engine.settings import EngineSettings
from mobile_api.errors import SettingsFault
from mobile_api.settings import MobileSettings
from oidc.settings import OidcSettings

TABLES: Final[dict[str, type[BaseSettings]]] = {
    "oidc": OidcSettings,
    "mobile": MobileSettings,
    "engine": EngineSettings,
}

CONFIG: Final = "THENAR_CONFIG"
"""Names the file, as ``--config`` does."""

ENVIRONMENT: Final = os.environ  # noqa: TID251 - its names are checked here

_WRITE: Final = "write [oidc], [mobile] or [engine]"

_OTHERS: Final = frozenset({CONFIG, "THENAR_MILVUS"})
"""Variables that are no settings of the services."""

_KUBERNETES: Final = re.compile(r"_(SERVICE_(HOST|PORT)|PORT(_\d+_(TCP|UDP))?)(_[A-Z0-9_]+)?$")
"""Variables that Kubernetes makes for services; one may be called "thenar"."""


def variable(table: str, name: str) -> str:
    """Return the environment variable of a setting."""
    return f"THENAR_{table}_{name}".upper()


def settings_names() -> Iterator[tuple[str, str]]:
    """Return table and name of every setting."""
    for table, settings in TABLES.items():
        for name in settings.model_fields:
            yield table, name


def apply_file(path: Path) -> frozenset[str]:
    """Set the variables of a file that the environment leaves open; return their names.

    Raises:
        SettingsFault: the file cannot be read, or has a table, name or value of no setting.
    """
    read = {
        variable(table, name): _as_text(path, table, name, value)
        for table, values in _tables(path)
        for name, value in values.items()
    }
    ENVIRONMENT[CONFIG] = str(path)
    new = read.keys() - ENVIRONMENT.keys()
    ENVIRONMENT.update({name: read[name] for name in new})
    return frozenset(new)


def _tables(path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except OSError as fault:
        raise SettingsFault(f"cannot read {path}: {fault.strerror}") from None
    except ValueError as fault:  # of TOML or of UTF-8
        raise SettingsFault(f"{path} is not TOML: {fault}") from None
    for table, values in tables.items():
        if table not in TABLES or not isinstance(values, dict):
            raise SettingsFault(f"{path}: {table} is no table of settings: {_WRITE}")
        yield table, values


def _as_text(path: Path, table: str, name: str, value: object) -> str:
    names = TABLES[table].model_fields
    if name not in names:
        raise SettingsFault(f"{path}: [{table}] has no setting {name}{_nearest(name, names)}")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ",".join(value)
    raise SettingsFault(f"{path}: [{table}] {name} must be a text, a number, true or false")


def require_known() -> None:
    """Check the names of all variables that begin with ``THENAR_``, in any case.

    Raises:
        SettingsFault: no setting has this name; the nearest that one has.
    """
    known = {variable(*each) for each in settings_names()} | _OTHERS
    for name in sorted(ENVIRONMENT):
        is_ours = name.upper().startswith("THENAR_")
        if is_ours and name not in known and not _KUBERNETES.search(name):
            raise SettingsFault(f"there is no setting {name}{_nearest(name.upper(), known)}")


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""
