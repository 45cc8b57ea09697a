"""Features of a region of interest, from which templates are made.

``competitive_code`` finds the lines, ``code_bytes`` packs their directions into the code,
``oriented_energy`` and ``whitening`` make the vector. The code goes to ``comparison``, the
vector to ``gallery``. A service runs all of this as one ONNX graph; ``reference_extractor`` is
the readable form.
"""
