"""What the accepted values of the study of the recommenders must show, on real datasets."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from studies.accepted_results import FULL, ROOT
from studies.prepared import display_of, problems_of

from receval.config.settings import load_settings
from receval.figures.style import figure_style
from receval.storage.files import read_results
from receval.studies.systems.fidelity import draw

ACCEPTED = FULL / "systems"

STRAIGHT = ("pop", "librec-avg", "librec-userknn", "librec-itemknn")
OPTIMA = ("optimal-observed-precision", "optimal-observed-antiprecision", "optimal-real")
NOT_ITERATIVE = {*STRAIGHT, *OPTIMA, "random", "librec-slim"}


def fidelity(study: str, dataset: str, metric: str, judgments: str = "test") -> pd.DataFrame:
    table = pd.read_csv(ACCEPTED / "fidelity.csv")
    return table[
        (table["study"] == study)
        & (table["dataset"] == dataset)
        & (table["metric"] == metric)
        & (table["judgments"] == judgments)
    ].set_index("system")


def agreement(study: str, dataset: str, metric: str, judgments: str = "test") -> pd.Series:
    table = pd.read_csv(ACCEPTED / "agreement.csv")
    keys = ["study", "dataset", "metric", "judgments"]
    return table.set_index(keys).loc[(study, dataset, metric, judgments)]


def librec(metric: str, dataset: str = "ml-1m", judgments: str = "test") -> pd.DataFrame:
    return fidelity("menamaldonado2021", dataset, metric, judgments)


def test_a_system_has_the_setting_that_its_search_chose() -> None:
    settings = load_settings(ROOT / "config", "full")
    accepted = pd.read_csv(ACCEPTED / "searches.csv")
    chosen = accepted[accepted["chosen"] == "yes"].groupby("system")["setting"].first()
    assert settings.searches is not None
    assert set(chosen.index) == set(settings.searches.systems)
    for system, setting in chosen.items():
        assert settings.systems[str(system)].parameters == json.loads(setting), system


@pytest.mark.parametrize("metric", ["P@10", "antiP@10"])
def test_straight_computations_equal_the_released_means_to_four_digits(metric: str) -> None:
    differences = librec(metric).loc[[*STRAIGHT, *OPTIMA], "relative_difference"].dropna()
    assert len(differences) >= len(STRAIGHT) + len(OPTIMA) - 1
    assert differences.abs().max() < 5e-5


def test_slim_with_misread_profiles_is_within_half_a_per_cent() -> None:
    assert abs(librec("P@10").loc["librec-slim", "relative_difference"]) < 0.005
    assert abs(librec("P@10", "cm100k").loc["librec-slim", "relative_difference"]) < 1e-5


def test_of_the_iterative_systems_seven_are_within_five_per_cent() -> None:
    table = librec("P@10")
    iterative = table[~table.index.isin(NOT_ITERATIVE)]["relative_difference"].abs()
    assert len(iterative) == 10
    assert (iterative <= 0.05).sum() >= 7
    # BPoissMF never trains: its value is one draw of a random order.
    assert (iterative.drop("librec-bpoissmf") <= 0.15).all()


@pytest.mark.parametrize(("metric", "least"), [("P@10", 0.95), ("antiP@10", 0.90)])
def test_the_order_of_the_16_systems_on_movielens_is_the_released_one(
    metric: str, least: float
) -> None:
    row = agreement("menamaldonado2021", "ml-1m", metric)
    assert row["systems"] == 16
    assert row["tau"] >= least


@pytest.mark.parametrize("judgments", ["test", "unbiased"])
def test_the_order_of_the_16_systems_on_cm100k_is_the_released_one(judgments: str) -> None:
    row = agreement("menamaldonado2021", "cm100k", "P@10", judgments)
    assert row["systems"] == 16
    assert row["tau"] >= 0.85
    table = librec("P@10", "cm100k", judgments)
    assert table.loc[list(STRAIGHT), "relative_difference"].abs().max() < 0.01


@pytest.mark.parametrize("metric", ["AP(depth=100)", "P@100"])
def test_the_order_of_the_21_systems_is_the_published_one_on_unseen_metrics(metric: str) -> None:
    row = agreement("valcarce2018", "ml-1m", metric)
    assert row["systems"] == 21
    assert row["searched"] != "yes"
    assert row["tau"] >= 0.93


def test_the_median_difference_of_average_precision_is_at_most_five_per_cent() -> None:
    assert agreement("valcarce2018", "ml-1m", "AP(depth=100)")["median_difference"] <= 0.05


@pytest.mark.parametrize("metric", ["P@10", "P@100", "AP(depth=100)"])
def test_the_oddities_of_the_21_systems_appear(metric: str) -> None:
    table = fidelity("valcarce2018", "ml-1m", metric)
    ours = table["ours"]
    assert ours["rsv"] == pytest.approx(ours["rw"], rel=1e-4)
    assert ours["uir"] == pytest.approx(ours["pop"], rel=0.02)
    assert ours["rm1"] < ours["pop"]
    for system in ("ht", "svd", "nncosngbr-ub", "nncosngbr-ib"):
        assert ours[system] < 0.6 * ours["pop"]
    lowest = set(ours.nsmallest(5).index)
    assert lowest == {"random", "ht", "svd", "nncosngbr-ub", "nncosngbr-ib"}


def test_the_drawing_of_all_panels_has_no_overlaps_and_shares_the_rows_of_a_study() -> None:
    with figure_style():
        results = read_results(ACCEPTED / "fidelity.csv")
        figure = draw(results, display_of("systems", "fidelity", edition="full"))
        assert problems_of(figure) == []
        rows = [[label.get_text() for label in axes.get_yticklabels()] for axes in figure.axes]
    assert [len(labels) for labels in rows] == [21, 19, 19, 19]
    assert rows[2] == rows[3] == [""] * 19
    assert (rows[0][0], rows[0][-1]) == ("SLIM", "Random")
