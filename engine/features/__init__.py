"""Features of a region of interest, from which templates are made.

``competitive_code`` finds the lines and ``code_bytes`` packs them (for ``comparison``);
``oriented_energy`` and ``whitening`` make the vector (for ``gallery``). A service runs all of
this as one ONNX graph; ``reference_extractor`` is the readable form.
"""
