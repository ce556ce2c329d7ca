"""The `crawlingo` command: the same as Rust's."""

from __future__ import annotations

import signal
import sys

from . import _crawlingo


def main() -> int:
    """Runs the command with the arguments of the process and gives its exit code."""
    # The interpreter would only take note of an interrupt, and look at it when the command is done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return _crawlingo.command(["crawlingo", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
