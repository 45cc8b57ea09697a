"""The operator's view of a running service.

logging.py formats safe log lines; tracing.py writes one per request and exports OpenTelemetry
spans; metrics.py counts for Prometheus; health.py answers /healthz and /readyz, and returns to
callers their own address; audit.py checks the audit log's hash chain. None of them shows what a
request contained.
"""
