# SPDX-License-Identifier: MIT
"""Training holds every library that has threads to one of them, and lets them go again."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from receval.recommenders import base
from receval.recommenders.base import on_one_thread


def numbers_of_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info()}


def test_all_libraries_are_held_to_one_thread_and_let_go_again() -> None:
    with threadpool_limits(limits=2):
        for _ in range(2):
            with on_one_thread():
                assert numbers_of_threads() == {1}
            assert numbers_of_threads() == {2}


def test_they_are_let_go_where_training_fails() -> None:
    with threadpool_limits(limits=2):
        with pytest.raises(ValueError, match="on purpose"), on_one_thread():
            raise ValueError("on purpose")
        assert numbers_of_threads() == {2}


def test_libraries_are_looked_for_again_only_where_more_modules_have_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searches = []

    class Controller(base.ThreadpoolController):
        def __init__(self) -> None:
            searches.append(len(sys.modules))
            super().__init__()

    monkeypatch.setattr(base, "ThreadpoolController", Controller)
    monkeypatch.setitem(sys.modules, "one_more", ModuleType("one_more"))
    for expected in (1, 1):
        with on_one_thread():
            assert len(searches) == expected
    monkeypatch.setitem(sys.modules, "another_one", ModuleType("another_one"))
    with on_one_thread():
        assert len(searches) == 2
