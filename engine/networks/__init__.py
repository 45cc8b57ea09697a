"""The networks, and ONNX files as functions.

``weights`` holds the files, ``manifest.toml`` their digests, inputs and outputs, ``cards`` a
description of each. ``manifest`` reads the manifest; ``onnx_model`` checks a file's digest and
loads it, or checks all. The only folder that imports onnxruntime.
"""

import os

# Official builds tell their maker of each process and network, and keep an identifier of the
# machine in the home folder. Only before the library is loaded can all of it be refused.
os.putenv("ORT_DISABLE_TELEMETRY", "1")
