# SPDX-License-Identifier: MIT
"""What no search for faults may need."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import pytest

MEMORY = 1 << 20
"""Kibibytes that the inputs of a test may add to the most that the process ever had."""


@pytest.fixture(autouse=True)
def bounded_memory() -> Iterator[None]:
    """Fail a test whose inputs, together, made the process grow by more than a gibibyte."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEMORY
