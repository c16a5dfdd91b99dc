"""Looking for garbage is put off, and taken up again."""

from __future__ import annotations

import gc

import pytest

from receval.workflow.artifacts import collection_put_off
from receval.workflow.run import collect_rarely


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


def test_rare_collection_is_still_collection() -> None:
    before = gc.get_threshold()
    try:
        collect_rarely()
        assert gc.isenabled()
        assert gc.get_threshold()[0] > 10_000
    finally:
        gc.set_threshold(*before)
