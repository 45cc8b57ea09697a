"""``thenar gallery``: its commands, none of them imported."""

from __future__ import annotations

from typing import Final

from engine.lazy_commands import LazyCommand, lazy_group

COMMANDS: Final = {
    "calibrate": LazyCommand(
        "mobile_api.cli.gallery.calibrate:calibrate",
        "Show threshold and FNIR for galleries of several sizes.",
    ),
    "rekey": LazyCommand(
        "mobile_api.cli.gallery.rekey:rekey",
        "Re-encrypt every template under a new key while the service runs.",
    ),
    "copy": LazyCommand(
        "mobile_api.cli.gallery.shared:copy",
        "Copy this extractor's gallery to Milvus while the service runs, and verify it.",
    ),
    "prune": LazyCommand(
        "mobile_api.cli.gallery.shared:prune",
        "Remove galleries on Milvus whose keys are neither in the key file nor in use.",
    ),
    "status": LazyCommand(
        "mobile_api.cli.gallery.status:status",
        "Count the references by extractor and by key.",
    ),
}

app = lazy_group("Templates of enrolled people: keys, thresholds, copies.", COMMANDS)
