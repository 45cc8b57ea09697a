"""Which phone's sign-ins added a reference; those that exist were enrolled.

Revision ID: 0013
Revises: 0012
"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "ALTER TABLE biometric_references ADD COLUMN device_id VARCHAR(43)"
        " CONSTRAINT fk_biometric_references_device_id_devices"
        " REFERENCES devices (device_id)"
    )
    op.create_index(
        "ix_biometric_references_device_id", "biometric_references", ["device_id"]
    )
