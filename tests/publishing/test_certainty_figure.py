# SPDX-License-Identifier: MIT
"""The figure of how sure a paper's claims are: one row per claim, readable however many."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from figures.text_problems import text_problems
from matplotlib.figure import Figure

from receval.figures.style import figure_style
from reproduction.claims.verdicts import COLUMNS
from reproduction.publishing.claim_counts import FARTHEST, MOST_SAID, caption, draw, drawn_rows

STUDY = "valcarce2018"


def row(number: int, **changes: Any) -> dict[str, Any]:
    """One row of the table of certainty."""
    known = {
        "paper": STUDY,
        "claim": f"V18-{number:03}",
        "dataset": "ml-1m",
        "form": "",
        "replications": 20,
        "holding": 15,
        "in_part": 2,
        "share": 0.75,
        "share_low": 0.53,
        "share_high": 0.89,
    }
    return {**dict.fromkeys(COLUMNS, ""), **known, **changes}


def number_row(number: int, published: float) -> dict[str, Any]:
    """A row of a claim that is a number, predicted between .4 and .6."""
    inside = "inside" if 0.4 <= published <= 0.6 else "outside"
    known = {"published": published, "mean": 0.5, "low": 0.4, "high": 0.6, "location": inside}
    return row(number, **known, share="", share_low="", share_high="", in_part="")


def table(*rows: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[*COLUMNS])


TITLES = {"ml-1m": "ML-1M", "cm100k": "CM100k"}

STATEMENTS = {
    f"V18-{n:03}": f"Metric {n} agrees with the others. " * (1 + n % 3) for n in range(99)
}


def printed(figure: Figure) -> list[str]:
    """Return what is printed left of the panels, on one line each."""
    texts = [text for axes in figure.axes[::2] for text in axes.texts]
    return [" ".join(text.get_text().split()) for text in texts]


@pytest.mark.parametrize("count", [1, 5, 99])
@pytest.mark.parametrize("numbers", [False, True])
def test_every_claim_is_named_and_read_however_many_there_are(count: int, *, numbers: bool) -> None:
    make = [number_row(n, 0.3 + n / 100) if numbers else row(n) for n in range(count)]
    with figure_style():
        figure = draw(drawn_rows(table(*make), STUDY), STATEMENTS, TITLES)
        assert text_problems(figure) == []
    names = printed(figure)
    assert names[::2] == [f"V18-{n:03}" for n in range(count)]
    assert names[1::2] == [STATEMENTS[name].strip() for name in names[::2]]


def test_each_row_is_beside_the_middle_of_its_statement() -> None:
    numbers = [number_row(n, 0.3 + n / 100) for n in range(6)]
    rows = drawn_rows(table(*numbers, *map(row, range(6, 12))), STUDY)
    with figure_style():
        figure = draw(rows, STATEMENTS, TITLES)
    names, shares, names_of_numbers, places = figure.axes
    for own, panel in (names, shares), (names_of_numbers, places):
        heights = [text.xy[1] for text in own.texts][::2]
        assert np.diff(heights).min() >= 1
        drawn = [line.get_ydata() for line in panel.get_lines() if len(line.get_ydata())]
        assert np.concatenate(drawn) == pytest.approx(heights)
        assert own.get_ylim() == panel.get_ylim()


def test_no_panel_is_empty_beside_the_rows_of_the_other_one() -> None:
    rows = drawn_rows(
        table(number_row(1, 0.5), row(2), *map(number_row, (3, 4), (0.5, 0.7))), STUDY
    )
    with figure_style():
        names, shares, names_of_numbers, places = draw(rows, STATEMENTS, TITLES).axes
    assert [text.get_text() for text in names.texts[::2]] == ["V18-002"]
    assert [text.get_text() for text in names_of_numbers.texts[::2]] == [
        f"V18-{n:03}" for n in (1, 3, 4)
    ]
    assert (shares.get_title(loc="left"), places.get_title(loc="left")) == (
        "(a) How often it holds",
        "(b) Published number",
    )


def test_few_published_numbers_have_no_panel_but_a_sentence_each() -> None:
    numbers = [number_row(1, 0.5), number_row(2, 0.25), number_row(3, 0.6)]
    for count in (MOST_SAID, MOST_SAID + 1):
        rows = drawn_rows(table(*numbers[:count], row(9)), STUDY)
        with figure_style():
            assert len(draw(rows, STATEMENTS, TITLES).axes) == (2 if count == MOST_SAID else 4)
        said = caption(rows, is_demo=False)
        assert ("for V18-002 is outside our" in said) is (count == MOST_SAID)
        assert ("2.5 half widths below our mean" in said) is (count == MOST_SAID)
        assert ("(b) If the claim is a number" in said) is (count > MOST_SAID)


def test_splits_that_do_not_decide_are_hollow_and_the_caption_says_why() -> None:
    aside = row(2, beside="each has one fifth in place of five folds")
    for known, decide in ([row(1), aside], True), ([aside], False), ([row(1)], True):
        rows = drawn_rows(table(*known), STUDY)
        with figure_style():
            shares = draw(rows, STATEMENTS, TITLES).axes[1]
        inner = {
            line.get_ydata()[0]: line.get_mfc() for line in shares.lines if len(line.get_ydata())
        }
        assert list(inner.values()).count("white") == (aside in known)
        labels = shares.get_legend_handles_labels()[1]
        assert ("decides no verdict alone" in labels, "holds, with Wilson interval" in labels) == (
            aside in known,
            decide,
        )
        said = "told beside that of the one run: each has one fifth in place of five folds."
        assert (said in caption(rows, is_demo=False)) is (aside in known)


def test_a_published_number_is_drawn_in_halves_of_the_interval_of_prediction() -> None:
    rows = drawn_rows(table(number_row(1, 0.5), number_row(2, 0.6), number_row(3, 0.35)), STUDY)
    assert list(rows["position"]) == pytest.approx([0, 1, -1.5])


def test_a_number_that_never_varies_is_beyond_all_others() -> None:
    fixed = {"published": 0.7, "mean": 0.5, "low": 0.5, "high": 0.5, "location": "outside"}
    known = [row(n, **{**fixed, "published": value}) for n, value in enumerate((0.7, 0.5, 0.2))]
    rows = drawn_rows(table(*known), STUDY)
    assert list(rows["position"]) == [math.inf, 0, -math.inf]
    with figure_style():
        _, places = draw(rows, STATEMENTS, TITLES).axes
    marks = [line for line in places.get_lines() if len(line.get_xdata())]
    assert [line.get_marker() for line in marks] == [">", "D", "<"]
    assert marks[0].get_xdata() == [FARTHEST]
    assert "infinitely many half widths above" in caption(rows[:1], is_demo=False)


def test_one_replication_predicts_nothing() -> None:
    rows = drawn_rows(table(row(1, replications=1, published=0.5, mean=0.4)), STUDY)
    assert np.isnan(rows["position"]).all()


def test_claims_of_other_papers_and_other_forms_and_undecided_ones_are_not_drawn() -> None:
    others = (
        row(2, paper="bellogin2017"),
        row(3, form="released"),
        row(4, replications=0, share="", share_low="", share_high=""),
    )
    assert list(drawn_rows(table(row(1), *others), STUDY)["claim"]) == ["V18-001"]


def test_datasets_are_named_where_there_are_several() -> None:
    rows = drawn_rows(table(row(1), row(1, dataset="cm100k")), STUDY)
    with figure_style():
        names = printed(draw(rows, STATEMENTS, TITLES))
    assert names[::2] == ["V18-001 CM100k", "V18-001 ML-1M"]


def test_the_caption_says_how_many_replications_and_whether_data_are_twins() -> None:
    rows = drawn_rows(table(row(1), row(2, replications=19)), STUDY)
    assert "20 replications at most" in caption(rows, is_demo=False)
    assert caption(rows, is_demo=True).endswith("The data are synthetic twins.")
