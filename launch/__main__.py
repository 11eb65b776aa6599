"""The command line of the launcher."""

import argparse
import os
import sys

from launch import leash
from launch.console import Console
from launch.trouble import Trouble


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m launch", description=sys.modules["launch"].__doc__)
    parser.add_argument("command", choices=["run", "demo", "compile"])
    parser.add_argument("--seed", default="galapost", help="of the demo's bots")
    parser.add_argument(
        "--end-with-parent", action="store_true", help="stop when the process that started this one ends, as under make"
    )
    arguments = parser.parse_args()
    if arguments.end_with_parent:
        leash.end_with_parent(os.getppid())
    console = Console()
    try:
        return COMMANDS[arguments.command](console, arguments.seed)
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def run(console: Console, seed: str) -> int:
    from launch.run import Launcher

    os.umask(0o077)  # hands and seeds lie in the home: they are nobody else's on this machine
    Launcher(os.environ, console).run()
    return 0


def demo(console: Console, seed: str) -> int:
    from launch.demo.story import play

    return play(console, seed)


def compile_engine(console: Console, seed: str) -> int:
    from launch.compile import compile_engine

    folder = compile_engine()
    print(f"the compiled engine is in {folder}; to use it: PYTHONSAFEPATH=1 PYTHONPATH={folder} python …")
    return 0


COMMANDS = {"run": run, "demo": demo, "compile": compile_engine}


if __name__ == "__main__":
    sys.exit(main())
