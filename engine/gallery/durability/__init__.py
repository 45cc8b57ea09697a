"""A gallery on disk: one SQLite file with encrypted blocks of rows, codes and steps.

``stored`` is the gallery with its file: changes go to memory and, as steps, to the file;
checkpoints fold them into blocks. The file is a cache of the database: whatever does not
decrypt is dropped, reported (``pop_damaged``, ``is_whole``) and fetched from the database again
by mobile_api.
"""
