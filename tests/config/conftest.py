# SPDX-License-Identifier: MIT
"""What the tests of the configuration share."""

from __future__ import annotations

from pathlib import Path

import pytest
from config.copied_config import CopiedConfig


@pytest.fixture
def config(tmp_path: Path) -> CopiedConfig:
    """A copy of the configuration."""
    return CopiedConfig(tmp_path)
