# SPDX-License-Identifier: MIT
"""Fairness to groups and users: classes of users, measures by released code, findings, figure."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from scipy.stats import f as f_distribution
from scipy.stats import f_oneway, kendalltau
from studies.prepared import (
    ROOT,
    display_of,
    drawn_alone,
    generated_ratings,
    inputs_of,
    ratings_of,
    saved,
)

from receval.data.features import read_features
from receval.figures.tables import to_markdown
from receval.storage.files import write_results
from reproduction.datasets.formats.movielens import features_of_users
from reproduction.datasets.raw import RawFile, RawFiles
from reproduction.datasets.reports import RawDataError
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.rampisela2025 import findings_by_split, measured_groups

STUDY = "rampisela2025"
FIXTURE = ROOT / "tests" / "statistics" / "fixtures" / "rampisela2025.json"
PEOPLE = """0::F::1::10::1
1::M::18::4::1
2::F::35::7::1
3::M::56::0::1
4::M::50::13::1
"""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> ArtifactInputs:
    """Return some hundred ratings, of users of any gender, age and occupation."""
    folder = tmp_path_factory.mktemp(STUDY)
    ratings = generated_ratings(n_users=80, n_items=60)
    (folder / "ml-1m").mkdir()
    users = folder / "ml-1m" / "users.dat"
    rows = [
        f"{user}::{'FM'[user % 2]}::{(18, 25, 56)[user % 3]}::{(4, 7)[user % 5 > 1]}::1\n"
        for user in range(ratings.n_users)
    ]
    users.write_text("".join(rows), encoding="utf-8")
    parser = "reproduction.datasets.formats.movielens:parse_dat"
    raw = RawFiles("ml-1m", "own", parser, (), (RawFile.of(users),))
    raw.write(folder / "ml-1m" / "raw.json")
    # Raw files of another dataset, which have no users.
    (folder / "bookcrossing").mkdir()
    RawFiles("bookcrossing", "own", parser, ()).write(folder / "bookcrossing" / "raw.json")
    return inputs_of(
        folder,
        {"ml-1m": ratings},
        user_features="users.dat",
        **{"lowest": 3, "core": 3, "draws": 2, "users": 30, "samples": 9},
    )


@pytest.fixture(scope="module")
def results(inputs: ArtifactInputs, tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    return saved(measured_groups.data(inputs), tmp_path_factory.mktemp("results"))


def test_users_have_the_classes_of_the_paper(tmp_path: Path) -> None:
    (tmp_path / "users.dat").write_text(PEOPLE, encoding="utf-8")
    features = read_features(tmp_path / "users.dat")
    classes = measured_groups.codes_of(features, np.array(["4", "2", "1", "0", "3", "unknown"]))
    # Retired at 50, working at 35 and a student at 18; then below 18, without occupation, unknown.
    assert classes["gender"].tolist() == [1, 0, 1, 0, 1, -1]
    assert classes["age"].tolist() == [2, 1, 0, -1, 2, -1]
    assert classes["occupation"].tolist() == [0, 1, 0, 0, -1, -1]

    rows = [(user, item, 2 + item) for user in range(5) for item in range(4)]
    kept, of_kept = measured_groups.ratings_with_classes(ratings_of(rows, 5, 4), features, 3, 3)
    # Users 1, 2 and 4 have three ratings from 3 each, of items 1 to 3.
    assert kept.user_ids.tolist() == ["1", "2", "4"]
    assert kept.item_ids.tolist() == ["1", "2", "3"]
    assert kept.values.tolist() == [1] * 9
    assert of_kept["age"].tolist() == [0, 1, 2]


def test_features_are_read_beside_the_ratings_or_in_their_archive(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "ml-1m.zip", "w") as archive:
        archive.writestr("ml-1m/users.dat", PEOPLE)
    (tmp_path / "users.dat").write_text(PEOPLE, encoding="utf-8")
    for name in ("ml-1m.zip", "users.dat"):
        found = features_of_users([tmp_path / name], "users.dat")
        assert found.values["gender"] == ("F", "M")
        assert len(found.ids) == 5
    with pytest.raises(RawDataError, match=r"users\.dat with the features"):
        features_of_users([tmp_path / "ratings.dat"], "users.dat")


@pytest.mark.parametrize("case", ["plain", "a group without a hit"])
def test_measures_between_groups_are_those_of_the_released_code(case: str) -> None:
    content = json.loads(FIXTURE.read_text(encoding="utf-8"))["cases"][case]
    people, released = pd.DataFrame(content["people"]), content["values"]
    for label, features in {"age": ["age"], "gender-age": ["gender", "age"]}.items():
        values = people.groupby(features)["P"]
        inside = people["P"] - values.transform("mean")
        found = measured_groups.group_measures(
            values.mean().to_numpy(),
            values.size().to_numpy(dtype=np.float64),
            float(np.sqrt((inside**2).mean())),
        )
        for ours, theirs in {name: name for name in found}.items() | {("F", "FStat")}:
            if f"{theirs}-{label}-P" in released:
                assert found[ours] == pytest.approx(released[f"{theirs}-{label}-P"], rel=1e-9)
        assert found["MAD"] == pytest.approx(released[f"MAD-{label}-P"])


def test_kl_of_equal_groups_is_above_some_of_the_paper_and_gce_sees_an_empty_group_alone(
    tmp_path: Path,
) -> None:
    sizes = [44, 37, 41, 279, 8, 48, 21, 8, 26, 91, 2, 15]
    table = measured_groups.data_cases(inputs_of(tmp_path, sizes=sizes, mean=0.082, spread=0.141))
    cells = table.set_index("metric")
    assert cells.loc["KL", "equal"] == pytest.approx(1.0042, abs=1e-4)
    assert cells.loc["KL", "proportional"] == 0
    # Table 7 of the appendix has 659.834 and 659.704 for the two runs with an empty group.
    assert cells.loc["GCE", "small_empty"] == pytest.approx(659.68, abs=0.01)
    assert cells.loc["GCE", "large_empty"] == pytest.approx(cells.loc["GCE", "small_empty"])
    text = to_markdown(
        measured_groups.tabulate_cases(
            saved(table, tmp_path), display_of(STUDY, "measures_of_cases")
        )
    )
    assert "| GCE" in text


def test_f_of_measured_groups_is_that_of_scipy() -> None:
    rng = np.random.default_rng(4)
    values, groups = rng.random(40), np.repeat([0, 1, 2], [5, 15, 20])
    expected = f_oneway(*(values[groups == group] for group in range(3))).statistic
    assert measured_groups.f_statistic(values, groups) == pytest.approx(expected)


@pytest.mark.costly
def test_all_samples_groupings_and_runs_are_measured(results: pd.DataFrame) -> None:
    assert len(results) == 2 * 2 * len(measured_groups.GROUPINGS) * 8
    own = results[results["users"] == "sample"]
    assert (own["tested"] == 30).all()
    assert (results["gini_over_users"] >= results["gini_between"]).all()
    assert (results["groups"] <= 12).all()
    text = to_markdown(measured_groups.tabulate(results, display_of(STUDY, "measured_groups")))
    assert "gender and age" in text


@pytest.mark.costly
def test_findings_sum_up_each_draw(results: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "measured_groups.csv"
    write_results(results, path)
    read = inputs_of(tmp_path, results={"measured_groups": path})
    table = findings_by_split.data(read)
    assert table["draw"].tolist() == [0, 1, 0, 1]
    own = results[(results["users"] == "all") & (results["draw"] == 0)]
    genders = own[own["grouping"] == "gender"]
    assert table["gini_gender"][0] == pytest.approx(genders["gini_between"].mean())
    assert table["beyond_gender"][0] == (genders["p"] < 0.05).mean()
    twelve = own[own["grouping"] == "all three"]
    groups, tested = twelve["groups"].iloc[0], table["tested"][0]
    assert table["f_limit"][0] == pytest.approx(
        f_distribution.ppf(0.95, groups - 1, tested - groups)
    )
    assert table["f_most"][0] == twelve["f"].max()
    assert table["f_beyond"][0] == (twelve["f"] > table["f_limit"][0]).mean()
    ones = own[own["grouping"].isin(["gender", "age", "occupation"])]
    assert table["sd_one"][0] == pytest.approx(ones["sd_between"].mean())
    assert (table["residual"] < 1e-9).all()
    whole = own[own["grouping"] == "all three"]
    assert table["same_gini"][0] == (
        whole["gini_between"].argmin() == whole["gini_over_users"].argmin()
    )
    lowest = [
        min(
            np.nan_to_num(kendalltau(rows[f"{m}_between"], rows[f"{m}_over_users"]).statistic)
            for _, rows in own.groupby("grouping")
        )
        for m in ("sd", "gini", "atkinson")
    ]
    assert table["lowest_tau"][0] == pytest.approx(max(lowest))
    text = to_markdown(findings_by_split.tabulate(table, display_of(STUDY, "findings_by_split")))
    assert "residual" not in text

    averages = measured_groups.data(read)
    cells = averages.set_index(["users", "grouping", "metric", "part"])["mean"]
    assert cells["all", "gender", "Gini", "between"] == pytest.approx(
        results[(results["users"] == "all") & (results["grouping"] == "gender")][
            "gini_between"
        ].mean()
    )
    display = display_of(STUDY, "between_and_within")
    figure = drawn_alone(measured_groups, saved(averages, tmp_path), display)
    assert len(figure.axes) == 6
