"""Background jobs of a running provider.

``background`` runs jobs for the lifetime of the app; ``retention`` is the job that expires
logins and deletes what has exceeded its retention period.
"""
