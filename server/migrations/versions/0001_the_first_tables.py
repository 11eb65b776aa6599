"""the first tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=True),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("\"kind\" IN ('person', 'bot')", name=op.f("ck_account_kind")),
        sa.CheckConstraint("\"language\" IN ('en', 'ru')", name=op.f("ck_account_language")),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
        sa.UniqueConstraint("email", name="uq_account_email"),
        sa.UniqueConstraint("name", name="uq_account_name"),
    )
    op.create_table(
        "verification",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("network", sa.String(), nullable=True),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("code_digest", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_verification"),
    )
    op.create_index("ix_verification_email_created_at", "verification", ["email", "created_at"])
    op.create_index("ix_verification_network_created_at", "verification", ["network", "created_at"])

    op.create_table(
        "game",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("host_id", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("join", sa.String(), nullable=False),
        sa.Column("spectators", sa.String(), nullable=False),
        sa.Column("start", sa.String(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("decision", sa.Integer(), nullable=True),
        sa.Column("asked_seat", sa.String(), nullable=True),
        sa.Column("question_kind", sa.String(), nullable=True),
        sa.Column("last_event", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.CheckConstraint("\"join\" IN ('open', 'invited')", name=op.f("ck_game_join")),
        sa.CheckConstraint("\"spectators\" IN ('none', 'public')", name=op.f("ck_game_spectators")),
        sa.CheckConstraint("\"start\" IN ('automatic', 'host')", name=op.f("ck_game_start")),
        sa.CheckConstraint(
            "\"status\" IN ('open', 'running', 'over', 'cancelled')",
            name=op.f("ck_game_status"),
        ),
        sa.CheckConstraint("seats BETWEEN 2 AND 8", name=op.f("ck_game_seats")),
        sa.ForeignKeyConstraint(["host_id"], ["account.id"], name="fk_game_host_id"),
        sa.PrimaryKeyConstraint("id", name="pk_game"),
    )
    op.create_index("ix_game_created_at_id", "game", ["created_at", "id"])

    op.create_table(
        "token",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_token_account_id"),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("digest", name="uq_token_digest"),
    )
    op.create_index("ix_token_account_id", "token", ["account_id"])

    op.create_table(
        "webhook_endpoint",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("secret_sealed", sa.String(), nullable=False),
        sa.Column("types", sa.JSON(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_webhook_endpoint_account_id"),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_endpoint"),
    )
    op.create_index("ix_webhook_endpoint_account_id", "webhook_endpoint", ["account_id"])

    op.create_table(
        "decision",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_decision_game_id"),
        sa.PrimaryKeyConstraint("game_id", "number", name="pk_decision"),
    )
    op.create_table(
        "delivery",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("endpoint_id", sa.String(), nullable=True),
        sa.Column("game_id", sa.String(), nullable=True),
        sa.Column("seat", sa.String(), nullable=True),
        sa.Column("decision", sa.Integer(), nullable=True),
        sa.Column("payload", sa.JSON(), nullable=True),
        sa.Column("dedupe_key", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_owner", sa.String(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("rendered", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("\"channel\" IN ('email', 'webhook')", name=op.f("ck_delivery_channel")),
        sa.CheckConstraint(
            "\"kind\" IN ('verification', 'your_turn', 'game_started', 'game_over')",
            name=op.f("ck_delivery_kind"),
        ),
        sa.CheckConstraint(
            "\"state\" IN ('due', 'leased', 'sent', 'obsolete', 'dead')",
            name=op.f("ck_delivery_state"),
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_delivery_account_id"),
        sa.ForeignKeyConstraint(["endpoint_id"], ["webhook_endpoint.id"], name="fk_delivery_endpoint_id"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_delivery_game_id"),
        sa.PrimaryKeyConstraint("id", name="pk_delivery"),
        sa.UniqueConstraint("dedupe_key", name="uq_delivery_dedupe_key"),
    )
    op.create_index("ix_delivery_account_id", "delivery", ["account_id"])
    op.create_index("ix_delivery_endpoint_id", "delivery", ["endpoint_id"])
    op.create_index("ix_delivery_game_id", "delivery", ["game_id"])
    op.create_index("ix_delivery_state_next_at", "delivery", ["state", "next_at"])

    op.create_table(
        "event",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("decision", sa.Integer(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_event_game_id"),
        sa.PrimaryKeyConstraint("game_id", "number", name="pk_event"),
    )
    op.create_index("ix_event_game_id_decision", "event", ["game_id", "decision"])

    op.create_table(
        "move",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.String(), nullable=False),
        sa.Column("notation", sa.String(), nullable=False),
        sa.Column("json", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_move_game_id"),
        sa.PrimaryKeyConstraint("game_id", "number", name="pk_move"),
    )
    op.create_table(
        "seat",
        sa.Column("game_id", sa.String(), nullable=False),
        sa.Column("letter", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_seat_account_id"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_seat_game_id"),
        sa.PrimaryKeyConstraint("game_id", "letter", name="pk_seat"),
        sa.UniqueConstraint("game_id", "account_id", name="uq_seat_game_id_account_id"),
    )
    op.create_index("ix_seat_account_id", "seat", ["account_id"])

    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("delivery_id", sa.String(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("reply", sa.Text(), nullable=True),
        sa.Column("ms", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "\"outcome\" IN ('sent', 'transient', 'permanent', 'ambiguous')",
            name=op.f("ck_attempt_outcome"),
        ),
        sa.ForeignKeyConstraint(["delivery_id"], ["delivery.id"], name="fk_attempt_delivery_id"),
        sa.PrimaryKeyConstraint("id", name="pk_attempt"),
        sa.UniqueConstraint("delivery_id", "n", name="uq_attempt_delivery_id_n"),
    )
    op.create_index("ix_attempt_delivery_id", "attempt", ["delivery_id"])


def downgrade() -> None:
    for table in (
        "attempt",
        "seat",
        "move",
        "event",
        "delivery",
        "decision",
        "webhook_endpoint",
        "token",
        "game",
        "verification",
        "account",
    ):
        op.drop_table(table)
