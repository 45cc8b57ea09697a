"""``thenar bench``: how good and how fast, the ISO/IEC 19795-1 way."""

from __future__ import annotations

import typer

from benchmarks.accuracy.command import accuracy
from benchmarks.calibration.fit import calibrate
from benchmarks.extract import extract
from benchmarks.hostile_requests.command import requests
from benchmarks.journey.command import journey
from benchmarks.login import login
from benchmarks.oidc.command import oidc
from benchmarks.oidc.waiting_command import waiting
from benchmarks.phone_page.command import page
from benchmarks.search.command import search
from benchmarks.soak.command import soak
from benchmarks.studies.fusion import fusion
from benchmarks.studies.margin import margin
from benchmarks.studies.protection import protection
from benchmarks.studies.short_list import short_list
from benchmarks.studies.user_id_command import user_id
from benchmarks.studies.wolf import wolf

app = typer.Typer(
    help="How good and how fast: measured from outside, with confidence intervals.",
    no_args_is_help=True,
)
app.callback()(lambda: None)
app.command()(accuracy)
app.command()(journey)
app.command()(login)
app.command()(calibrate)
app.command()(margin)
app.command()(protection)
app.command()(search)
app.command()(extract)
app.command("short-list")(short_list)
app.command()(fusion)
app.command()(soak)
app.command()(requests)
app.command()(wolf)
app.command()(oidc)
app.command()(waiting)
app.command()(page)
app.command("user-id")(user_id)

if __name__ == "__main__":
    app()
