"""``thenar gallery copy`` and ``prune``: galleries on Milvus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from engine.errors import GalleryFault
from mobile_api.cli.gallery.opening import console, counted, open_database

if TYPE_CHECKING:
    from engine.gallery.milvus.stored import MilvusStored
    from engine.types import ExtractorId

COPY_ROUNDS: Final = 5
"""How often a copy repeats for changes made while it ran."""


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
    from mobile_api.gallery.milvus.copying import GalleryCopy  # noqa: PLC0415
    from mobile_api.gallery.milvus.shared_galleries import (  # noqa: PLC0415
        MilvusAddress,
        open_shared,
    )

    with open_database() as opened:
        address = MilvusAddress.read(to)
        extractor = load_pipeline(EngineSettings()).extractor
        identity, dimension = extractor.extractor_id, extractor.dimension
        key_id = opened.encryption.key_id
        target = open_shared(address, identity, dimension, opened.encryption, key_id)
        copying = GalleryCopy(opened.database, opened.encryption, identity, key_id)
        with counted("copied") as progress:
            task = progress.add_task("", total=None)
            for _ in range(COPY_ROUNDS):
                if not copying.run(target, lambda count: progress.advance(task, count)):
                    break
        differences = copying.differences(target)
        if differences:
            raise GalleryFault(f"{differences} rows differ: run the copy again")
        console.print(f"{len(target):,} rows verified, under the key {key_id}.")


def prune(
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove galleries on Milvus whose keys are neither in the key file nor in use.

    They remain when every process stops within a minute of a re-keying that removed old keys.
    The service does not remove them: another machine may have a newer key file, or another
    database may use the same name.
    """
    from engine.settings import EngineSettings  # noqa: PLC0415 - help needs no gallery
    from mobile_api.gallery.milvus import shared_galleries  # noqa: PLC0415
    from mobile_api.recognition.load import load_recognition  # noqa: PLC0415
    from mobile_api.recognition.previous_graph import with_previous_graph  # noqa: PLC0415
    from mobile_api.settings import MobileSettings  # noqa: PLC0415

    with open_database() as opened:
        settings = MobileSettings()
        if settings.gallery_url is None:
            raise GalleryFault("THENAR_MOBILE_GALLERY_URL names no gallery on Milvus")
        engine = with_previous_graph(EngineSettings(), settings, opened.database)
        address = shared_galleries.MilvusAddress.read(settings.gallery_url)
        in_use = shared_galleries.keys_in_use(opened.database)
        for run in load_recognition(engine).extractors:
            key_id = opened.encryption.key_id
            stored = shared_galleries.open_shared(
                address, run.extractor, run.dimension, opened.encryption, key_id
            )
            unknown = shared_galleries.unknown_keys(stored, opened.encryption, in_use)
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
