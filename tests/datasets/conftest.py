# SPDX-License-Identifier: MIT
from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from datasets.hostile_server import HostileServer, running_hostile_server


@pytest.fixture
def without_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests to this machine must not take the way through a proxy."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server(without_proxy: None) -> Iterator[HostileServer]:
    with running_hostile_server() as running:
        yield running


@pytest.fixture
def dead_address(without_proxy: None) -> str:
    """An address where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "ml-1m.zip"
