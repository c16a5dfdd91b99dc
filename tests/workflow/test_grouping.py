# SPDX-License-Identifier: MIT
"""The tests of a file run in one process, for what they share to be made once."""

from __future__ import annotations

import pytest


def test_the_tests_of_a_file_are_one_group(request: pytest.FixtureRequest) -> None:
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("nothing is shared out: `make test` does, with --dist loadgroup")
    # That is how xdist tells groups apart; a pytest that it does not know keeps the plain name.
    assert request.node.nodeid.endswith("@workflow-test_grouping.py")
