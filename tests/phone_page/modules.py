"""Calls the page's own modules under Node, so that they are tested without a browser."""

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import numpy as np

from mobile_api.api.page import SOURCE

CALL: Final = Path(__file__).with_name("call.mjs")


class Modules:
    """The page's modules in a Node process of their own."""

    def __init__(self) -> None:
        self._node = subprocess.Popen(  # noqa: S603 -- found on the path, our own script
            [shutil.which("node") or "node", str(CALL)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self, module: str, name: str, *given: Any) -> Any:
        """Call a function of a module, ``palm/crop.js`` say, or return a constant."""
        assert self._node.stdin is not None
        assert self._node.stdout is not None
        asked = {"module": str(SOURCE / module), "name": name, "given": given}
        self._node.stdin.write(json.dumps(asked, default=_packed) + "\n")
        self._node.stdin.flush()
        answer = self._node.stdout.readline()
        assert answer, f"{module}: {name} threw"
        return json.loads(answer, object_hook=_unpacked)["result"]

    def close(self) -> None:
        """End the process."""
        assert self._node.stdin is not None
        assert self._node.stdout is not None
        self._node.stdin.close()
        self._node.wait(60)
        self._node.stdout.close()


NAMES: Final = {"uint8": "Uint8Array", "float32": "Float32Array", "float64": "Float64Array"}
TYPES: Final = {name: kind for kind, name in NAMES.items()} | {"Int32Array": "int32"}


def _packed(array: Any) -> dict[str, str]:
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"kind": NAMES[array.dtype.name], "base64": data}


def _unpacked(value: dict[str, Any]) -> Any:
    if "base64" not in value:
        return value
    return np.frombuffer(base64.b64decode(value["base64"]), TYPES[value["kind"]])
