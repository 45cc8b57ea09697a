"""The networks, and ONNX files as functions.

``weights`` holds the files, ``manifest.toml`` their digests, inputs and outputs, ``cards`` a
description of each. ``manifest`` reads the manifest; ``onnx_model`` checks a file's digest and
loads it; ``verify`` checks all. The only folder that imports onnxruntime.
"""
