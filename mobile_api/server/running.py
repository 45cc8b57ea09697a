"""One look at both databases and at what runs, before a command makes or forgets something.

On the wrong host, or with a wrong address, a command says so and changes nothing.
"""

from socket import gethostname
from time import monotonic, sleep
from typing import Final

from sqlalchemy import make_url

from mobile_api.errors import ProcessesRun, SettingsFault
from mobile_api.server.configuration import Settings
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import VERSION, Database, open_engine
from oidc import app as provider
from oidc.plumbing.database_engine import disposing
from oidc.types import RENEWAL_S, Process

_ALIVE_S: Final = RENEWAL_S + 5
"""Until a running process has renewed it; one that was killed is known for longer."""

_LOOK_S: Final = 0.5


def require_biometric(settings: Settings) -> None:
    """Refuse a biometric database without tables where the service has another one.

    Raises SettingsFault.
    """
    is_default = "database_url" not in settings.mobile.model_fields_set
    on_server = make_url(settings.oidc.database_url).get_backend_name() != "sqlite"
    is_joined = provider.running(settings.oidc).is_joined
    if (is_joined or (is_default and on_server)) and people_in(settings.mobile) is None:
        raise SettingsFault(
            "THENAR_MOBILE_DATABASE_URL leads to no biometric database of this service: correct"
            " it, or add `--only oidc` if this host serves the provider alone. If that database"
            " is lost for good: `thenar migrate --help`"
        )


def require_protocol(settings: Settings) -> None:
    """Refuse a protocol database without tables where the biometric one has people.

    Raises SettingsFault.
    """
    if provider.running(settings.oidc).is_new and people_in(settings.mobile):
        raise SettingsFault(
            "THENAR_OIDC_DATABASE_URL leads to no protocol database of this service: the"
            " biometric database has people. Correct it, or restore the backup. If that"
            " database is lost for good, `thenar migrate --only oidc` makes an empty one"
        )


def people_in(settings: MobileSettings) -> bool | None:
    """Return whether the biometric database has accounts; None: it has no tables."""
    with disposing(open_engine(settings.database_url)) as engine:
        if VERSION.known_state(engine)[0] is None:
            return None
        with Database(engine).read_in_transaction() as transaction:
            return any(True for _ in transaction.references.accounts())


def require_stopped(settings: Settings, *, serving_phones: bool = False) -> None:
    """Refuse while processes run, or those that serve phones. Raises ProcessesRun."""
    running = _alive(settings.oidc)
    if stop := [each for each in running if each.biometric or not serving_phones]:
        raise ProcessesRun(
            f"nothing was changed, because this service runs: {'; '.join(map(str, stop))}."
            " Stop these processes, then run this command again"
        )


def _alive(settings: provider.OidcSettings) -> list[Process]:
    """Return the processes if one tells again that it runs: none if they are a backup's."""
    found = before = provider.running(settings).processes
    ends_at = monotonic() + _ALIVE_S
    while not set(found) - set(before):
        if not found or monotonic() > ends_at:
            return []
        sleep(_LOOK_S)
        found = provider.running(settings).processes
    return found


def require_one_key_file(settings: Settings) -> None:
    """Refuse a new key that would be in this host's key file alone.

    Raises ProcessesRun, SettingsFault.
    """
    require_protocol(settings)
    running = provider.running(settings.oidc).processes
    if others := [e for e in running if e.biometric and e.host != gethostname()]:
        raise ProcessesRun(
            "nothing was changed, because the new key would be on this host alone, and others"
            f" serve phones: {'; '.join(map(str, others))}. Add it to each key file by hand, as"
            " mobile_api/docs/data-and-keys.md says, then run this command again"
        )
