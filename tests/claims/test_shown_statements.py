# SPDX-License-Identifier: MIT
"""What a figure shows: verdicts on claims and on statements of our own, in words."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from claims.made_up import STUDY, own_statements, sources_of, values_of

from reproduction.claims.ledger import own_statement, told_in_short, told_verdicts
from reproduction.claims.sources import ClaimSources

ROOT = Path(__file__).resolve().parents[2]
ROW = {
    "paper": "valcarce2018",
    "dataset": "ml-1m",
    "form": "",
    "verdict": "holds",
    "published": "",
    "ours": "kNN has .5, Pop .25",
    "splits": "Holds on 20 of 20 splits.",
    "detail": "",
    "reason": "",
    "needs": "",
}
BEST = {
    "statement": "kNN is best.",
    "checks": [
        {
            "datasets": ["ml-1m"],
            "decide": {
                "rule": "order",
                "values": {"each": ["system"]},
                "tiers": [["knn"], ["others"]],
            },
            "here": "It has {knn:.2f}.",
            "numbers": {"knn": {"where": {"system": "knn"}}},
        }
    ],
}


def told(
    *changes: dict[str, Any], of_paper: bool = True, tell: Any = told_verdicts
) -> list[tuple[str, str]]:
    rows = [{**ROW, **change} for change in changes or ({},)]
    return tell(rows, lambda name: {"ml-1m": "ML-1M"}.get(name, name), of_paper=of_paper)


def test_a_verdict_names_its_dataset_and_says_our_numbers_and_other_splits() -> None:
    assert told() == [("Holds on ML-1M", "kNN has .5, Pop .25. Holds on 20 of 20 splits.")]


def test_in_short_the_first_dataset_has_a_sentence_and_the_others_have_verdicts() -> None:
    short = partial(told, tell=told_in_short)
    own = {"ours": "Kendall's tau is .5. P has .25."}
    fails = {"verdict": "does not hold", "reason": "Ours differ."}
    others = [{**fails, "dataset": name} for name in ("a", "b", "c")]
    form = {"form": "text", "verdict": "holds in part"}
    undecided = {"verdict": "undecidable here", "dataset": "d", "needs": "D"}
    assert short(own, form, others[0], undecided) == [
        ("Holds on ML-1M", "Kendall's tau is .5."),
        ("Does not hold on a", ""),
    ]
    assert short(own, *others)[1:] == [("Does not hold on a, b and c", "")]
    assert short({"ours": "One. Two."}, {"dataset": "a"}) == [("Holds on ML-1M and a", "")]
    assert short({"ours": "One. P has .2. R .3."}) == [("Holds on ML-1M", "One. P has .2.")]
    assert short(own, {**form, **fails})[1:] == [("Another form, text, does not hold on ML-1M", "")]
    assert short({**own, "dataset": ""}, {"dataset": ""}) == [("Holds", "Kendall's tau is .5.")]
    assert short(undecided) == [("Undecidable here", "it needs D.")]


def test_a_number_is_said_once_where_splits_say_it() -> None:
    said = "On this split .5; on 20 others .4 on average."
    assert told({"published": "0.5", "ours": ".5", "splits": said}) == [("Holds on ML-1M", said)]


@pytest.mark.parametrize("change", [{"paper": "followups"}, {}])
def test_what_no_rebuilt_paper_claims_is_seen_or_not(change: dict[str, str]) -> None:
    row = {**change, "verdict": "does not hold", "dataset": "", "splits": ""}
    assert told(row, of_paper=bool(change)) == [("Not seen", "kNN has .5, Pop .25.")]


def test_a_reason_is_said_once_and_in_place_of_the_parts_that_fail() -> None:
    failing = {"verdict": "holds in part", "detail": "Not shown: P (1 of 2). P: Off by .1."}
    (_, alone), (_, first), (_, second) = told(
        failing, {**failing, "reason": "Ours differ."}, {**failing, "reason": "Ours differ."}
    )
    assert alone.endswith("splits. Not shown: P (1 of 2).")
    assert first.endswith("splits. Ours differ.")
    assert second.endswith("splits.")


def test_another_form_is_told_where_its_verdict_is_another_one() -> None:
    form = {"form": "MF (text)", "verdict": "does not hold"}
    assert [verdict for verdict, _ in told({}, form)] == [
        "Holds on ML-1M",
        "Another form, MF (text), does not hold on ML-1M",
    ]
    assert len(told({}, {**form, "verdict": "holds"})) == 1
    assert told({"dataset": "x", "form": "on x"})[0][0] == "Another form, on x, holds"


def test_absent_data_are_named_only_where_nothing_is_decided() -> None:
    absent = {"dataset": "netflix", "verdict": "undecidable here", "needs": "the dataset netflix"}
    assert len(told({}, absent)) == 1
    assert told(absent) == [("Undecidable here", "it needs the dataset netflix.")]


def test_a_statement_of_our_own_is_judged_by_its_figure(tmp_path: Path) -> None:
    sources = sources_of(tmp_path, values_of(knn=0.5, pop=0.25), edition="full")
    (row,) = own_statement(BEST, "fig01").judged(STUDY, "fig01", sources)
    assert (row["verdict"], row["ours"]) == ("holds", "It has .50.")
    sources = sources_of(tmp_path, values_of(knn=0.2, pop=0.25), edition="full")
    (row,) = own_statement(BEST, "fig01").judged(STUDY, "fig01", sources)
    assert row["verdict"] == "does not hold"


def test_no_statement_of_our_own_is_decided_by_code_whose_edits_would_leave_its_page_as_it_is() -> (
    None
):
    for study, artifact, statement in own_statements():
        assert "computed" not in statement.model_dump_json(exclude_defaults=True), (study, artifact)


def test_a_statement_that_is_not_as_described_is_refused_with_its_figure() -> None:
    with pytest.raises(
        ValueError, match=r"The statement that fig01 of systems shows cannot be used:\n  checks"
    ):
        own_statement({"statement": "kNN is best."}, "fig01 of systems")


@pytest.mark.costly
def test_every_statement_of_our_own_is_decided_by_the_accepted_results() -> None:
    sources = ClaimSources.of_folder(ROOT / "results" / "full")
    for study, artifact, statement in own_statements():
        verdicts = {row["verdict"] for row in statement.judged(study, artifact, sources)}
        # Data that are not there decide nothing.
        assert verdicts - {"undecidable here"} == {"holds"}, f"{study}/{artifact}"
