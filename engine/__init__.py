"""From a picture of a palm to a template, a comparison score and a search result.

Rooms in the order of a request: ``decode`` (with ``containers``), ``presentation_attack``,
``hand``, ``roi``, ``quality``, ``features`` → template; then ``comparison`` → score,
``gallery`` → candidates, ``decision`` → match or non-match. ``networks`` loads ONNX files.
``pipeline.py`` calls these steps in order: read it first. The engine knows no web, no
database and no person: callers group references under an opaque ``GroupId``.
"""
