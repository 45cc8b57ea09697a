"""The data of a gallery in memory: rows by slot, identifiers, codes, and their locks.

``records`` holds the columns of a gallery, ``columns`` their form on disk, ``code_store`` the
codes; ``validation`` checks templates before any gallery accepts them.
"""
