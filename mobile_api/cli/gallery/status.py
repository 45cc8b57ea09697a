"""``thenar gallery status``: references by extractor and by key."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column, Table

from mobile_api.cli.error_messages import report_errors
from mobile_api.cli.gallery.opening import answers, console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.settings import EngineSettings
    from mobile_api.storage.key_file import MasterKeys
    from mobile_api.storage.stores.template_keys import ExtractorCount, KeyCount


def status(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """Count the references by extractor and by key."""
    from engine.settings import EngineSettings  # noqa: PLC0415 - help needs no settings
    from mobile_api.recognition.previous_graph import with_previous_graph  # noqa: PLC0415
    from mobile_api.settings import MobileSettings  # noqa: PLC0415
    from mobile_api.storage.key_file import open_key_file  # noqa: PLC0415
    from mobile_api.storage.migrate import open_database  # noqa: PLC0415

    with report_errors(console), open_database(MobileSettings().database_url) as database:
        master_keys = open_key_file(MobileSettings().key_source).current()
        with database.read_in_transaction() as transaction:
            by_key, by_extractor = (
                transaction.template_keys.count_by_key(),
                transaction.template_keys.count_by_extractor(),
            )
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
    answers.print(_extractors_table(by_extractor, engine))
    answers.print(table)


def _key_mark(count: KeyCount, master_keys: MasterKeys) -> str:
    if count.key_id == master_keys.primary.key_id:
        return "in use"
    in_file = {key.key_id for key in master_keys.keys}
    return "rekey" if count.key_id is None or count.key_id in in_file else "NOT IN THE KEY FILE"


def _extractors_table(
    by_extractor: Sequence[ExtractorCount], settings: EngineSettings
) -> Table:
    """Return the counts of each extractor and how the settings use it."""
    from engine.networks.manifest import read_manifest  # noqa: PLC0415 - not for help

    manifest = read_manifest(settings.manifest)
    graphs = settings.palm_graph, settings.previous_palm_graph
    current, previous = (manifest[g].extractor if g in manifest else None for g in graphs)
    marks = {previous: "moving away", current: "in use"}
    table = Table("extractor", "references", "people", "", box=None)
    for held in by_extractor:
        mark = marks.get(held.extractor, "NOT RUN")
        table.add_row(held.extractor, f"{held.references:,}", f"{held.accounts:,}", mark)
    if previous and all(held.extractor != previous for held in by_extractor):
        table.caption = "All have migrated: unset THENAR_ENGINE_PREVIOUS_PALM_GRAPH"
    return table
