# SPDX-License-Identifier: MIT
"""A hundred small inputs that would cost much: 5 s and 1 GiB each, and a sentence."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from faults.hostile_inputs import MIB, TABLE, HostileInput, cases
from processor_budget import slowness

import receval

SECONDS = 5
"""Processor seconds, on the machine that budgets were measured on, beyond those of starting."""

STARTING = 2

MOST = 1024 * MIB

_ALLOWED = 8 << 30
"""Bytes of addresses, of which only a part becomes memory: what goes beyond ends in an error."""


@pytest.fixture(scope="module")
def seconds() -> float:
    return (SECONDS + STARTING) * max(1.0, slowness())


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_a_hostile_input_ends_soon_in_a_sentence(
    case: HostileInput, tmp_path: Path, seconds: float
) -> None:
    (tmp_path / "table.csv").write_text(TABLE)
    os.mkfifo(tmp_path / "pipe")
    settings = {"command": "evaluate", "receval": receval.__version__}
    (tmp_path / "settings.json").write_text(
        json.dumps({**settings, "arguments": {"ratings": "/dev/zero"}})
    )
    if case.content is not None:
        (tmp_path / case.name).write_bytes(case.content())
        assert (tmp_path / case.name).stat().st_size <= 1.5 * MIB
    source = Path(receval.__file__).parents[1]
    with (tmp_path / "told").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "receval", *case.words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(source)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            preexec_fn=lambda: _limited(int(3 * seconds)),
        )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    told = (tmp_path / "told").read_text(encoding="utf-8").strip()
    taken = used.ru_utime + used.ru_stime
    print(f"{case.name}: {taken:.1f} s, {used.ru_maxrss / 1024:.0f} MiB: {told[-200:]}")
    assert case.said in told
    assert "Traceback" not in told
    assert process.returncode == 2
    assert taken < seconds
    assert used.ru_maxrss * 1024 < MOST


def _limited(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (_ALLOWED, _ALLOWED))
