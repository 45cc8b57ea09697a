"""From a picture to an account: acquisition, comparison, decision.

``acquisition`` makes the template, ``identification`` asks ``matcher``, which applies the
thresholds, within the limits. ``load`` loads the networks and opens the galleries. While people
move from one extractor to the next, ``identification`` moves their references;
``previous_graph`` finds the extractor before. ``enrolment``, ``login`` and ``account`` use the
result.
"""
