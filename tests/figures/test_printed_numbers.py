# SPDX-License-Identifier: MIT
"""Numbers are printed by one rule: significant digits, no zero before the point, a true minus."""

from __future__ import annotations

import math

import pytest

from receval.figures.printed_numbers import (
    NOTHING,
    as_written,
    fixed,
    in_text,
    on_points,
    p_value,
    significant,
)

MINUS = "\N{MINUS SIGN}"
FIGURE, POINT = "\N{FIGURE SPACE}", "\N{PUNCTUATION SPACE}"


@pytest.mark.each(
    ("value", "printed"),
    [
        (0.45331, ".453"),
        (0.00081234, ".000812"),
        (0.0009996, ".00100"),
        (0.9996, "1.00"),
        (0.9994, ".999"),
        (-0.25, f"{MINUS}.250"),
        (12.345, "12.3"),
        (99.96, "100"),
        (1234.5, "1,234"),
        (6040, "6,040"),
        (0.0, "0"),
        (-0.0, "0"),
        (math.nan, NOTHING),
        (math.inf, NOTHING),
    ],
)
def test_three_digits_are_significant(value: float, printed: str) -> None:
    assert significant(value) == printed


def test_digits_and_a_sign_can_be_asked_for() -> None:
    assert significant(0.006954, 4) == ".006954"
    assert significant(0.00114, 2, signed=True) == "+.0011"
    assert significant(-0.00114, 2, signed=True) == f"{MINUS}.0011"
    assert significant(0, signed=True) == "0"


@pytest.mark.each(
    ("value", "decimals", "printed"),
    [
        (0.9291, 3, ".929"),
        (-0.9, 3, f"{MINUS}.900"),
        (-1, 3, f"{MINUS}1.000"),
        (0.0004, 3, ".000"),
        (-0.0004, 3, ".000"),
        (0.2, 0, "0"),
        (10000, 0, "10,000"),
        (math.nan, 2, NOTHING),
    ],
)
def test_decimals_are_fixed(value: float, decimals: int, printed: str) -> None:
    assert fixed(value, decimals) == printed


@pytest.mark.each(
    ("value", "printed"),
    [(0.5965, ".597"), (0.001, ".001"), (0.00099, "< .001"), (0, "< .001"), (1, "1.000")],
)
def test_small_p_values_are_only_said_to_be_small(value: float, printed: str) -> None:
    assert p_value(value) == printed
    assert p_value(math.nan) == NOTHING


@pytest.mark.each(
    ("value", "printed"),
    [
        (0.1, ".1"),
        (0.99999999, ".99999999"),
        (70, "70"),
        (10000.0, "10,000"),
        (-1.5, f"{MINUS}1.5"),
    ],
)
def test_a_setting_keeps_the_digits_that_it_has(value: float, printed: str) -> None:
    assert as_written(value) == printed


@pytest.mark.each(
    ("text", "printed"),
    [
        ("probability 0.5, not 10.5 or v0.5", "probability .5, not 10.5 or v0.5"),
        ("kNN - MF: -0.25 at 0.1", f"kNN {MINUS} MF: {MINUS}.25 at .1"),
        ("(MF - kNN)/kNN", f"(MF {MINUS} kNN)/kNN"),
        ("AR TI-AN -10% head", f"AR TI-AN {MINUS}10 % head"),
        ("10-20 and CM-1", "10-20 and CM-1"),
        ("p >= 0.05, k <= 3", "p \N{GREATER-THAN OR EQUAL TO} .05, k \N{LESS-THAN OR EQUAL TO} 3"),
        ("1.769e-6, 1e-5, 2E5", r"$`1.769 \times 10^{-6}`$, $`10^{-5}`$, 2E5"),
        ("coverage x reduced", "coverage \N{MULTIPLICATION SIGN} reduced"),
        ("the metrics x and y, on the x axis", "the metrics x and y, on the x axis"),
        (r"as $`x - 0.5`$ is 0.5", r"as $`x - 0.5`$ is .5"),
        ("fig08_relations, docs/fidelity.md", "fig08_relations, docs/fidelity.md"),
        ("50% of 0.05-0.1", "50 % of .05-.1"),
    ],
)
def test_numbers_in_texts_follow_the_same_rule(text: str, printed: str) -> None:
    assert in_text(text) == printed
    assert in_text(printed) == printed


def test_points_of_a_column_stand_in_one_line() -> None:
    cells = [".453", ".00081", "12", NOTHING, "", "any", f"{MINUS}1.5"]
    aligned = on_points(cells)
    assert aligned == [
        f".453{FIGURE * 2}",
        ".00081",
        f"12{POINT}{FIGURE * 5}",
        NOTHING,
        "",
        "any",
        f"{MINUS}1.5{FIGURE * 4}",
    ]
    assert on_points(["6,040", "15,400"]) == ["6,040", "15,400"]
