# SPDX-License-Identifier: MIT
"""What the accepted values of canamares2020 and of the multiverse must show, on MovieLens 1M."""

from __future__ import annotations

import re

import pandas as pd
from studies.accepted_results import FULL, ROOT

from receval.multiverse.verdicts import with_verdicts
from receval.storage.files import read_results

PAGE = re.sub(r"\s+", " ", (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8"))

CONDENSED = "P(condensed=true)@10"


def accepted(study: str, artifact: str) -> pd.DataFrame:
    return read_results(FULL / study / f"{artifact}.csv")


def values(artifact: str, **chosen: object) -> pd.Series:
    """Values on MovieLens 1M of the rows that have some cells."""
    rows = accepted("canamares2020", artifact)
    rows = rows[rows["dataset"] == "ml-1m"]
    for column, cell in chosen.items():
        rows = rows[rows[column] == cell]
    assert len(rows)
    return rows["value"].astype(float)


def test_the_page_has_the_numbers_of_the_start() -> None:
    table = accepted("canamares2020", "table2")
    start = {
        (row["metric"], row["system"]): row
        for row in table[table["dataset"] == "ml-1m"].to_dict("records")
    }
    for metric, label in (("nDCG(gain=binary)@10", "nDCG@10"), ("P@10", "P@10")):
        knn, mf = start[metric, "knn-user"], start[metric, "ranksys-mf"]
        values = " and ".join(f"{row['value']:.4f}".removeprefix("0") for row in (knn, mf))
        p = f"{float(mf['p_value']):.2f}".removeprefix("0")
        assert f"{label} {values} (p = {p})" in PAGE


def test_the_page_has_the_numbers_of_what_does_not_hold() -> None:
    unrated = {name: values("fig03", system=name).min() for name in ("knn-user", "ranksys-mf")}
    assert f"to {unrated['knn-user']:.3f} (kNN)".replace("0.", ".") in PAGE
    assert f"and {unrated['ranksys-mf']:.3f} (MF)".replace("0.", ".") in PAGE
    of_text = values("fig03", system="ranksys-mf-text")
    assert f"it never does ({of_text.min():.3f})".replace("0.", ".") in PAGE
    for metric, steps in (("P@10", (1, 40)), (CONDENSED, (5, 10))):
        knn = [
            values("fig08", average="reduced", metric=metric, system=f"knn-overlap-{step}").item()
            for step in steps
        ]
        mf = values("fig08", average="reduced", metric=metric, system="ranksys-mf").item()
        if metric == CONDENSED:
            assert knn[0] < mf < knn[1]
        else:
            text = f"from {knn[0]:.2f} to {knn[1]:.2f}, MF has {mf:.2f}"
            assert text.replace("0.", ".") in PAGE


def test_condensed_ndcg_rises_at_every_step_over_users_with_a_relevant_test_rating() -> None:
    values = accepted("canamares2020", "fig04")
    rows = values[values["evaluated_users"].eq("relevant") & values["dataset"].eq("ml-1m")]
    for system in ("knn-user", "ranksys-mf"):
        by_ratio = rows[rows["system"] == system].sort_values("train_ratio")["value"]
        assert len(by_ratio) == 9
        assert by_ratio.is_monotonic_increasing


def test_the_multiverse_has_the_shares_that_the_page_names() -> None:
    universes = with_verdicts(accepted("multiverse", "universes"))
    assert len(universes) == 20480
    assert f"in {len(universes):,} universes" in PAGE
    share = universes["verdict"].value_counts(normalize=True)
    shares = [f"{100 * share[verdict]:.0f} %" for verdict in ("second", "first", "tie")]
    assert "MF wins {} of them significantly, kNN {}, and in {} nobody".format(*shares) in PAGE
    distinct = universes[["value", "other_value", "p_value", "rejected"]].drop_duplicates()
    assert f"Only {len(distinct):,} universes differ" in PAGE


def test_the_page_names_what_decides() -> None:
    found = accepted("multiverse", "explained")
    effect = found[found["response"] == "effect"].set_index(["decision", "other"])["explained"]
    split, selection, both, metric = (
        f"{100 * effect[term]:.0f} %"
        for term in (("split", ""), ("selection", ""), ("selection", "split"), ("metric", ""))
    )
    assert f"the split explains {split} of the variance" in PAGE
    assert f"the selection of ratings {selection}, both together {both} more" in PAGE
    assert f"the metric {metric}, the aggregation less than 1 %" in PAGE
    assert effect["aggregation", ""] < 0.01
    pairs = accepted("multiverse", "pairs").set_index(["first", "second"])
    text = pairs.loc[("knn-user", "ranksys-mf-text")]
    assert f"kNN wins {100 * text['wins']:.0f} % of the universes and loses" in PAGE
    assert f"loses {100 * text['losses']:.0f} %" in PAGE


def test_the_accepted_page_of_changes_says_how_many_flip() -> None:
    page = (FULL / "multiverse" / "flips.md").read_text(encoding="utf-8")
    found = re.search(r"in (\d+) ways.*kNN wins in (\d+), MF wins in (\d+)", page)
    assert found is not None
    ways, of_knn, of_mf = found.groups()
    assert f"{of_mf} of {ways} single changes let MF win and {of_knn} kNN" in PAGE
