"""``thenar bench search``: speed, memory and losses of one-to-many search.

``population`` makes the gallery, ``peers`` are the other searchers, ``run`` measures a size and
``large`` more than two million rows, ``identification`` observes FPIR and FNIR, ``report``
draws the page, ``targets`` are the goals.
"""
