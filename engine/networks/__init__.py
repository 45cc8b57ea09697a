"""ONNX files as functions.

``manifest`` reads ``models/manifest.toml``; ``onnx_model`` checks a file's digest and loads it.
``hand`` and ``extract`` run the networks. The only room that imports onnxruntime.
"""
