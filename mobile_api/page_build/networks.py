"""Writes the networks for the browser, with bytes reordered to compress better."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np

from engine.networks.manifest import read_manifest
from engine.settings import PALM_GRAPH, EngineSettings

NETWORKS: Final = ("hand_detector", "hand_landmarks", PALM_GRAPH)
"""Networks the page runs. A service with another palm graph is sent pictures."""


def in_planes(data: bytes) -> bytes:
    """Reorder bytes: every fourth, then every fourth from the second on, and so on.

    Similar bytes then compress a tenth better. ``palm/networks.js`` reverses it.
    """
    return b"".join(np.frombuffer(data, np.uint8)[start::4].tobytes() for start in range(4))


def write_networks(folder: Path, settings: EngineSettings) -> None:
    """Write the networks and their index."""
    entries = read_manifest(settings.manifest)
    for name in NETWORKS:
        network = settings.weights_dir / entries[name].file
        (folder / f"{name}.planes").write_bytes(in_planes(network.read_bytes()))
    described = {
        "extractor": entries[PALM_GRAPH].extractor,
        "files": {name: {"sha256": entries[name].sha256} for name in NETWORKS},
    }
    (folder / "networks.json").write_text(json.dumps(described))
