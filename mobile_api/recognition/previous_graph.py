"""Finds the palm graph that people must move from, by the references in the database."""

from engine.networks.manifest import read_manifest
from engine.settings import EngineSettings
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database


def with_previous_graph(
    settings: EngineSettings, mobile: MobileSettings, database: Database
) -> EngineSettings:
    """Name the previous palm graph if the settings name none.

    Returns:
        The settings as they are if no references need another graph, or if several graphs
        were needed: then the start says what to do.

    Raises:
        ModelFault: the manifest cannot be read.
    """
    if settings.previous_palm_graph:
        return settings
    manifest = read_manifest(settings.manifest)
    current = manifest[settings.palm_graph].extractor if settings.palm_graph in manifest else ""
    unwanted = {name.strip() for name in mobile.abandoned_extractors.split(",")} | {current}
    with database.read() as transaction:
        counts = transaction.template_keys.count_by_extractor(besides=unwanted)
    held = {each.extractor for each in counts}
    graphs = [name for name, entry in manifest.items() if entry.extractor in held]
    if len(graphs) != 1:
        return settings
    return settings.model_copy(update={"previous_palm_graph": graphs[0]})
