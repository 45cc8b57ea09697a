"""Stores of what a browser does: pushed requests, logins, sessions, logouts."""
