# SPDX-License-Identifier: MIT
"""Downloads with a hundred thousand damaged answers: ``make faults``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from datasets.damaged_answers import one_damage
from datasets.hostile_server import running_hostile_server

INPUTS = int(os.environ.get("RECEVAL_FAULTS", "100000"))


@pytest.mark.slow
def test_damaged_answers_give_the_file_or_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running_hostile_server() as server:
        outcomes = ((seed, one_damage(server, tmp_path, seed)) for seed in range(INPUTS))
        assert [outcome for outcome in outcomes if outcome[1]] == []
