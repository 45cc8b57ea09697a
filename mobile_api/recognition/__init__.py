"""From a picture to an account: acquisition, comparison, decision.

``acquisition`` makes the template, ``identification`` asks ``matcher``, which applies
``thresholds``; ``counted_identification`` does it within the limits. ``load`` loads
the networks, ``opening`` opens the galleries. People move from one extractor to the next by
``extractor_migration``; ``previous_graph`` finds the one before.
``enrolment``, ``login`` and ``account`` use the result.
"""
