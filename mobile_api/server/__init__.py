"""Builds and runs the HTTP server.

configuration.py reads all settings; provider_app.py composes the OpenID provider with limits,
health, access log and metrics; serving.py runs uvicorn and its orderly stop. error_responses.py
turns exceptions into HTTP responses; jobs.py runs retention and gallery maintenance. running.py
asks what runs before a command changes what it uses. address_limits.py limits requests of a
network; connections.py the time and number of connections; config_file.py reads thenar.toml.
"""
