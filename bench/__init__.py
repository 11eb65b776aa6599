"""How fast the engine is beside its peers, as ratios of one run: `make bench`."""
