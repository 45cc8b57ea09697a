"""``thenar demo``: Thenar and a sample app on loopback, with drawn people enrolled.

command.py has the options; running.py runs everything, enrols through the mobile API and prints
what to try; site.py says where, and makes the certificate for a network; service.py starts
``thenar serve`` in a process; people.py reads the pictures. relying_party.py is the app,
written as an app developer would: it imports nothing of Thenar.
"""
