"""``thenar bench requests``: a hundred thousand hostile requests to the real service.

A ``person`` makes valid requests (``request_builders``), ``mutations`` break them,
``from_openapi`` draws others from the OpenAPI descriptions, and ``raw_http`` sends them. Then
``checks`` looks for 5xx answers, for faults in the log, and for leaked secrets in output and
databases. A seed determines every request.
"""
