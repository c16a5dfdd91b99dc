# SPDX-License-Identifier: MIT
"""The programs of ``benchmarks`` can be imported by the tests beside this file."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
