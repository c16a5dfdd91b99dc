# SPDX-License-Identifier: MIT
"""pytrec_eval for tests; where no wheel of it exists, on Linux on Arm, they are skipped."""

from __future__ import annotations

import platform

import pytest

if platform.machine() == "aarch64":
    pytest.skip("pytrec-eval-terrier has no wheel for Linux on Arm.", allow_module_level=True)
else:
    import pytrec_eval

__all__ = ["pytrec_eval"]
