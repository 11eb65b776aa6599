"""The environment lies among the examples: tests find it there, whether it is installed or not."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "examples" / "rl"))
