"""From a picture to an account: acquisition, comparison, decision.

``acquisition`` makes the template, ``identification`` asks ``matcher``, which applies
``thresholds``; ``counted_identification`` does it within the limits. ``load`` builds them.
``enrolment``, ``login`` and ``account`` use the result.
"""
