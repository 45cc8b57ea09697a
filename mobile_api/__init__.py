"""The service that phones talk to: enrolment, login, and a person's own account.

``api`` parses requests and calls one use case each: ``enrolment``, ``login``, ``account``,
``passkeys``, ``devices``, ``stations``, ``challenges``, ``push``. They compare palms through
``recognition``, which searches the ``gallery``, a replica of the references in ``storage``.
``provider`` is the only way to the OpenID provider: it replaces the names of accounts and
phones by aliases. ``composition`` builds everything.

A palm that answers a login: ``api`` → ``devices`` (proof) → ``login`` → ``limits``,
``challenges``, ``recognition`` (searches the ``gallery``), ``provider``. An enrolment:
``api`` → ``devices`` → ``enrolment`` (consent, duplicate check) → ``gallery`` → ``storage``.

Requests are limited by address (``server``), phone (``api.http``) and client (the provider's
``clients.rate_limits``); palms by ``limits``.
"""
