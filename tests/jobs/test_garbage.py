# SPDX-License-Identifier: MIT
"""Looking for garbage is put off, and taken up again."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from reproduction.workflow.jobs.artifacts import collection_put_off
from reproduction.workflow.jobs.interpreter import collect_rarely


@collection_put_off()
def draw_nothing() -> None:
    raise ValueError(f"not drawn, collecting: {gc.isenabled()}")


def test_collection_is_taken_up_again_after_an_error() -> None:
    assert gc.isenabled()
    with pytest.raises(ValueError, match="not drawn, collecting: False"):
        draw_nothing()
    assert gc.isenabled()


def test_who_has_put_it_off_before_keeps_it_so() -> None:
    with collection_put_off():
        with collection_put_off():
            pass
        assert not gc.isenabled()


@pytest.fixture
def as_python_begins() -> Iterator[None]:
    """Collect as often as Python does by itself."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


@pytest.mark.costly
@pytest.mark.usefixtures("as_python_begins")
def test_rare_collection_is_still_collection() -> None:
    collect_rarely()
    assert gc.isenabled()
    assert gc.get_threshold()[0] > 10_000
