"""``thenar serve``."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from mobile_api.cli.error_messages import report_errors

SWITCH_INTERVAL_S: Final = 0.0005
"""How long a thread may hold the interpreter, a tenth of Python's default."""


class Only(StrEnum):
    """One of the two services."""

    OIDC = "oidc"
    MOBILE = "mobile"


def serve(
    only: Annotated[
        Only | None, typer.Option(help="Serve only one of the two services.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8080,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="PEM file with a private key and its certificate: serve https.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
) -> None:
    """Serve the OpenID provider and the mobile API, or one of them.

    Serves plain HTTP unless given a certificate. Beyond loopback, run it behind a proxy that
    adds TLS and set https for every public address.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    from mobile_api.cli import serve_work  # noqa: PLC0415 - loads the service

    with report_errors(serve_work.console):
        serve_work.run(only, host, port, certificate)
