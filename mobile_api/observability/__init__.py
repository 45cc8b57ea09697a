"""The operator's view of a running service.

logging.py formats safe log lines; access_log.py writes one per request; metrics.py counts for
Prometheus; health.py answers /healthz and /readyz, and returns to callers their own address;
audit.py checks the audit log's hash chain. None of them shows what a request contained.
"""
