"""``thenar bench``: how good and how fast, the ISO/IEC 19795-1 way."""

from __future__ import annotations

import typer

from benchmarks.accuracy.command import accuracy
from benchmarks.calibration import calibrate
from benchmarks.journey_command import journey
from benchmarks.search.command import search

app = typer.Typer(
    help="How good and how fast: measured from outside, with confidence intervals.",
    no_args_is_help=True,
)
app.callback()(lambda: None)
app.command()(accuracy)
app.command()(journey)
app.command()(calibrate)
app.command()(search)

if __name__ == "__main__":
    app()
