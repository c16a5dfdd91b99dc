# SPDX-License-Identifier: MIT
"""That every claim of valcarce2018 and valcarce2020 is judged, and how the trickier ones are."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from claims.made_up import MadeUpResults, claims_of_paper

from receval.storage.files import read_results
from reproduction.claims.sources import ClaimContext, NotMeasuredError, SelectedCells
from reproduction.claims.theorems import epsilon_of_inferred_precision, p_values_changed_by_averages
from reproduction.claims.verdicts import Finding, half_unit

ROOT = Path(__file__).parents[2]
PAPERS = ("valcarce2018", "valcarce2020")
SEVEN = ("P", "Recall", "MAP", "nDCG", "MRR", "bpref", "infAP")
NINE = (*SEVEN, "F1", "ERR")
THREE = ("ml-1m", "librarything", "beeradvocate")


@pytest.mark.repository
@pytest.mark.parametrize(("edition", "decided"), [("full", 139), ("demo", 220)])
def test_accepted_results_decide_most_claims(edition: str, decided: int) -> None:
    # It is what is judged of them: test_ledger.py, and drift in each run of the demo.
    ledger = read_results(ROOT / "results" / edition / "claims.csv")
    known = ledger[ledger["paper"].isin(PAPERS) & (ledger["verdict"] != "undecidable here")]
    assert known["claim"].nunique() >= decided


class Made:
    """Results of both papers that were made up for a claim."""

    def __init__(self, folder: Path, *datasets: str) -> None:
        self.results = {paper: MadeUpResults(folder, paper, datasets) for paper in PAPERS}

    def table(self, name: str, rows: list[dict[str, object]]) -> None:
        paper, _, artifact = name.partition("/")
        self.results[paper].write(artifact, rows)

    def verdict(
        self, number: str, dataset: str | None = "ml-1m", *, other_form: bool = False
    ) -> Finding:
        paper = f"valcarce20{number[1:3]}"
        checks = claims_of_paper(paper).claims[number].checks
        (form,) = (c.form for c in checks if c.dataset == dataset and bool(c.form) is other_form)
        return self.results[paper].judged(number, dataset, form)

    def stability(self, name: str, means: dict[str, float], dataset: str = "ml-1m") -> None:
        """Write a curve a metric: 1 with everything, and two levels around the given mean."""
        levels = {100: None, 95: 0.05, 50: 0.0, 5: -0.05}
        self.table(
            name,
            [
                {
                    "dataset": dataset,
                    "metric": metric,
                    "kept_percent": level,
                    "tau": 1.0 if by is None else mean + by,
                }
                for metric, mean in means.items()
                for level, by in levels.items()
            ],
        )

    def power(self, name: str, dp: dict[str, dict[str, float]]) -> None:
        self.table(
            name,
            [
                {"dataset": dataset, "metric": metric, "dp_ordered": value}
                for dataset, values in dp.items()
                for metric, value in values.items()
            ],
        )

    def agreement(self, name: str, metrics: tuple[str, ...], taus: dict[str, float]) -> None:
        """Write both halves and the diagonal; a tau is that of the first named metric it has."""

        def tau(pair: tuple[str, str]) -> float:
            one, other = pair
            if one == other:
                return 1.0
            return next((taus[key] for key in taus if set(key.split()) <= {one, other}), 0.95)

        self.table(
            name,
            [
                {
                    "dataset": "ml-1m",
                    "average": "geometric",
                    "metric_a": pair[0],
                    "metric_b": pair[1],
                    "tau": tau(pair),
                }
                for pair in product(metrics, metrics)
            ],
        )


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path, "ml-1m")


@pytest.mark.parametrize(
    ("tau", "verdict"), [(0.95, "holds"), (0.897, "holds"), (0.895, "does not hold")]
)
def test_a_coefficient_is_ours_if_another_split_could_have_made_it(
    made: Made, tau: float, verdict: str
) -> None:
    row = {"dataset": "ml-1m", "metric_a": "nDCG@5", "metric_b": "nDCG@10", "tau": tau}
    made.table("valcarce2018/fig01", [row])
    assert made.verdict("V18-020").verdict == verdict


def test_the_diagonal_does_not_speak_for_agreement(made: Made) -> None:
    made.agreement("valcarce2018/fig05", SEVEN, {"MRR": 0.79})
    assert made.verdict("V18-148").verdict == "holds"
    assert made.verdict("V18-149").verdict == "holds"
    made.agreement("valcarce2018/fig05", SEVEN, {"MRR": 0.85, "bpref": 0.82})
    assert made.verdict("V18-148").verdict == "does not hold"
    finding = made.verdict("V18-149")
    assert finding.verdict == "holds in part"
    assert finding.detail == "Not shown: bpref before MRR (1 of 6)."


def test_the_level_with_all_judgments_does_not_count_as_robust(made: Made) -> None:
    means = {"P": 0.9, "nDCG": 0.85, "Recall": 0.8, "MAP": 0.8, "infAP": 0.7, "MRR": 0.7}
    made.stability("valcarce2018/fig06", {**means, "bpref": 0.6})
    assert made.verdict("V18-153").verdict == "holds"
    assert made.verdict("V18-154").verdict == "holds"
    made.stability("valcarce2018/fig06", {**means, "bpref": 0.75})
    finding = made.verdict("V18-154")
    assert finding.verdict == "holds in part"
    assert finding.detail == "Not shown: infAP before bpref and MRR before bpref (2 of 14)."


def test_a_drop_is_quick_only_against_random_ratings(tmp_path: Path) -> None:
    made = Made(tmp_path, "beeradvocate")
    made.stability("valcarce2018/fig06", dict.fromkeys(SEVEN, 0.9), "beeradvocate")
    # 5 % of the items: .05 more than the mean. The lowest level is negative.
    made.stability("valcarce2018/fig07", dict.fromkeys(SEVEN, 0.04), "beeradvocate")
    assert made.verdict("V18-157", "beeradvocate").verdict == "holds"
    made.stability("valcarce2018/fig07", dict.fromkeys(SEVEN, 0.06), "beeradvocate")
    assert made.verdict("V18-157", "beeradvocate").verdict == "holds in part"
    made.stability("valcarce2018/fig07", dict.fromkeys(SEVEN, 0.88), "beeradvocate")
    assert made.verdict("V18-157", "beeradvocate").verdict == "does not hold"


def test_what_varies_over_datasets_needs_all_three(tmp_path: Path) -> None:
    published = {
        "ml-1m": (2.6, 7.0, 2.8, 1.4, 15.5, 9.9, 8.4),
        "librarything": (1.5, 5.9, 3.6, 0.2, 2.9, 5.4, 3.8),
        "beeradvocate": (1.9, 8.3, 10.7, 4.4, 5.8, 12.7, 4.8),
    }
    power = {name: dict(zip(SEVEN, values, strict=True)) for name, values in published.items()}
    made = Made(tmp_path, *THREE)
    made.power("valcarce2018/table3", power)
    # Places of MAP: 3, 4, 6; of Recall: 4, 7, 5; of MRR: 7, 3, 4.
    assert made.verdict("V18-182", None).verdict == "holds"
    power["librarything"]["Recall"] = 5.0
    made.power("valcarce2018/table3", power)
    # Recall is now 4, 6, 5.
    finding = made.verdict("V18-182", None)
    assert (finding.verdict, finding.detail) == ("holds in part", "Not shown: Recall (1 of 3).")
    few = Made(tmp_path, "ml-1m")
    few.power("valcarce2018/table3", {"ml-1m": power["ml-1m"]})
    missing = few.verdict("V18-182", None)
    assert (missing.verdict, missing.detail) == ("undecidable here", "the dataset librarything")


def test_the_fifth_place_is_neither_the_fourth_nor_the_sixth(tmp_path: Path) -> None:
    made = Made(tmp_path, "beeradvocate")
    order = ["P", "F1", "ERR", "infAP", "nDCG", "MRR", "Recall", "MAP", "bpref"]
    for context, verdict in ((4, "holds"), (3, "does not hold"), (5, "does not hold")):
        others = [metric for metric in order if metric != "nDCG"]
        others.insert(context, "nDCG")
        made.power(
            "valcarce2020/table3", {"beeradvocate": {m: float(i) for i, m in enumerate(others)}}
        )
        assert made.verdict("V20-013", "beeradvocate").verdict == verdict


def test_other_folds_change_power_slightly_if_order_and_sums_stay(made: Made) -> None:
    sums = {metric: 2.0 + place for place, metric in enumerate(NINE)}
    made.power("valcarce2020/table3", {"ml-1m": sums})
    turned = {metric: 11 - value for metric, value in sums.items()}
    for other, factor, verdict in (
        (sums, 1.3, "holds"),
        (sums, 1.4, "holds in part"),
        (turned, 9.0, "does not hold"),
    ):
        made.power("valcarce2020/other_folds", {"ml-1m": other | {"P": factor * other["P"]}})
        assert made.verdict("V20-016").verdict == verdict


def test_precision_can_refute_a_share_of_rated_items_but_not_show_it(made: Made) -> None:
    row = {"dataset": "ml-1m", "metric": "P", "kept_percent": 100, "value": 0.0754}
    made.table("valcarce2020/fig04", [row])
    assert made.verdict("V20-030").verdict == "does not hold"
    made.table("valcarce2020/fig04", [{**row, "value": 0.04}])
    assert made.verdict("V20-030").verdict == "undecidable here"


def test_the_place_of_map_does_not_count_where_the_sentence_is_silent_on_it(made: Made) -> None:
    order = ["P", "F1", "nDCG", "infAP", "Recall", "MAP", "MRR", "ERR", "bpref"]
    means = {metric: 0.9 - place / 100 for place, metric in enumerate(order)}
    made.stability("valcarce2020/fig03", means)
    assert made.verdict("V20-025").verdict == "holds"
    assert made.verdict("V20-025", other_form=True).verdict == "holds in part"
    made.stability("valcarce2020/fig03", {**means, "Recall": 0.95})
    assert made.verdict("V20-025").verdict == "holds in part"


def test_what_is_sub_linear_in_one_direction_is_not_in_the_other(made: Made) -> None:
    lines = {"P": (0.08, 0.04, 0.004), "MAP": (0.2, 0.15, 0.02), "MRR": (0.6, 0.4, 0.1)}
    rows = [
        {"dataset": "ml-1m", "metric": metric, "kept_percent": level, "value": value}
        for metric, (first, half, last) in lines.items()
        for level, value in ((100, first), (95, first * 0.95), (50, half), (5, last))
    ]
    made.table("valcarce2020/fig04", rows)
    assert made.verdict("V20-029").verdict == "holds in part"
    assert made.verdict("V20-029", other_form=True).verdict == "holds"
    bent = [{**row, "value": 0.1} if row["value"] == 0.4 else row for row in rows]
    made.table("valcarce2020/fig04", bent)
    assert made.verdict("V20-029", other_form=True).verdict == "holds in part"


def test_a_scenario_counts_only_where_both_odd_metrics_are_the_last_two(made: Made) -> None:
    def scenarios(last: int) -> None:
        for number in range(10, 15):
            others = [metric for metric in NINE if metric not in ("F1", "MRR")]
            order = ["F1", *others, "MRR"] if number >= 10 + last else [*others, "F1", "MRR"]
            rows = [
                {
                    "dataset": "ml-1m",
                    "average": "geometric",
                    "metric": metric,
                    "kept_percent": level,
                    "tau": 0.9 - rank / 100,
                }
                for rank, metric in enumerate(order)
                for level in (100, 50)
            ]
            made.table(f"valcarce2020/fig{number}", rows)

    for last, verdict in ((5, "holds"), (3, "holds in part"), (0, "does not hold")):
        scenarios(last)
        assert made.verdict("V20-045").verdict == verdict


def test_odd_geometric_means_agree_with_each_other_alone(made: Made) -> None:
    odd = {"F1 MRR": 0.7, "F1": 0.4, "MRR": 0.5}
    made.agreement("valcarce2020/fig09", NINE, odd)
    assert made.verdict("V20-041").verdict == "holds"
    made.agreement("valcarce2020/fig09", NINE, {**odd, "F1 MRR": 0.45})
    assert made.verdict("V20-041").verdict == "holds in part"


def test_a_pair_is_taken_once_where_both_of_its_columns_tell_cells_apart(made: Made) -> None:
    made.agreement("valcarce2018/fig05", SEVEN, {})
    sources = made.results["valcarce2018"].sources
    context = ClaimContext("valcarce2018", "fig05", "ml-1m")
    pair = ("metric_a", "metric_b")
    pairs = SelectedCells(column="tau", pair=pair, each=pair).evaluate(sources, context)
    assert len(pairs.values) == 21
    assert ("P", "P") not in pairs.labels
    single = SelectedCells(column="tau", pair=pair, each=("metric_a",), take="count")
    assert single.evaluate(sources, context).values.tolist() == [6.0] * 7


def test_a_listed_dataset_that_is_not_there_leaves_cells_unmeasured(made: Made) -> None:
    made.power("valcarce2018/table3", {"ml-1m": {"P": 2.0}})
    cells = SelectedCells(column="dp_ordered", where={"dataset": THREE}, take="mean")
    with pytest.raises(NotMeasuredError, match="the dataset librarything"):
        cells.evaluate(made.results["valcarce2018"].sources, ClaimContext("valcarce2018", "table3"))


def test_definitions_are_those_of_the_papers() -> None:
    assert epsilon_of_inferred_precision() == pytest.approx(1e-5, rel=1e-9)
    assert p_values_changed_by_averages() == 0.0


@pytest.mark.parametrize("paper", PAPERS)
def test_tolerances_of_repeated_numbers_are_two_of_their_own_deviations(paper: str) -> None:
    certainty = pd.read_csv(ROOT / "results/full/certainty.csv", keep_default_na=False)
    repeated = certainty[(certainty["paper"] == paper) & (certainty["standard_deviation"] != "")]
    assert len(repeated)
    for row in repeated.itertuples():
        claim = claims_of_paper(paper).claims[str(row.claim)]
        checks = [c for c in claim.checks if (c.dataset, c.form) == (row.dataset, row.form)]
        rule = checks[0].decide
        assert rule.rule == "number"
        wide = 2 * float(row.standard_deviation) + half_unit(claim.expected)
        # Two significant digits, rounded up.
        digit = 10 ** (np.floor(np.log10(wide)) - 1)
        assert rule.within == pytest.approx(np.ceil(np.round(wide / digit, 6)) * digit), row.claim


def test_tolerances_of_other_sums_of_p_values_are_two_deviations_and_half_a_digit() -> None:
    claims = claims_of_paper("valcarce2018").claims
    for number in range(165, 179):
        (check,) = claims[f"V18-{number}"].checks
        rule = check.decide
        assert rule.rule == "number"
        expected = 2 * np.sqrt(rule.published / 3) + 0.05
        assert rule.within == pytest.approx(expected, abs=0.005)
