"""From a picture to an account: acquisition, comparison, decision.

``acquisition`` makes the template, ``identification`` asks ``matcher``, which applies the
``thresholds``, within the limits. ``load`` loads the networks and opens the galleries.
``reference_changes`` moves people's references from one extractor to the next, which
``previous_graph`` finds, and follows people whose pictures change. ``enrolment``, ``login`` and
``account`` use the result.
"""
