"""``thenar bench attack``: error rates of presentation attack detection. ISO/IEC 30107-3.

``sessions`` reads drawn sessions, ``observed`` has what the detector saw of each, ``rates``
counts, ``single_pictures`` judges pictures by themselves, ``command`` writes the result.
"""
