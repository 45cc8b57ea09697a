"""Stations: the operator adds one, a browser enrols as it, people sign in there by palm.

A station has a device key, as phones do, and a cookie at the provider. Only a login that begins
in the browser with the cookie is answered with the key.
"""
