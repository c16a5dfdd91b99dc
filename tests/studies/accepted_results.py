# SPDX-License-Identifier: MIT
"""The results that the papers' statements and our pages are checked on."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FULL = Path(os.environ.get("RECEVAL_ARTIFACTS", ROOT / "results" / "full"))
"""The accepted results of the full edition, or those that a run has made: `make statements`."""
