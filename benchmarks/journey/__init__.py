"""``thenar bench journey``: error rates of the whole service on real pictures.

``run`` chooses who is enrolled, enrols and answers logins over HTTP (``login_flow``),
``measure`` writes the result.
"""
