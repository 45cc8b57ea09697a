"""``thenar bench``: accuracy, speed and robustness, measured from outside.

What users run lies at the top: ``accuracy``, ``journey``, ``search``, ``extract``, ``login``,
``phone_page``, ``oidc``, ``soak``, ``hostile_requests`` and ``calibration``; one-off studies
are
in ``studies``. ``datasets`` reads pictures and templates, ``harness`` runs and drives a
service,
``measurement`` holds rates, times, targets and result files. The newest results are in
``results``.
"""
