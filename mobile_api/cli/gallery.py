"""``thenar gallery``: keys, thresholds and copies of the enrolled templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from time import sleep
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table

from engine.errors import GalleryFault
from engine.types import ExtractorId
from mobile_api.cli.error_messages import report_errors

if TYPE_CHECKING:
    from engine.decision.calibration import Calibration
    from engine.gallery.milvus.stored import MilvusStored
    from engine.settings import EngineSettings
    from mobile_api.cli.opened import OpenDatabase
    from mobile_api.gallery.template_encryption import Rekeying
    from mobile_api.recognition.thresholds import DecisionRate, OperatingPoint
    from mobile_api.storage.key_file import MasterKeys
    from mobile_api.storage.stores.template_keys import ExtractorCount, KeyCount

app: Final = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Templates of enrolled people: keys, thresholds, copies.",
)

console: Final = Console(stderr=True, highlight=False)
answers: Final = Console(highlight=False)


def counted(title: str) -> Progress:
    """Return a progress bar with a count and the estimated end."""
    columns = TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    return Progress(*columns, console=console)


@contextmanager
def open_database() -> Iterator[OpenDatabase]:
    """Open what the settings name; report errors."""
    from mobile_api.cli.opened import opened  # noqa: PLC0415 - loads the database

    with report_errors(console), opened() as found:
        yield found


SIZES: Final = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
"""References per side shown by default."""


@app.command()
def calibrate(
    rows: Annotated[
        list[int] | None, typer.Option(min=1, help="References of one hand. Repeatable.")
    ] = None,
    target_fpir: Annotated[
        float | None, typer.Option(help="Target, instead of THENAR_ENGINE_TARGET_FPIR.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Samples per login.")] = 1,
    *,
    extrapolate: Annotated[
        bool, typer.Option("--extrapolate", help="Also show rates that no comparison supports.")
    ] = False,
) -> None:
    """Show threshold and FNIR for galleries of several sizes, and each decision's FMR for one.

    Rates are upper bounds for people who may show both palms. FNIR is for one reference per
    palm on the calibration's worst set. A rate too low for the calibration's comparisons is not
    shown, and with --rows refused (status 1), unless you allow extrapolation, as the service
    has to.
    """
    from engine.decision.calibration import load_calibration  # noqa: PLC0415 - not for help
    from engine.pipeline import load_pipeline  # noqa: PLC0415
    from engine.settings import EngineSettings  # noqa: PLC0415
    from mobile_api.recognition.thresholds import decision_rates, operating_point  # noqa: PLC0415

    with report_errors(console):
        settings = EngineSettings()
        extractor = load_pipeline(settings).extractor.extractor_id
        calibration = load_calibration(extractor, own=settings.calibration)
        wanted = settings.target_fpir if target_fpir is None else target_fpir
        sizes = [operating_point(calibration, wanted, each, samples) for each in rows or SIZES]
        size = rows[0] if rows else SIZES[1]
        decided = decision_rates(calibration, settings.target_fmr, wanted, size)
    refused = [size for size in sizes if size.is_extrapolated and not extrapolate]
    answers.print(_threshold_table(sizes, wanted, extrapolate=extrapolate))
    answers.print(_decision_table(decided, size))
    answers.print(
        f"extractor {calibration.extractor}, fitted on {_calibration_sets(calibration)}"
    )
    if refused:
        console.print(
            f"The calibration made too few comparisons to show FPIR {wanted:g} for"
            f" {len(refused)} of these sizes. The service extrapolates there; --extrapolate"
            " shows its thresholds. A higher --target-fpir, or a calibration with more"
            " palms, needs no extrapolation."
        )
        raise typer.Exit(1 if rows else 0)


def _threshold_table(
    sizes: Sequence[OperatingPoint], target_fpir: float, *, extrapolate: bool
) -> Table:
    columns = "references", "FMR", "threshold", "FNIR at most", ""
    table = Table(*columns, title=f"FPIR {target_fpir:g}", box=None)
    for size in sizes:
        row = [f"{size.rows:,}", f"{size.fmr:.1e}"]
        if size.is_extrapolated and not extrapolate:
            table.add_row(*row, "–", "–", "no evidence")
            continue
        fnir = "unknown" if size.fnir is None else f"{100 * size.fnir:.2g} %"
        mark = "extrapolated" if size.is_extrapolated else ""
        threshold = f"{size.threshold:.4f}" if size.threshold <= 1 else "no score"
        table.add_row(*row, threshold, fnir, mark)
    return table


def _decision_table(decided: Sequence[DecisionRate], rows: int) -> Table:
    columns = "decision", "by", "comparisons", "FMR of each", "threshold"
    table = Table(*columns, title=f"Decisions, {rows:,} references", box=None)
    for each in decided:
        rate, threshold = f"{each.fmr:.1e}", f"{each.threshold:.4f}"
        table.add_row(each.decision, each.setting, f"{each.comparisons:,}", rate, threshold)
    return table


def _calibration_sets(calibration: Calibration) -> str:
    return ", ".join(f"{fit.data} ({fit.comparisons:,})" for fit in calibration.non_mated)


OLD_KEY_DELAY_S = 3.0
"""Wait before old keys are removed: running transactions may still use them."""


@app.command()
def rekey(
    *,
    remove_old: Annotated[
        bool,
        typer.Option("--remove-old", help="Remove the old keys from the key file at the end."),
    ] = False,
) -> None:
    """Re-encrypt every template under a new key while the service runs.

    If interrupted, run it again to continue. Old keys stay in the key file until removed:
    older backups of the database need them.
    """
    from mobile_api.erasures import sign_list  # noqa: PLC0415 - loads the database
    from mobile_api.gallery.template_encryption import Rekeying  # noqa: PLC0415
    from mobile_api.server.configuration import load_both  # noqa: PLC0415
    from mobile_api.server.running import require_one_key_file  # noqa: PLC0415

    with open_database() as opened:
        rekeying = Rekeying(
            opened.database,
            opened.encryption,
            opened.key_file,
            lambda: sign_list(opened.erasures, opened.database),
        )
        if rekeying.needs_key():
            require_one_key_file(load_both())
        if rekeying.begin():
            console.print(
                f"New key {opened.encryption.key_id}. Back up the key file separately."
            )
        else:
            console.print(f"Continuing with the key {opened.encryption.key_id}.")
        _rekey_all(rekeying)
        if remove_old:
            sleep(OLD_KEY_DELAY_S)
            console.print(f"Old keys removed: {rekeying.remove_old_keys()}.")


def _rekey_all(rekeying: Rekeying) -> None:
    """Re-key step by step with a progress bar."""
    with counted("re-encrypted") as progress:
        task = progress.add_task("", total=rekeying.pending_count())
        while count := rekeying.step():
            progress.advance(task, count)


@app.command()
def copy(
    to: Annotated[str, typer.Option(help="milvus://HOST:PORT/NAME; NAME: letters and digits.")],
) -> None:
    """Copy this extractor's gallery to Milvus while the service runs, and verify it.

    The service searches it once THENAR_MOBILE_GALLERY_URL names it. Running the command again
    copies only differences. Afterwards it reads back every row; exit status 1 if a row differs
    that did not change meanwhile.
    """
    from engine.pipeline import load_pipeline  # noqa: PLC0415 - help needs no gallery
    from engine.settings import EngineSettings  # noqa: PLC0415
    from mobile_api.gallery import milvus  # noqa: PLC0415

    with open_database() as opened:
        address = milvus.MilvusAddress.read(to)
        extractor = load_pipeline(EngineSettings()).extractor
        identity, dimension = extractor.extractor_id, extractor.dimension
        database, encryption = opened.database, opened.encryption
        key_id = encryption.key_id
        target = milvus.open_shared(address, identity, dimension, encryption, key_id)
        lock = database.process_lock(address.lock_name(identity, key_id))
        with lock, console.status("copying"):
            milvus.copy_gallery(target, database, encryption, identity, key_id)
        console.print(f"{len(target):,} rows verified, under the key {key_id}.")


@app.command()
def prune(
    *, yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False
) -> None:
    """Remove galleries on Milvus whose keys are neither in the key file nor in use.

    They remain when every process stops within a minute of a re-keying that removed old keys.
    The service does not remove them: another machine may have a newer key file, or another
    database may use the same name.
    """
    from engine.settings import EngineSettings  # noqa: PLC0415 - help needs no gallery
    from mobile_api.gallery import milvus  # noqa: PLC0415
    from mobile_api.recognition.load import load_recognition  # noqa: PLC0415
    from mobile_api.recognition.previous_graph import with_previous_graph  # noqa: PLC0415
    from mobile_api.settings import MobileSettings  # noqa: PLC0415

    with open_database() as opened:
        settings = MobileSettings()
        if settings.gallery_url is None:
            raise GalleryFault("THENAR_MOBILE_GALLERY_URL names no gallery on Milvus")
        engine = with_previous_graph(EngineSettings(), settings, opened.database)
        address = milvus.MilvusAddress.read(settings.gallery_url)
        in_use = milvus.keys_in_use(opened.database)
        for run in load_recognition(engine).extractors:
            key_id = opened.encryption.key_id
            stored = milvus.open_shared(
                address, run.extractor, run.dimension, opened.encryption, key_id
            )
            unknown = milvus.unknown_keys(stored, opened.encryption, in_use)
            _prune(stored, run.extractor, unknown, yes=yes)
            stored.close()


def _prune(
    stored: MilvusStored, extractor: ExtractorId, keys: Sequence[str], *, yes: bool
) -> None:
    """Remove the galleries of these keys after confirmation."""
    if not keys:
        console.print(f"{extractor}: no gallery with an unknown key.")
        return
    console.print(f"{extractor}: galleries with unknown keys: {', '.join(keys)}.")
    if yes or typer.confirm(
        "Remove them? No other machine or database must use them.", err=True
    ):
        stored.remove_keys(keys)
        console.print("Removed.")


@app.command()
def status(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """Count the references by extractor and by key."""
    from engine.settings import EngineSettings  # noqa: PLC0415 - help needs no settings
    from mobile_api.recognition.previous_graph import with_previous_graph  # noqa: PLC0415
    from mobile_api.settings import MobileSettings  # noqa: PLC0415
    from mobile_api.storage.database import open_database  # noqa: PLC0415
    from mobile_api.storage.key_file import open_key_file  # noqa: PLC0415

    with report_errors(console), open_database(MobileSettings().database_url) as database:
        master_keys = open_key_file(MobileSettings().key_source).current()
        with database.read_in_transaction() as transaction:
            by_key = transaction.template_keys.count_by_key()
            by_extractor = transaction.template_keys.count_by_extractor()
        marks = [_key_mark(each, master_keys) for each in by_key]
        engine = with_previous_graph(EngineSettings(), MobileSettings(), database)
    if as_json:
        extractors = [asdict(each) for each in by_extractor]
        keys = [
            asdict(each) | {"state": mark} for each, mark in zip(by_key, marks, strict=True)
        ]
        answers.print_json(data={"extractors": extractors, "keys": keys})
        return
    table = Table(Column("key", no_wrap=True), "references", "pending samples", "", box=None)
    for each, mark in zip(by_key, marks, strict=True):
        row = each.key_id or "unnamed", f"{each.references:,}", f"{each.samples:,}", mark
        table.add_row(*row)
    answers.print(_extractors_table(by_extractor, engine, MobileSettings().challenge_share))
    answers.print(table)


def _key_mark(count: KeyCount, master_keys: MasterKeys) -> str:
    if count.key_id == master_keys.primary.key_id:
        return "in use"
    in_file = {key.key_id for key in master_keys.keys}
    return "rekey" if count.key_id is None or count.key_id in in_file else "NOT IN THE KEY FILE"


def _extractors_table(
    by_extractor: Sequence[ExtractorCount], settings: EngineSettings, challenge_share: float
) -> Table:
    """Return the counts of each extractor and how the settings use it."""
    from engine.networks.manifest import read_manifest  # noqa: PLC0415 - not for help

    manifest = read_manifest(settings.manifest)
    graphs = settings.palm_graph, settings.previous_palm_graph
    current, previous = (manifest[g].extractor if g in manifest else None for g in graphs)
    marks, stills_move = {previous: "moving away", current: "in use"}, {"none", "passive"}
    columns = "extractor", "references", "added by sign-ins", "people", ""
    table = Table(*columns, box=None)
    for held in by_extractor:
        mark = marks.get(held.extractor, "NOT RUN")
        counts = (f"{each:,}" for each in (held.references, held.added, held.accounts))
        table.add_row(held.extractor, *counts, mark)
    if previous and all(held.extractor != previous for held in by_extractor):
        table.caption = "All have migrated: unset THENAR_ENGINE_PREVIOUS_PALM_GRAPH"
    elif previous and not (challenge_share or settings.attack_detection in stills_move):
        table.caption = "Only challenges move palms: set THENAR_MOBILE_CHALLENGE_SHARE"
    return table
