"""``thenar models vary``: drawn hands in harder and harder poses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from models.synthesis.command import fill
from models.synthesis.conditions.photos import conditions_plan
from models.synthesis.photo import DEFAULT_SIZE_PX


def vary(
    out: Annotated[Path, typer.Option(help="Folder to fill; made if missing.")],
    people: Annotated[int, typer.Option(min=1, help="How many people, two hands each.")] = 60,
    seed: Annotated[int, typer.Option(min=0, help="Another seed draws other people.")] = 1,
    size: Annotated[
        int, typer.Option(min=240, max=2400, help="Long side of the photos, pixels.")
    ] = DEFAULT_SIZE_PX,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
) -> None:
    """Draw hands in harder and harder poses, for thenar bench robustness.

    Each hand is drawn for enrolment, then with fingers from spread to together, with the thumb
    across the palm, tilted, and farther away. An interrupted run continues.
    """
    fill(conditions_plan(people, seed, size), out, jobs)
