"""Why a queue stopped is stored, and said again in any language."""

from __future__ import annotations

import json

from server.language import translated
from server.said import said
from server.services.orders.reasons import again, stored


def test_what_was_said_is_said_again_in_another_language() -> None:
    inner = said("a queue has at most {most} moves", most=3)
    reason = said("{move} could not be played: {why}", move="feed A1", why=inner)
    back = again(json.loads(json.dumps(stored(reason))))
    assert back == reason and translated(back, "ru") == translated(reason, "ru") != reason
    assert "в очереди не больше 3 ходов" in translated(back, "ru")
