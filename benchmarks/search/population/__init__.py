"""The enrolled palms and the probes of the search benchmark.

``drawn`` reads drawn palms, ``mosaics`` mixes more codes from them and ``densify`` more
vectors, ``people`` numbers all palms, ``filling`` loads them into a gallery, ``mates`` chooses
the probes.
"""
