"""Starts the parts of Galapost on one machine and keeps them together."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
