"""The demo: Thenar and a relying party on loopback, with drawn people enrolled.

``command`` is what ``thenar demo`` runs; ``service`` starts the real ``thenar serve`` in a
process of its own; ``people`` enrols pictures through the mobile API with the reference phone;
``relying_party`` and ``pages`` are an application as a stranger would write it: they import
nothing of Thenar.
"""
