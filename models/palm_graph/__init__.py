"""Builds the shipped ONNX graph: a decoded picture with its landmarks becomes a template.

Server and browser run the same file. ``build`` calls the steps in their order; each is written
as expressions (``graph``) with the numbers of ``engine/parameters.py``. Tests compare the graph
with the readable references in the engine: ``roi``, ``quality``, ``competitive_code``.
"""
