"""Presentation attack detection: is a living palm shown, or an artefact? ISO/IEC 30107-1.

``challenge`` draws what a person is asked to do; ``session`` has the values: frames,
observations, verdict; ``judging`` builds the detector that the settings name, with the rules of
``checks`` and ``motions``. ``traces`` judges a single picture, too.
"""
