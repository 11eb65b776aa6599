"""Standing orders: what a player left to be played for him. `grammar` reads them, `acting` answers by them; both are pure."""
