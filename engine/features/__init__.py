"""Features of a region of interest, from which templates are made.

``competitive_code`` finds the lines; ``code_bytes`` packs them (for ``comparison``) and refuses
palms that are covered. The palm network reads the oriented energy beside the lines. A
service runs all of this as one ONNX graph.
"""
