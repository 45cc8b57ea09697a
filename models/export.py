"""A trained network becomes the ONNX file that server and browser run.

Two files can be written: the plain network, which takes a normalised crop, and the whole graph,
which takes a decoded picture with its landmarks (``models.palm_graph``). Weights are kept in
half precision and widened when the file is loaded. Refuses to write a file that disagrees with
torch.
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
from onnx import helper, numpy_helper
from torch import Tensor, nn

from engine.onnx_model import OnnxModel
from models.errors import ExportDiffers
from models.palm_graph import OPSET, palm_model
from models.synthesis.crop.sample import CROP_PX
from models.training.checkpoint import load_weights, read_plan
from models.training.network import PalmNet, template_of

MAX_DIFFERENCE: Final = 2e-3
"""Largest difference of a template's numbers from torch: that of half-precision weights."""


class Templates(nn.Module):
    """The network with its last step: templates of norm 1."""

    def __init__(self, network: PalmNet) -> None:
        """Keep the network."""
        super().__init__()
        self.network = network

    def forward(self, normalised: Tensor) -> Tensor:
        """Return templates, shape (n, dimension)."""
        return template_of(self.network(normalised))


def load_network(checkpoint: Path) -> Templates:
    """Return the network of a checkpoint, ready to be used.

    Raises:
        CheckpointFault: no such file, or not a checkpoint.
    """
    plan, _ = read_plan(checkpoint)
    network = PalmNet(plan.network)
    load_weights(checkpoint, network=network)
    templates = Templates(network)
    templates.eval()
    return templates


def network_model(network: Templates) -> onnx.ModelProto:
    """Return the plain network: ``normalised`` (n, 1, 112, 112) → ``template`` (n, d)."""
    buffer = io.BytesIO()
    torch.onnx.export(
        network, (torch.zeros(2, 1, CROP_PX, CROP_PX),), buffer, dynamo=True, verbose=False,
        input_names=["normalised"], output_names=["template"], opset_version=OPSET,
        dynamic_shapes={"normalised": {0: torch.export.Dim("n", min=1, max=4096)}},
    )  # fmt: skip
    model = onnx.load_from_string(buffer.getvalue())
    del model.graph.value_info[:]
    return model


def halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """Keep large weights in half precision; the runtime widens them once, when it loads."""
    graph, casts = model.graph, []
    for weights in graph.initializer:
        values = numpy_helper.to_array(weights)
        if values.dtype != np.float32 or values.size < 64:
            continue
        name = weights.name
        weights.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(
            helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT)
        )
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model


def require_parity(model: onnx.ModelProto, network: Templates) -> float:
    """Return the largest difference between ONNX Runtime and torch.

    Raises:
        ExportDiffers: it is more than half precision explains.
    """
    crops = np.random.default_rng(1).normal(0, 1, (4, 1, CROP_PX, CROP_PX)).astype(np.float32)
    data = model.SerializeToString()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "network.onnx"
        path.write_bytes(data)
        served = OnnxModel(path, sha256=sha256(data).hexdigest())
        given = served.run({"normalised": crops})["template"]
    with torch.no_grad():
        expected = network(torch.from_numpy(crops)).numpy()
    difference = float(np.abs(given - expected).max())
    if not difference <= MAX_DIFFERENCE:
        msg = f"the exported network differs from torch by {difference:.1e}"
        raise ExportDiffers(msg)
    return difference


def export_checkpoint(checkpoint: Path, folder: Path) -> list[str]:
    """Write both ONNX files of a checkpoint.

    Returns:
        What was written, a line each.

    Raises:
        CheckpointFault: no such file, or not a checkpoint.
        ExportDiffers: ONNX Runtime does not compute what torch computes.
    """
    network = load_network(checkpoint)
    crop_model = halved(network_model(network))
    difference = require_parity(crop_model, network)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"differs from torch by {difference:.1e} at most"]
    models = {"palm_net_crop.onnx": crop_model, "palm_net.onnx": palm_model(crop_model)}
    for name, model in models.items():
        data = model.SerializeToString()
        (folder / name).write_bytes(data)
        lines.append(f"{folder / name}: {len(data):,} bytes, sha256 {sha256(data).hexdigest()}")
    return lines
