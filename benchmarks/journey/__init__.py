"""``thenar bench journey``: error rates of the whole service on real pictures.

``plan`` chooses who is enrolled, ``run`` enrols and answers logins over HTTP with the
``harness``, ``command`` writes the result.
"""
