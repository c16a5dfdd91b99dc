# SPDX-License-Identifier: MIT
"""What the tests on real data share."""

from __future__ import annotations

import pytest
from real_data.movielens import MovieLens


@pytest.fixture(scope="session")
def movielens(tmp_path_factory: pytest.TempPathFactory) -> MovieLens:
    """MovieLens 1M, prepared once."""
    return MovieLens.prepared_in(tmp_path_factory.mktemp("full"))
