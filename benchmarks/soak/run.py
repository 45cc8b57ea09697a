"""Harm two processes and their database in turn while a crowd signs in; count what is lost."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import psycopg

from benchmarks.console import console, print_written
from benchmarks.datasets.manifest import read_palm_set
from benchmarks.harness.postgres import Cluster, cluster
from benchmarks.harness.relying_party import RelyingParty
from benchmarks.harness.service import Service
from benchmarks.measurement.result_files import result, write_result
from benchmarks.oidc.requests import REDIRECT_URI
from benchmarks.soak.crowd import Person, Proxy, enter

AT_ONCE: Final = 6
"""People who sign in at a time."""

MISHAPS: Final = ("kill", "immediate", "stop", "fast")
"""Of a process: ``kill``, ``stop``; the others are modes in which PostgreSQL restarts."""

_UNLIMITED: Final = {
    "THENAR_MOBILE_TEMPLATE_TRUST": "any_device",
    "THENAR_MOBILE_SUBMISSIONS_PER_DAY": "1000000",
    "THENAR_MOBILE_NETWORK_SUBMISSIONS_PER_DAY": "1000000",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens.

    Attributes:
        following: checkout of a next program; None: mishaps instead of a roll.
    """

    logins: int
    pause_s: float
    following: Path | None = None


class Process:
    """One process of the service, which starts again after each mishap."""

    def __init__(self, service: Service) -> None:
        self._service, self._running = service, ExitStack()
        self.start()

    def start(self, program: Path | None = None) -> None:
        """Start, with the code of another checkout if there is one."""
        service = _with_code(self._service, program) if program else self._service
        self._process = self._running.enter_context(service.running())

    def end(self, *, kill: bool = False) -> None:
        """Stop, or die."""
        if kill:
            self._process.kill()
        self._running.close()

    def memory_kb(self) -> dict[str, int]:
        """Return resident and anonymous memory, kB."""
        lines = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text("ascii").splitlines()
        found = dict(line.split(":") for line in lines[1:])
        return {name: int(found[name].split()[0]) for name in ("Rss", "Anonymous")}


def run_soak(data: Path, out: Path, plan: Plan) -> bool:
    """Run a soak and write ``soak.json``; return whether all was right.

    Raises:
        ServiceFault: PostgreSQL is not installed, or a process does not start.
        DatasetFault: ``data`` is no set of palms.
    """
    palms, began = read_palm_set(data), time.perf_counter()
    with _services() as (database, services):
        if plan.following:
            _with_code(services[0], plan.following).run("migrate")
        apps = [services[0].add_client(name, REDIRECT_URI, *_OFFLINE) for name in ("A", "B")]
        processes = [Process(each) for each in services]
        try:
            proxy = Proxy([each.port for each in services])
            parties = [RelyingParty(services[0].issuer, app, transport=proxy) for app in apps]
            people = list(enter(data, parties, proxy))
            numbers = _harm(people, processes, database, plan)
            after = Counter(person.end() for person in people * len(parties))
            alive = sum(person.still_alive() for person in people)
        finally:
            for each in processes:
                each.end()
    numbers |= {"after": after, "disconnected_and_alive": alive, "repeated": proxy.repeated}
    numbers |= {"people": len(people), "took_s": round(time.perf_counter() - began)}
    asked = {"logins": plan.logins, "pause_s": plan.pause_s, "at_once": AT_ONCE}
    asked["rolls"] = plan.following is not None
    content = result(protocol="soak-2", palms=palms, parameters=asked, numbers=numbers)
    print_written(write_result(out, "soak", content))
    wrong = [end for end in numbers["ends"] if end.startswith("Wrong")]
    return not wrong and not alive and set(after) == {"right"}


def _with_code(service: Service, program: Path) -> Service:
    code = {"PYTHONPATH": str(program), "PYTHONSAFEPATH": "1"}
    return replace(service, settings={**service.settings, **code})


_OFFLINE: Final = ("--scope", "openid offline_access")


@contextmanager
def _services() -> Iterator[tuple[Cluster, list[Service]]]:
    """Give a database and two processes that share it, keys and address."""
    with TemporaryDirectory(prefix="thenar-soak-") as folder, cluster() as database:
        settings = dict(_UNLIMITED)
        with psycopg.connect(database.url, autocommit=True) as connection:
            for half, name in (("OIDC", "protocol"), ("MOBILE", "biometric")):
                connection.execute(f"CREATE DATABASE {name}")
                url = database.sqlalchemy_url.removesuffix("postgres") + name
                settings[f"THENAR_{half}_DATABASE_URL"] = url
        first = Service(Path(folder), settings=settings)
        first.run("migrate")
        shared = {n: v for n, v in first.environment.items() if n.startswith("THENAR_")}
        gallery = {"THENAR_MOBILE_GALLERY_DIR": str(first.folder / "second")}
        second = Service(first.folder, settings=shared | gallery)
        yield database, [first, second]


def _harm(
    people: list[Person], processes: list[Process], database: Cluster, plan: Plan
) -> dict[str, Any]:
    """Let people sign in; meanwhile do harm, one thing after another."""
    ends, mishaps, samples = Counter[str](), Counter[str](), []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        crowd = [
            pool.submit(_sign_in, people[first::AT_ONCE], ends, plan.logins)
            for first in range(AT_ONCE)
        ]
        for turn in count():
            if _are_done(crowd, plan.pause_s):
                break
            memory = [each.memory_kb() for each in processes]
            samples.append({"logins": ends["right"], "memory_kb": memory})
            is_spared = 5 * ends["right"] < 4 * plan.logins
            mishap = "roll" if plan.following else MISHAPS[turn % len(MISHAPS)]
            console.print(f"{ends['right']} sign-ins were right, {mishap}")
            mishaps[mishap] += 1
            if mishap in {"immediate", "fast"}:
                database.restart(mishap)
                continue
            rolled = plan.following if turn // 2 % 2 == 0 else None
            chosen = turn % 2 if plan.following else 1 if is_spared else turn // 4 % 2
            processes[chosen].end(kill=mishap == "kill")
            processes[chosen].start(rolled)
    return {"ends": ends, "mishaps": mishaps, "memory": samples}


def _sign_in(people: list[Person], ends: Counter[str], logins: int) -> None:
    for person in cycle(people):
        if ends["right"] >= logins:
            return
        ends[person.end()] += 1


def _are_done(crowd: list[Future[None]], pause_s: float) -> bool:
    """Wait; tell whether the crowd is done, or raise what ended one of it."""
    done, others = wait(crowd, pause_s, return_when=FIRST_EXCEPTION)
    for each in done:
        each.result()
    return not others
