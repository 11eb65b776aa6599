"""names that look alike"""

import sqlalchemy as sa
from alembic import op

from server.models.names import name_key

revision = "0003"
down_revision = "0002"

account = sa.table("account", sa.column("id"), sa.column("name"), sa.column("name_key"), sa.column("created_at"))


def upgrade() -> None:
    op.add_column("account", sa.Column("name_key", sa.String(), nullable=True))
    _fill()
    op.create_index("ix_account_name_key", "account", ["name_key"], unique=True)


def _fill() -> None:
    """Accounts whose names look alike already stay as they are: the oldest has the key, the others one of their own."""
    taken: set[str] = set()
    connection = op.get_bind()
    for id, name in connection.execute(sa.select(account.c.id, account.c.name).order_by(account.c.created_at)).all():
        key = name_key(name)
        key = f"{key} {id}" if key in taken else key
        taken.add(key)
        connection.execute(account.update().where(account.c.id == id).values(name_key=key))


def downgrade() -> None:
    op.drop_index("ix_account_name_key", "account")
    op.drop_column("account", "name_key")
