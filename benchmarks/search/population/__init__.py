"""The enrolled palms and the probes of the search benchmark.

``fillers`` makes many palms of some drawn ones, their vectors by ``densify``; ``people``
numbers all palms, ``mates`` chooses the probes.
"""
