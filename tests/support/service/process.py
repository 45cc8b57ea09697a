"""The mobile API with a fake engine as a process of its own, to be killed.

``python -m tests.support.service.process FOLDER PORT``
"""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn

from tests.support.service.mobile_api import MobileWorld


def main() -> None:
    """Serve until killed."""
    folder, port = Path(sys.argv[1]), int(sys.argv[2])
    world = MobileWorld(folder, public_url=f"http://127.0.0.1:{port}")
    uvicorn.run(
        world.application(), port=port, log_level="warning", date_header=False, access_log=False
    )


if __name__ == "__main__":
    main()
