# SPDX-License-Identifier: MIT
"""Run the command ``receval`` as ``python -m receval``."""

import sys

from receval.cli.main import main

# The process from which jobs are forked imports all modules, including this one.
if __name__ == "__main__":
    sys.exit(main())
