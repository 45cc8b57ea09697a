"""One-off studies behind decisions.

``fusion``, ``margin``, ``protection``, ``short_list``, ``user_id`` and ``wolf`` are commands.
"""
