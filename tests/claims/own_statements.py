# SPDX-License-Identifier: MIT
"""The statements of our own under the figures of all studies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reproduction.claims.ledger import OwnStatement, own_statement
from reproduction.config.settings import load_settings

CONFIG = Path(__file__).resolve().parents[2] / "config"


def own_statements() -> Iterator[tuple[str, str, OwnStatement]]:
    """Yield study, figure and statement."""
    for study, spec in load_settings(CONFIG, "full").studies.items():
        for name, artifact in spec.artifacts.items():
            for shown in artifact.shows:
                if not isinstance(shown, str):
                    yield study, name, own_statement(shown, f"{name} of {study}")
