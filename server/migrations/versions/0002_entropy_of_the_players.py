"""entropy of the players"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("seat", sa.Column("entropy_commitment", sa.String(), nullable=True))
    op.add_column("seat", sa.Column("entropy", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("seat", "entropy")
    op.drop_column("seat", "entropy_commitment")
