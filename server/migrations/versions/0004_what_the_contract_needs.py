"""what the contract needs: bots, invitations, messages, feeds, repetitions"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "never_invite",
        sa.Column("email_digest", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("email_digest", name="pk_never_invite"),
    )
    op.create_table(
        "bot",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("engine", sa.String(), nullable=True),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("accepts", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_bot_account_id"),
        sa.ForeignKeyConstraint(["owner_id"], ["account.id"], name="fk_bot_owner_id"),
        sa.PrimaryKeyConstraint("account_id", name="pk_bot"),
    )
    op.create_index("ix_bot_owner_id", "bot", ["owner_id"])
    op.create_table(
        "feed",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name="pk_feed"),
    )
    op.create_table(
        "feed_item",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=True),
        sa.Column("last", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "number", name="pk_feed_item"),
    )
    op.create_index("ix_feed_item_game_id", "feed_item", ["game_id"])
    op.create_table(
        "repetition",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("operation", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("made", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_repetition_account_id"),
        sa.PrimaryKeyConstraint("account_id", "operation", "key", name="pk_repetition"),
    )
    op.create_index("ix_repetition_created_at", "repetition", ["created_at"])
    op.create_table(
        "invitation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("inviter_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=True),
        sa.Column("email", sa.String(), nullable=True),
        sa.Column("email_digest", sa.String(), nullable=True),
        sa.Column("mailed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("token_digest", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("\"kind\" IN ('account', 'email', 'link')", name=op.f("ck_invitation_kind")),
        sa.CheckConstraint(
            "\"state\" IN ('open', 'accepted', 'refused', 'withdrawn', 'expired')", name=op.f("ck_invitation_state")
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_invitation_account_id"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_invitation_game_id"),
        sa.ForeignKeyConstraint(["inviter_id"], ["account.id"], name="fk_invitation_inviter_id"),
        sa.PrimaryKeyConstraint("id", name="pk_invitation"),
        sa.UniqueConstraint("token_digest", name="uq_invitation_token_digest"),
    )
    op.create_index("ix_invitation_account_id", "invitation", ["account_id"])
    op.create_index("ix_invitation_email", "invitation", ["email"])
    op.create_index("ix_invitation_email_digest_mailed_at", "invitation", ["email_digest", "mailed_at"])
    op.create_index("ix_invitation_game_id", "invitation", ["game_id"])
    op.create_index("ix_invitation_inviter_id_state", "invitation", ["inviter_id", "state"])
    op.create_index("ix_game_status_created_at", "game", ["status", "created_at"])
    op.create_table(
        "message",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_message_account_id"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_message_game_id"),
        sa.PrimaryKeyConstraint("game_id", "number", name="pk_message"),
    )
    op.create_index("ix_message_account_id", "message", ["account_id"])
    op.add_column("account", sa.Column("time_zone", sa.String(), server_default="UTC", nullable=False))
    op.add_column("account", sa.Column("version", sa.Integer(), server_default="1", nullable=False))
    op.add_column("account", sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("game", sa.Column("own_bots", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("game", sa.Column("ended_by", sa.String(), nullable=True))
    op.add_column("game", sa.Column("rematch_id", sa.String(), nullable=True))
    op.add_column("move", sa.Column("follows", sa.Integer(), nullable=True))
    op.add_column("move", sa.Column("by", sa.String(), server_default="hand", nullable=False))
    op.add_column("seat", sa.Column("played_by", sa.String(), server_default="player", nullable=False))
    op.add_column("seat", sa.Column("resigned_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("seat", sa.Column("cancels_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("verification", sa.Column("account_id", sa.String(), nullable=True))
    with op.batch_alter_table("delivery") as delivery:  # kinds of notices grow; services alone write them
        delivery.drop_constraint(op.f("ck_delivery_kind"), type_="check")


def downgrade() -> None:
    kinds = "\"kind\" IN ('verification', 'your_turn', 'game_started', 'game_over')"
    with op.batch_alter_table("delivery") as delivery:
        delivery.create_check_constraint(op.f("ck_delivery_kind"), kinds)
    op.drop_column("verification", "account_id")
    op.drop_column("seat", "cancels_at")
    op.drop_column("seat", "resigned_at")
    op.drop_column("seat", "played_by")
    op.drop_column("move", "by")
    op.drop_column("move", "follows")
    op.drop_column("game", "rematch_id")
    op.drop_column("game", "ended_by")
    op.drop_column("game", "own_bots")
    op.drop_column("account", "deleted_at")
    op.drop_column("account", "version")
    op.drop_column("account", "time_zone")
    op.drop_index("ix_message_account_id", table_name="message")
    op.drop_table("message")
    op.drop_index("ix_game_status_created_at", table_name="game")
    op.drop_index("ix_invitation_inviter_id_state", table_name="invitation")
    op.drop_index("ix_invitation_game_id", table_name="invitation")
    op.drop_index("ix_invitation_email_digest_mailed_at", table_name="invitation")
    op.drop_index("ix_invitation_email", table_name="invitation")
    op.drop_index("ix_invitation_account_id", table_name="invitation")
    op.drop_table("invitation")
    op.drop_index("ix_repetition_created_at", table_name="repetition")
    op.drop_table("repetition")
    op.drop_index("ix_feed_item_game_id", table_name="feed_item")
    op.drop_table("feed_item")
    op.drop_table("feed")
    op.drop_index("ix_bot_owner_id", table_name="bot")
    op.drop_table("bot")
    op.drop_table("never_invite")
