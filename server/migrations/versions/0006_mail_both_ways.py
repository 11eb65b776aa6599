"""mail both ways, wishes, timers, standing orders"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

STATES = '"state" IN ({})'.format
OLD = "'due', 'leased', 'sent', 'obsolete', 'dead'"
NEW = "'due', 'leased', 'sent', 'batched', 'suppressed', 'obsolete', 'dead'"


def upgrade() -> None:
    op.create_table(
        "letter",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("recipient_digest", sa.String(), nullable=False),
        sa.Column("token_digest", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=True),
        sa.Column("message_digest", sa.String(), nullable=False),
        sa.Column("envelope_from", sa.String(), nullable=True),
        sa.Column("raw", sa.LargeBinary(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("account_id", sa.String(), nullable=True),
        sa.Column("game_id", sa.String(), nullable=True),
        sa.Column("decision", sa.Integer(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("confirmed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "\"state\" IN ('received', 'held', 'settled', 'quarantined', 'dropped')", name=op.f("ck_letter_state")
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_letter_account_id"),
        sa.PrimaryKeyConstraint("id", name="pk_letter"),
        sa.UniqueConstraint("recipient_digest", "message_digest", name="uq_letter_recipient_digest_message_digest"),
    )
    op.create_index("ix_letter_account_id", "letter", ["account_id"])
    op.create_index("ix_letter_game_id", "letter", ["game_id"])
    op.create_index("ix_letter_state_received_at", "letter", ["state", "received_at"])
    op.create_index("ix_letter_token_digest", "letter", ["token_digest"])
    op.create_table(
        "preference",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("kinds", sa.JSON(), nullable=False),
        sa.Column("quiet", sa.JSON(), nullable=True),
        sa.Column("digest_at", sa.String(), nullable=True),
        sa.Column("delay", sa.Integer(), nullable=False),
        sa.Column("reminders", sa.JSON(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_preference_account_id"),
        sa.PrimaryKeyConstraint("account_id", name="pk_preference"),
    )
    op.create_table(
        "mail_token",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("game_id", sa.String(), nullable=True),
        sa.Column("decision", sa.Integer(), nullable=True),
        sa.Column("about", sa.String(), nullable=True),
        sa.Column("printed", sa.JSON(), nullable=True),
        sa.Column("delivery_id", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("\"kind\" IN ('m', 'i', 'c', 'd', 'u', 'b')", name=op.f("ck_mail_token_kind")),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_mail_token_account_id"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_mail_token_game_id"),
        sa.PrimaryKeyConstraint("digest", name="pk_mail_token"),
    )
    op.create_index("ix_mail_token_account_id", "mail_token", ["account_id"])
    op.create_index("ix_mail_token_delivery_id", "mail_token", ["delivery_id"])
    op.create_index("ix_mail_token_game_id", "mail_token", ["game_id"])
    op.create_table(
        "mute",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_mute_account_id"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_mute_game_id"),
        sa.PrimaryKeyConstraint("account_id", "game_id", name="pk_mute"),
    )
    op.create_table(
        "standing_orders",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("seat", sa.String(), nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("stopped", sa.JSON(), nullable=True),
        sa.Column("skipped", sa.JSON(), nullable=False),
        sa.Column("given_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("given_turn", sa.Integer(), nullable=False),
        sa.Column("given_event", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_standing_orders_game_id"),
        sa.PrimaryKeyConstraint("game_id", "seat", name="pk_standing_orders"),
    )
    op.create_table(
        "timer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("decision", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("fired_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_timer_game_id"),
        sa.PrimaryKeyConstraint("id", name="pk_timer"),
        sa.UniqueConstraint(
            "kind", "game_id", "decision", "seat", "step", name="uq_timer_kind_game_id_decision_seat_step"
        ),
    )
    op.create_index("ix_timer_fired_at_due_at", "timer", ["fired_at", "due_at"])
    op.create_index("ix_timer_game_id", "timer", ["game_id"])
    op.add_column("account", sa.Column("mail_score", sa.Integer(), server_default="0", nullable=False))
    op.add_column("account", sa.Column("mail_dead_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("account", sa.Column("mail_dead_reason", sa.String(), nullable=True))
    op.add_column("delivery", sa.Column("mode", sa.String(), server_default="immediate", nullable=False))
    op.add_column("delivery", sa.Column("batch_id", sa.String(), nullable=True))
    op.create_index("ix_delivery_batch_id", "delivery", ["batch_id"])
    op.create_index("ix_delivery_account_id_created_at", "delivery", ["account_id", "created_at", "id"])
    op.drop_index("ix_delivery_account_id", table_name="delivery")
    with op.batch_alter_table("delivery") as delivery:
        delivery.drop_constraint(op.f("ck_delivery_state"), type_="check")
        delivery.create_check_constraint(op.f("ck_delivery_state"), STATES(NEW))


def downgrade() -> None:
    op.execute("UPDATE delivery SET state = 'obsolete' WHERE state IN ('batched', 'suppressed')")
    with op.batch_alter_table("delivery") as delivery:
        delivery.drop_constraint(op.f("ck_delivery_state"), type_="check")
        delivery.create_check_constraint(op.f("ck_delivery_state"), STATES(OLD))
    op.create_index("ix_delivery_account_id", "delivery", ["account_id"])
    op.drop_index("ix_delivery_account_id_created_at", table_name="delivery")
    op.drop_index("ix_delivery_batch_id", table_name="delivery")
    op.drop_column("delivery", "batch_id")
    op.drop_column("delivery", "mode")
    op.drop_column("account", "mail_dead_reason")
    op.drop_column("account", "mail_dead_at")
    op.drop_column("account", "mail_score")
    op.drop_index("ix_timer_game_id", table_name="timer")
    op.drop_index("ix_timer_fired_at_due_at", table_name="timer")
    op.drop_table("timer")
    op.drop_table("standing_orders")
    op.drop_table("mute")
    op.drop_index("ix_mail_token_game_id", table_name="mail_token")
    op.drop_index("ix_mail_token_delivery_id", table_name="mail_token")
    op.drop_index("ix_mail_token_account_id", table_name="mail_token")
    op.drop_table("mail_token")
    op.drop_table("preference")
    op.drop_index("ix_letter_token_digest", table_name="letter")
    op.drop_index("ix_letter_state_received_at", table_name="letter")
    op.drop_index("ix_letter_game_id", table_name="letter")
    op.drop_index("ix_letter_account_id", table_name="letter")
    op.drop_table("letter")
