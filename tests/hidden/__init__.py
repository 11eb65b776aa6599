"""Whether what a player may not know stays hidden (RULES.md 3.5), asked in three ways.

Twins (`test_non_interference`, `test_twins_over_http`, `test_letters`): two states that differ only in what a viewer may
not know give him the same bytes; `test_doors` says that no door is left out, and `test_orders` that a game with orders in it
is such a twin, too. Histories (`test_histories`): so do two whole courses of a game. Canaries (`test_canaries`): each card
has a name of its own, and everything that leaves a running server is searched for names that its reader can't know.

Each way is tried on leaks that are put in on purpose. For longer runs: HIDDEN_GAMES, HIDDEN_TABLES, HIDDEN_CANARY_GAMES in
the environment say how many, and `-o faulthandler_timeout=0` lets them take their time.
"""
