"""Logout: requested by clients or people, and sent to clients.

``rp_initiated`` ends the session, which enqueues notices (``accounts.logout_outbox``);
``delivery`` signs and posts them through ``http_client``.
"""
