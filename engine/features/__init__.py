"""Features of a region of interest, from which templates are made.

``competitive_code`` finds the lines and ``code_bytes`` packs them (for ``comparison``);
``oriented_energy`` is what the palm network reads beside the lines. A
service runs all of this as one ONNX graph.
"""
