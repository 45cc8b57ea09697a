"""A phone in Python, and its command ``thenar phone``.

client.py is all a phone app needs: signed requests over HTTP only.
state.py saves its device key. session.py opens a phone for a command; command.py and
account.py are the commands; words.py has their sentences. The demo, the tests and
the benchmarks use it, too.
"""
