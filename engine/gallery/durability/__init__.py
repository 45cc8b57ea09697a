"""A gallery on disk: encrypted blocks of rows, a file of codes, a journal and a manifest.

``stored`` is the gallery with its directory: changes go to memory and to the journal, snapshots
replace both. The directory is a cache of the database: whatever does not decrypt is dropped,
reported (``pop_damaged``, ``is_whole``) and fetched from the database again by mobile_api.
"""
