"""Stores of apps: clients, their logos and errors, their developers and registrations."""
