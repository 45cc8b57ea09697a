"""Exports a trained network as the ONNX file that server and browser run.

The whole graph takes a picture with its landmarks (``models.palm_graph``). Weights are rounded.
Refuses to write a file that disagrees with torch.
"""

from __future__ import annotations

import io
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from engine.features.competitive_code import ENERGY_DIMENSION
from engine.networks.onnx_model import OnnxModel
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS
from models.console import ModelsError
from models.palm_graph.build import embedded_network, palm_network_model, round_weights
from models.palm_graph.graph import OPSET
from models.palm_graph.template import NETWORK_INPUTS
from models.training.network import Joint, PalmNet, load_weights, read_plan, template_of

WHOLE_FILE: Final = "palm_print_net.onnx"
"""The whole graph with the network in it."""

MAX_DIFFERENCE: Final = 1e-4
"""Largest difference from torch in a template, before weights are rounded."""


class TemplateNetwork(nn.Module):
    """The network joined with oriented energy: templates of norm 1."""

    def __init__(self, network: PalmNet, joint: Joint) -> None:
        super().__init__()
        self.network, self.joint = network, joint

    def forward(self, responses: Tensor, seen: Tensor, energy: Tensor) -> Tensor:
        """Return templates, shape (n, kept)."""
        templates: Tensor = self.joint(template_of(self.network(responses, seen)), energy)
        return templates


def load_network(checkpoint: Path) -> TemplateNetwork:
    """Return the network of a checkpoint in evaluation mode.

    Raises:
        ModelsError: no such file, no checkpoint, or one of an unfinished training.
    """
    plan, _ = read_plan(checkpoint)
    network, joint = PalmNet(plan.network), Joint(plan.network)
    load_weights(checkpoint, network=network, joint=joint)
    templates = TemplateNetwork(network, joint)
    templates.eval()
    return templates


def network_model(network: TemplateNetwork) -> onnx.ModelProto:
    """Return the plain network in ONNX.

    Inputs ``responses`` (n, 6, 32, 32), ``seen`` (n, 32, 32) and ``energy`` (n, 384), output
    ``template`` (n, d).
    """
    buffer = io.BytesIO()
    count = torch.export.Dim("n", min=1, max=4096)
    torch.onnx.export(
        network, _random_lines(2), buffer, dynamo=True, verbose=False,
        input_names=list(NETWORK_INPUTS), output_names=["template"], opset_version=OPSET,
        dynamic_shapes={name: {0: count} for name in NETWORK_INPUTS},
    )  # fmt: skip
    model = onnx.load_from_string(buffer.getvalue())
    del model.graph.value_info[:]
    strip_metadata(model)
    return model


def strip_metadata(model: onnx.ModelProto) -> None:
    """Remove file and folder names of the exporting machine."""
    for part in (model, model.graph, *model.graph.node, *model.graph.initializer):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")


def _random_lines(count: int) -> tuple[Tensor, Tensor, Tensor]:
    chance = torch.Generator().manual_seed(1)
    cells = (CODE_CELLS, CODE_CELLS)
    responses = 7 * torch.randn(count, CODE_DIRECTIONS, *cells, generator=chance)
    seen = (torch.rand(count, *cells, generator=chance) > 0.1).float()
    energy = template_of(torch.randn(count, ENERGY_DIMENSION, generator=chance))
    return responses, seen, energy


def require_parity(model: onnx.ModelProto, network: TemplateNetwork) -> float:
    """Return the largest difference between ONNX Runtime and torch.

    Raises:
        ModelsError: it is more than ``MAX_DIFFERENCE``.
    """
    lines = _random_lines(4)
    data = model.SerializeToString()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        path.write_bytes(data)
        served = OnnxModel(path, sha256=sha256(data).hexdigest())
        named = {n: x.numpy() for n, x in zip(NETWORK_INPUTS, lines, strict=True)}
        given = served.run(named)["template"]
    with torch.no_grad():
        expected = network(*lines).numpy()
    difference = float(np.abs(given - expected).max())
    if not difference <= MAX_DIFFERENCE:
        raise ModelsError(f"the exported network differs from torch by {difference:.1e}")
    return difference


def export_checkpoint(checkpoint: Path, folder: Path) -> list[str]:
    """Write the graph of a checkpoint, or of a graph's network; return lines to print.

    Raises:
        ModelsError: no such file, or not a checkpoint.
        ModelsError: ONNX Runtime does not compute what torch computes.
    """
    if checkpoint.suffix == ".onnx":
        plain, said = embedded_network(onnx.load(checkpoint)), "the network as it was"
    else:
        network = load_network(checkpoint)
        plain = network_model(network)
        said = f"differs from torch by {require_parity(plain, network):.1e} at most"
        round_weights(plain)
    folder.mkdir(parents=True, exist_ok=True)
    whole = palm_network_model(plain)
    strip_metadata(whole)
    data, path = whole.SerializeToString(), folder / WHOLE_FILE
    path.write_bytes(data)
    return [said, f"{path}: {len(data):,} bytes, sha256 {sha256(data).hexdigest()}"]
