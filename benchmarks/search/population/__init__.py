"""The enrolled palms and the probes of the search benchmark.

``drawn`` reads drawn palms, ``mosaics`` mixes more codes from them and ``densify`` more
vectors, ``people`` numbers all palms, ``mates`` chooses the probes.
"""
