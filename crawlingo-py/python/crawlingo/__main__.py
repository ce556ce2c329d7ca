"""`python -m crawlingo` is the `crawlingo` command."""

import sys

from ._command import main

sys.exit(main())
