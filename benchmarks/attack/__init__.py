"""``thenar bench attack``: error rates of presentation attack detection. ISO/IEC 30107-3.

``observed`` reads drawn sessions and keeps what the detector saw of each, ``rates`` counts,
``run`` judges single pictures, too, and writes the result.
"""
