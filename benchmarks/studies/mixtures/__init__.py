"""Forged enrolments: templates and pictures that are several people at once.

``mixing`` makes them, ``attack`` puts them to the rules of enrolment and identification.
"""
