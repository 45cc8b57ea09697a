"""``thenar demo``: Thenar and a sample app on loopback, with drawn people enrolled.

command.py runs everything; site.py says where, and certificate.py makes the certificate for a
network; service.py starts ``thenar serve`` in a process; people.py reads the pictures and
enrolment.py enrols them through the mobile API; instructions.py is what it prints.
relying_party.py and pages.py are the app, written as an app developer would: they import
nothing of Thenar.
"""
