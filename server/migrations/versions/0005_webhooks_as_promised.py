"""webhooks as promised: formats, answers, secrets that rotate, what became of each attempt"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("webhook_endpoint", sa.Column("format", sa.String(), server_default="standard", nullable=False))
    op.add_column("webhook_endpoint", sa.Column("answers", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("webhook_endpoint", sa.Column("retired", sa.JSON(), nullable=True))
    op.add_column("webhook_endpoint", sa.Column("prompt", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("webhook_endpoint", sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column("webhook_endpoint", sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("webhook_endpoint", sa.Column("version", sa.Integer(), server_default="1", nullable=False))
    op.add_column("webhook_endpoint", sa.Column("disabled_reason", sa.String(), nullable=True))
    op.add_column("delivery", sa.Column("earlier_attempts", sa.Integer(), server_default="0", nullable=False))
    op.add_column("delivery", sa.Column("again", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("attempt", sa.Column("answer", sa.String(), nullable=True))
    op.add_column("attempt", sa.Column("problem", sa.String(), nullable=True))
    op.add_column("attempt", sa.Column("detail", sa.Text(), nullable=True))
    op.create_index("ix_delivery_endpoint_id_created_at", "delivery", ["endpoint_id", "created_at", "id"])
    op.drop_index("ix_delivery_endpoint_id", table_name="delivery")


def downgrade() -> None:
    op.create_index("ix_delivery_endpoint_id", "delivery", ["endpoint_id"])
    op.drop_index("ix_delivery_endpoint_id_created_at", table_name="delivery")
    for column in ("detail", "problem", "answer"):
        op.drop_column("attempt", column)
    for column in ("again", "earlier_attempts"):
        op.drop_column("delivery", column)
    for column in (
        "disabled_reason",
        "version",
        "failed_at",
        "failing_since",
        "prompt",
        "retired",
        "answers",
        "format",
    ):
        op.drop_column("webhook_endpoint", column)
