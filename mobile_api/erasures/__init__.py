"""The list of erasures: accounts that no restored backup of the database may bring back.

``entries`` is the format, ``file`` the file that all processes of a service share, ``start``
holds it against the database at a start. No account is on it, only what stands for one.
``account`` adds to it an erased account; at a start it erases again every account on it.

A person with write access to the file, but without the template keys and the database, can:

=================================  ==========================================================
attempt                            result
=================================  ==========================================================
remove the list                    no start: the database counts entries (or none, of a list)
cut entries off                    no start: fewer than the database counts
put an older copy in its place     no start, likewise
add an entry, or change one        no start: it is not authenticated by a key of the key file
put another service's list there   no start: other key, or not what the database counts
damage one of an entry's copies    repaired from its twin, and reported
=================================  ==========================================================

While a service runs, ``/readyz`` fails and no deletion is confirmed; ``thenar doctor`` tells
which it is. What no count can tell: a list cut back to an older database that is restored at
the same time. Hence OPERATIONS asks for copies of the list apart from those of the database.
"""
