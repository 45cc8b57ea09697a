"""Requests that nobody honest sends, by the hundred thousand, to the real service.

Each is drawn from a seed: a valid request of a whole flow with something wrong in it, or what
the OpenAPI descriptions allow and forbid. No answer may be a fault of ours (5xx), and no
secret may be in what the service prints or in the plain columns of its databases.
"""
