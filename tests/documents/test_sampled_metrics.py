# SPDX-License-Identifier: MIT
"""The example of docs/sampled_metrics.md runs and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from receval.sampled_metrics.rank_corrections import BIAS_VARIANCE
from receval.sampled_metrics.sampled_moments import RARE

PAGE = Path(__file__).resolve().parents[2].joinpath("docs/sampled_metrics.md").read_text("utf-8")


def test_the_example_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(example, "sampled_metrics.md", "exec"), {})
    shown = re.findall(r"^ {4}(\w[\w ]*: .*)$", PAGE.split("```")[-1], flags=re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == shown
    assert len(shown) == 3


def test_the_numbers_that_the_page_names_are_those_of_the_code() -> None:
    assert f"the probability is below {RARE:g}".replace("0.", ".") in PAGE
    assert f"with a weight of {BIAS_VARIANCE:g}".replace("0.", ".") in PAGE
