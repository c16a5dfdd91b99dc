# SPDX-License-Identifier: MIT
"""``python -m receval``."""

import sys

from receval.cli import main

sys.exit(main())
