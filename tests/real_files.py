# SPDX-License-Identifier: MIT
"""Where tests find real datasets, and what they say where these are not."""

from __future__ import annotations

from pathlib import Path

import pytest

MIRROR = Path(__file__).resolve().parents[2] / "shared" / "datasets"
MOVIELENS = "ml-1m/ratings.dat"
CM100K = "cm100k/ratings.txt"
FOLDS = "folds_menamaldonado2021.txt"


def needs(*files: str) -> pytest.MarkDecorator:
    """Return a mark that skips tests where files of the mirror are missing, and names these."""
    missing = [file for file in files if not (MIRROR / file).is_file()]
    reason = f"../shared/datasets has no {', no '.join(missing)}: see docs/datasets.md."
    return pytest.mark.skipif(bool(missing), reason=reason)
