"""The shipped graph: a decoded picture with its landmarks becomes a template, in ONNX.

Server and browser run the same file, so they cannot disagree. Each module holds one step in
ONNX's own text and the numbers it needs, taken from ``engine/parameters.py``; ``build`` joins
them. The readable references, which the graph is tested against, are in the engine: ``roi``,
``quality``, ``competitive_code`` and ``oriented_energy``.
"""
