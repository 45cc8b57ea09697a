"""``thenar bench accuracy``: error rates of sets of palms (ISO/IEC 19795-1).

``run`` measures a set: ``acquisition`` extracts features, ``plan`` chooses the comparisons,
``scoring`` makes them, ``rates`` evaluates the scores, ``report`` writes page and scores.
"""
