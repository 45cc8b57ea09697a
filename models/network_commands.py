"""``thenar models train``, ``average`` and ``export``: our own networks.

torch is imported only when they run, so the rest works without the extra.
"""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from models.console import ModelsError, console, reported_faults
from models.palm_graph.cover import WEIGHTS
from models.training.plan import SessionRequest

CHECKPOINT = Path("data/training/palm_net.npz")
"""Default checkpoint between sessions."""


def train(  # noqa: PLR0913 - the options of a command
    *,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    minutes: Annotated[
        float | None, typer.Option(help="Stop after this time and save a checkpoint.")
    ] = None,
    fit: Annotated[
        bool,
        typer.Option("--fit", help="Shorten the schedule so that it ends within --minutes."),
    ] = False,
    resume: Annotated[Path | None, typer.Option(help="Checkpoint to continue from.")] = None,
    out: Annotated[
        Path, typer.Option(help="Checkpoint; overwritten during training.")
    ] = CHECKPOINT,
    samples: Annotated[
        int | None, typer.Option(help="Samples in the whole schedule.", min=1000)
    ] = None,
    drawn: Annotated[int | None, typer.Option(help="Palms to draw.", min=128)] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed.")] = None,
    shift: Annotated[
        int | None,
        typer.Option(help="Most cells that regions are shifted by in training.", min=0, max=8),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes that draw palms.", min=1)] = 1,
) -> None:
    """Train the palm network on drawn palms; no picture of a person is used.

    A training may take several sessions: stop it with --minutes, continue with --resume. The
    checkpoint holds half-precision weights and no optimiser. Beside it are the drawn palms
    (about 57 kB each, .lines), the competitive code's scores of them (16 kB each, .scores)
    and a log to plot (JSON lines, .jsonl).
    """
    request = SessionRequest(
        out, resume, device, minutes, fit=fit, workers=workers, samples=samples,
        drawn=drawn, seed=seed, shift=shift,
    )  # fmt: skip
    with reported_faults():
        finished = _torch_module("models.training.session").run_session(request)
    goal = "finished" if finished else f"continue with --resume {out}"
    console.print(f"weights in {out}; {goal}", soft_wrap=True)


def covers(
    *,
    steps: Annotated[int, typer.Option(help="Batches of 32 drawn palms.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 1,
    start: Annotated[Path | None, typer.Option(help="Weights to continue from.")] = None,
    out: Annotated[Path, typer.Option(help="Weights to write.")] = WEIGHTS,
) -> None:
    """Train the network that finds what covers a palm, on drawn palms with random things.

    The export puts it into the graph.
    """
    with reported_faults():
        loss = _torch_module("models.training.covers").train(out, steps, seed, start)
    console.print(f"mean loss {loss:.3f}; weights in {out}", soft_wrap=True)


def average(
    checkpoints: Annotated[
        list[Path], typer.Argument(help="Final checkpoints of one training.")
    ],
    *,
    out: Annotated[Path, typer.Option(help="Checkpoint to write.")],
) -> None:
    """Average several final checkpoints of one training, and finalise the result.

    They must have continued from one checkpoint: train with --minutes, copy the checkpoint, and
    --resume each copy to its end with another --seed or --shift.
    """
    with reported_faults():
        _torch_module("models.training.session").run_average(checkpoints, out)
    console.print(f"weights in {out}", soft_wrap=True)


def export(
    checkpoint: Annotated[
        Path, typer.Argument(help="Weights of a training, or a graph.")
    ] = CHECKPOINT,
    *,
    out: Annotated[Path, typer.Option(help="Folder of the ONNX file.")] = Path(),
) -> None:
    """Write a trained network as ONNX, checked against torch.

    palm_print_net.onnx takes a decoded picture with its landmarks: it is the graph that server
    and browser run. Of a graph the network is taken as it is, and all else is built again.
    """
    with reported_faults():
        written = _torch_module("models.export").export_checkpoint(checkpoint, out)
    for line in written:
        console.print(line, soft_wrap=True)


def _torch_module(name: str) -> Any:  # noqa: ANN401
    """Import a module that needs torch.

    Raises:
        ModelsError: the extra ``train`` is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(("torch", "onnxscript")):
            raise
        msg = f"{error.name} is missing: pip install -r requirements-train.lock"
        raise ModelsError(msg) from error
