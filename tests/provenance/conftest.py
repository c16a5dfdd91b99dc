# SPDX-License-Identifier: MIT
"""A tiny package in a temporary repository, whose files the tests edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FILES = {
    "src/receval/__init__.py": '"""The package."""\n\n__version__ = "1.0"\n',
    "src/reproduction/__init__.py": "",
    "src/receval/base.py": "def shared(x):\n    return x + 1\n",
    "src/receval/style.py": "WIDTH = 3.3\n",
    "src/receval/palette.py": 'BLUE = "#0072B2"\n',
    "src/receval/systems/__init__.py": '"""Systems."""\n',
    "src/receval/systems/plsa.py": """
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from receval.systems import topics

if TYPE_CHECKING:
    from receval.style import WIDTH

SMOOTHING = 0.5


@dataclass
class Plsa:
    \"\"\"A topic model.\"\"\"

    rank: int = 10

    def fit(self, train: np.ndarray) -> Plsa:
        \"\"\"Fit.\"\"\"
        # Rows are users.
        total: float = SMOOTHING
        return topics.expect(train, total)
""",
    "src/receval/systems/topics.py": """
def expect(train, total):
    from receval.base import shared

    return shared(train) + total
""",
    "src/receval/systems/knn.py": "import receval.base\n\nprint(receval.base.shared(1))\n",
    "src/reproduction/studies/__init__.py": "",
    "src/reproduction/studies/fig02.py": """
\"\"\"A figure.\"\"\"

import math

from receval.base import shared
from receval.palette import BLUE
from receval.style import WIDTH

CUTOFF = 10
COLOUR = BLUE


def data(n):
    \"\"\"Compute.\"\"\"
    return rows(n, CUTOFF)


def rows(n, cutoff):
    return [shared(i) for i in range(n)][:cutoff]


def draw(frame):
    \"\"\"Draw.\"\"\"
    return math.sqrt(WIDTH), COLOUR, frame
""",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a dozen small modules."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.fixture
def edit(repository: Path) -> Callable[[str, str, str], None]:
    """Replace a piece of a file; the piece must be there."""

    def replace(name: str, old: str, new: str) -> None:
        path = repository / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return replace
