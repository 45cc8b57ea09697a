"""The service that phones talk to: enrolment, login, and a person's own account.

``api`` parses requests and calls one use case each: ``enrolment``, ``login``, ``account``,
``passkeys``, ``devices``. They compare palms through ``recognition``, which searches the
``gallery``, a replica of the references in ``storage``. ``login`` hands its result to
``oidc.handoff``, the only way to the provider, where ``aliases`` replaces the names of accounts
and phones. ``composition`` builds everything.

The road of a palm that answers a login: ``api`` → ``devices`` (proof) → ``limits`` →
``recognition`` → ``gallery`` → ``login`` → ``oidc.handoff``. Of an enrolment: ``api`` →
``devices`` → ``enrolment`` (consent, duplicate check) → ``gallery`` → ``storage``.
"""
