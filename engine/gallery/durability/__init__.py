"""A gallery on disk: an encrypted snapshot of its rows in SQLite.

``stored`` keeps a gallery in memory and writes the snapshot now and then, with the position in
the database's history: what came later is read from there again. The file is a cache of the
database: what does not decrypt is dropped and fetched from the database by mobile_api.
"""
