"""A day in minutes: people sign in while processes are killed and the database restarts.

``soak.sh`` runs it on a PostgreSQL, processes and folders of its own.
"""
