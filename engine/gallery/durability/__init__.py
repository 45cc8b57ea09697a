"""A gallery on disk: a snapshot of its rows in SQLite, and a file of codes, both encrypted.

``stored`` keeps a gallery in memory and writes the snapshot now and then, with the position in
the database's history: what came later is read from there again. The files are a cache of the
database: what does not decrypt is dropped and fetched from the database by mobile_api.
"""
