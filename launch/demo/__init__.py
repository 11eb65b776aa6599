"""Two bots play a whole game on a server of its own; what leaves the server is counted where it arrives."""
