"""Logout: requested by clients or people, and told to clients.

``rp_initiated`` checks a logout request and ends the session, which enqueues notices
(``accounts.logout_outbox``). ``delivery`` signs them (``tokens``) and posts them through
``http_client``, which reaches public addresses only.
"""
