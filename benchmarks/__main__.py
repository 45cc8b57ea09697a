"""``thenar bench``: every benchmark as a command."""

from __future__ import annotations

from typing import Final

import typer

from benchmarks.accuracy.command import accuracy
from benchmarks.attack.command import attack
from benchmarks.calibration.fit import calibrate
from benchmarks.extract import extract
from benchmarks.hostile_requests.command import requests
from benchmarks.journey.command import journey
from benchmarks.login import login
from benchmarks.oidc.command import oidc
from benchmarks.oidc.waiting_command import waiting
from benchmarks.phone_page.command import page
from benchmarks.search.command import search
from benchmarks.search.milvus import milvus
from benchmarks.soak.command import soak
from benchmarks.studies.fusion import fusion
from benchmarks.studies.margin import margin
from benchmarks.studies.mixtures.command import mixtures
from benchmarks.studies.mixtures.resemblance import resemblance
from benchmarks.studies.protection import protection
from benchmarks.studies.short_list import short_list
from benchmarks.studies.user_id_command import user_id
from benchmarks.studies.wolf import wolf

STUDIES: Final = "Studies"

app = typer.Typer(
    help="Measure accuracy, speed and robustness from outside, with confidence intervals.",
    no_args_is_help=True,
)
app.callback()(lambda: None)
app.command()(accuracy)
app.command()(journey)
app.command()(attack)
app.command()(login)
app.command()(calibrate)
app.command()(search)
app.command()(milvus)
app.command()(extract)
app.command()(soak)
app.command()(requests)
app.command()(oidc)
app.command()(waiting)
app.command()(page)
app.command(rich_help_panel=STUDIES)(margin)
app.command(rich_help_panel=STUDIES)(protection)
app.command("short-list", rich_help_panel=STUDIES)(short_list)
app.command(rich_help_panel=STUDIES)(fusion)
app.command(rich_help_panel=STUDIES)(wolf)
app.command(rich_help_panel=STUDIES)(mixtures)
app.command(rich_help_panel=STUDIES)(resemblance)
app.command("user-id", rich_help_panel=STUDIES)(user_id)

if __name__ == "__main__":
    app()
