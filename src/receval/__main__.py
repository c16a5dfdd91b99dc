# SPDX-License-Identifier: MIT
"""``python -m receval``."""

import sys

from receval.cli.main import main

# The process from which jobs are forked imports all modules, this one too.
if __name__ == "__main__":
    sys.exit(main())
