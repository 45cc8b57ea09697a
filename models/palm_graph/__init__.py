"""Builds the shipped ONNX graph: a decoded picture with its landmarks becomes a template.

Server and browser run the same file. Each module holds one step, as ONNX text with the numbers
it needs from ``engine/parameters.py``; ``build`` joins them. Tests compare the graph with the
readable references in the engine: ``roi``, ``quality``, ``competitive_code``.
"""
