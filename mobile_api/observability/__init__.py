"""The operator's view of a running service.

logging.py formats safe log lines; access_log.py writes one per request; metrics.py counts for
Prometheus; tracing.py exports OpenTelemetry spans; health.py answers /healthz and /readyz;
seen_address.py tells callers their own address; audit.py checks the audit log's hash chain.
None of them shows what a request contained.
"""
