"""TODO mobile_api/extractor_migration."""
