# SPDX-License-Identifier: MIT
"""Figures 6, 8 and 9 of bellogin2017 and the relations of figure 8, on a few ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.prepared import (
    display_of,
    drawn_alone,
    family_of,
    generated_ratings,
    inputs_of,
    saved,
    write_experiment,
)

from receval.protocols.protocol import Protocol
from receval.splits.split import TEST, TRAIN, Split
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.bellogin2017 import configuration_bars, popularity

STUDY = "bellogin2017"
SYSTEMS = ("plsa", "mf", "knn-centred", "pop", "random")
EXTRA = ("knn-user", "wrmf")
ONE = Protocol("1R", "TI", 9, 4.0)
DESIGNS = (
    ONE,
    Protocol("1R", "TI", 9, 4.0, percentiles=2),
    Protocol("1R", "TI", 9, 4.0, head_removed=0.1),
    Protocol("AR", "TI", 17, 4.0),
)
UNIFORM = (ONE, Protocol("AR", "TI"), Protocol("AR", "AI"))
METADATA = {"target_items": 12, "eta": 4.5}


# --- figure 6 ---------------------------------------------------------------------------------


def test_segments_count_ratings_and_test_ratings_by_popularity(tmp_path: Path) -> None:
    ratings = generated_ratings()
    rng = np.random.default_rng(2)
    splits = {"coins": {}, "uniform": METADATA}
    codes = [rng.choice([TRAIN, TEST], len(ratings)).astype(np.uint8) for _ in range(2)]
    for name, metadata in splits.items():
        (tmp_path / "ml-1m" / name).mkdir(parents=True)
        Split(tuple(codes), metadata).write(tmp_path / "ml-1m" / name / "split.npz")
    inputs = inputs_of(
        tmp_path,
        {"ml-1m": ratings},
        splits=[("ml-1m", name) for name in splits],
        percentiles=5,
        segments_per_percentile=1,
    )
    results = popularity.data_fig06(inputs)
    counts = np.bincount(ratings.items, minlength=25)
    order = np.argsort(-counts, kind="stable").reshape(5, 5)
    tests = sum(np.bincount(ratings.items[c == TEST], minlength=25) for c in codes) / 2
    for split, rows in results.groupby("split"):
        np.testing.assert_allclose(rows["mean_ratings"], counts[order].mean(axis=1))
        np.testing.assert_allclose(rows["mean_test_ratings"], tests[order].mean(axis=1))
        assert rows["last_rank"].tolist() == [5, 10, 15, 20, 25]
        expected = ["1", "2", "3", "4", "5"] if split == "coins" else [""] * 5
        assert rows["percentile"].tolist() == expected
    figure = drawn_alone(
        family_of(STUDY, "fig06"), saved(results, tmp_path), display_of(STUDY, "fig06")
    )
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == [
        "(a) ML-1M twin, coin flips, 5 popularity percentiles",
        "(b) Uniform test, $|T|$ = 12, $\\eta$ = 4.5",
    ]


# --- figure 8 ---------------------------------------------------------------------------------


def inputs_of_figure_8(folder: Path) -> ArtifactInputs:
    def experiment(dataset: str, protocols: tuple[Protocol, ...], uniform: bool) -> dict:
        return write_experiment(
            folder,
            dataset,
            SYSTEMS,
            protocols,
            extra_systems=EXTRA,
            folds=1 if dataset == "lastfm-1k" and not uniform else 3,
            split_name="uniform" if uniform else "coins",
            metadata=METADATA if uniform else None,
        )

    experiments = {
        "movielens-designs": experiment("ml-1m", DESIGNS, False),
        "movielens-uniform": experiment("ml-1m", UNIFORM, True),
        "lastfm-designs": experiment("lastfm-1k", (ONE,), False),
        "lastfm-uniform": experiment("lastfm-1k", (ONE,), True),
    }
    return inputs_of(folder, experiments=experiments, **display_of(STUDY, "fig08").parameters)


@pytest.mark.each(
    ("protocol", "uniform", "design"),
    [
        (DESIGNS[0], False, "1R"),
        (DESIGNS[1], False, "P1R"),
        (DESIGNS[2], False, "-10% head"),
        (DESIGNS[3], False, "AR"),
        (Protocol("AR", "TI"), False, "AR TI-AN"),
        (Protocol("AR", "TI", head_removed=0.1), False, "AR TI-AN -10% head"),
        (UNIFORM[0], True, "U1R"),
        (UNIFORM[1], True, "UAR"),
        (UNIFORM[2], True, "AI-UAR"),
    ],
)
def test_designs_have_the_names_of_the_paper(
    protocol: Protocol, uniform: bool, design: str
) -> None:
    assert configuration_bars.design_of(protocol.name, uniform) == design


@pytest.mark.each(
    ("protocol", "uniform"),
    [
        (Protocol("1R", "TI", 9, 4.0, head_removed=0.2), False),
        (Protocol("1R", "TI", 9, 4.0, head_removed=0.1), True),
        (Protocol("1R", "TI", 9, 4.0, percentiles=2), True),
        (Protocol("1R", "AI", 9, 4.0), True),
    ],
)
def test_a_protocol_that_is_no_design_of_the_figure_is_refused(
    protocol: Protocol, uniform: bool
) -> None:
    with pytest.raises(ValueError, match="is no design of figure 8"):
        configuration_bars.design_of(protocol.name, uniform)


@pytest.fixture(scope="module")
def of_figure_8(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The numbers of both datasets."""
    return configuration_bars.data_fig08(inputs_of_figure_8(tmp_path_factory.mktemp("fig08")))


@pytest.mark.costly
def test_figure_8_has_every_design_and_the_facts_of_uniform_tests(
    of_figure_8: pd.DataFrame,
) -> None:
    results = of_figure_8
    designs = results.groupby("dataset")["design"].agg(set)
    assert designs["ml-1m"] == {*configuration_bars.ONE_RELEVANT, *configuration_bars.ALL_RELEVANT}
    assert designs["lastfm-1k"] == {"1R", "U1R"}
    uniform = results["design"].isin(["U1R", "UAR", "AI-UAR"])
    assert set(results.loc[uniform, "eta"]) == {4.5}
    assert set(results.loc[uniform, "target_items"]) == {12}
    assert results.loc[~uniform, ["eta", "target_items"]].isna().all(axis=None)
    assert not results.duplicated(["dataset", "design", "system", "metric", "fold"]).any()


@pytest.mark.costly
@pytest.mark.parametrize("lastfm", [True, False])
def test_figure_8_shows_1r_and_ar_designs_apart(
    tmp_path: Path, of_figure_8: pd.DataFrame, lastfm: bool
) -> None:
    absent = () if lastfm else ("lastfm-1k",)
    there = of_figure_8[~of_figure_8["dataset"].isin(absent)]
    results = saved(there, tmp_path)
    figure = drawn_alone(family_of(STUDY, "fig08"), results, display_of(STUDY, "fig08", absent))
    groups = [[text.get_text() for text in axes.get_xticklabels()] for axes in figure.axes]
    # Every design says how many candidates it ranks, the AR designs, too.
    nine = "\n$|N_u|$ = 9"
    one = [design + nine for design in ("1R", "\N{MINUS SIGN}10 % head", "U1R", "P1R")]
    of_lastfm = [[f"1R{nine}", f"U1R{nine}"]] if lastfm else []
    row = [one, *of_lastfm, ["AR\n$|N_u|$ = 17", "UAR\nall of TI", "AI-UAR\nall of AI"]]
    assert groups == [*([""] * len(group) for group in row), *row]
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    if lastfm:
        assert titles[:3] == [
            "(a) ML-1M twin, 1R: P@10",
            "(b) Last.fm twin,\n1R: P@10",
            "(c) ML-1M twin, AR: P@10",
        ]
    else:
        assert titles[:2] == ["(a) ML-1M twin, 1R: P@10", "(b) ML-1M twin, AR: P@10"]


# --- figure 9 ---------------------------------------------------------------------------------


@pytest.mark.costly
def test_figure_9_has_all_forms_and_bpref_in_ar_alone(tmp_path: Path) -> None:
    experiments = {
        name: write_experiment(
            tmp_path, dataset, SYSTEMS, protocols, folds=folds, extra_systems=EXTRA
        )
        for name, dataset, protocols, folds in (
            ("movielens", "ml-1m", (Protocol("AR", "TI"), Protocol("AR", "AI"), ONE), 3),
            ("lastfm", "lastfm-1k", (Protocol("AR", "TI", 25, 4.0), ONE), 1),
        )
    }
    display = display_of(STUDY, "fig09")
    inputs = inputs_of(tmp_path, experiments=experiments, **display.parameters)
    results = configuration_bars.data(inputs)
    by_protocol = results.groupby("protocol")["metric"].agg(set)
    assert "bpref" in by_protocol["AR TI-AN"]
    assert "bpref(form=bellogin)" in by_protocol["AR TI-AN"]
    assert not any(metric.startswith("bpref") for metric in by_protocol["1R TI-NN"])
    assert "infAP(form=bellogin)" in by_protocol["1R TI-NN"]
    figure = drawn_alone(configuration_bars, saved(results, tmp_path), display)
    # 1R has a panel and an axis of its own; metrics that it lacks share a row of the others.
    titles = [" ".join(axes.get_title(loc="left").split()) for axes in figure.axes]
    parts = [title.split(" ", 1)[1].split(": ") for title in titles]
    both = [f"{data}, {kind}" for data in ("ML-1M twin", "Last.fm twin") for kind in ("AR", "1R")]
    ar_alone = ["ML-1M twin, AR", "Last.fm twin, AR"] * 2
    assert [data for data, _ in parts] == ar_alone + both * 2
    named = [" ".join(display.parameters["titles"][place].split()) for place in (0, 2, 1, 3)]
    assert list(dict.fromkeys(metric for _, metric in parts)) == named
    labels = [axes.get_ylabel() for axes in figure.axes if axes.get_ylabel()]
    assert labels == [display.parameters["titles"][place] for place in (0, 2, 1, 3)]
    assert [len(axes.patches) for axes in figure.axes] == [14, 7] * 2 + [14, 7, 7, 7] * 2
    alone = results[results["dataset"] == "ml-1m"]
    assert len(drawn_alone(configuration_bars, alone, display).axes) == 6
