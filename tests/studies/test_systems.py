# SPDX-License-Identifier: MIT
"""Published values beside our own, on a few ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.prepared import display_of, drawn_alone, inputs_of, saved, write_experiment

from receval.figures.tables import to_latex, to_markdown
from receval.protocols.protocol import Protocol
from receval.storage.files import write_results
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import published_and_ours
from reproduction.studies.systems import fidelity, searches

STUDY = "systems"
SYSTEMS = ("pop", "random", "librec-avg", "optimal-real")
METRICS = ("P@10", "antiP@10")


@pytest.fixture
def inputs(tmp_path: Path) -> ArtifactInputs:
    experiment = write_experiment(
        tmp_path,
        "ml-1m",
        SYSTEMS,
        [Protocol("AR", "train", ties="librec")],
        evaluated_users="tested",
    )
    experiment["split"] = "coin-flip"
    lines = ["study,dataset,split,judgments,system,metric,published"]
    for position, system in enumerate(SYSTEMS):
        for metric in METRICS:
            lines.append(f"menamaldonado2021,ml-1m,coin-flip,test,{system},{metric},0.{position}")
    lines.append("menamaldonado2021,ml-1m,elsewhere,test,pop,P@10,0.3")
    lines.append("menamaldonado2021,ml-1m,coin-flip,test,pop,Recall@10,0.3")
    table = tmp_path / "published.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return inputs_of(
        tmp_path,
        experiments={"librec": experiment},
        published=table,
        metrics=METRICS,
        searched_study="menamaldonado2021",
        searched_metrics=("P@10",),
    )


def test_every_published_value_of_the_experiments_has_ours_beside_it(
    inputs: ArtifactInputs,
) -> None:
    table = published_and_ours(inputs)
    assert list(zip(table["system"], table["metric"], strict=True)) == [
        (system, metric) for system in SYSTEMS for metric in METRICS
    ]
    assert (table["searched"] == "yes").tolist() == [True, False] * 4
    experiment = inputs.experiments["librec"]
    (protocol,) = experiment.protocols
    for row in table.to_dict("records"):
        folds = []
        for number in experiment.folds:
            view = experiment.lists(row["system"], protocol, number).full
            wanted = view.relevant if row["metric"] == "P@10" else ~view.relevant
            hits = (view.ranks > 0) & (view.ranks <= 10) & wanted
            tested = np.count_nonzero(view.n_judged)
            folds.append(hits.sum() / 10 / tested)
        assert row["ours"] == pytest.approx(np.mean(folds))
        if row["published"] == 0:
            assert np.isnan(row["relative_difference"])
        else:
            expected = row["ours"] / row["published"] - 1
            assert row["relative_difference"] == pytest.approx(expected)


def test_a_published_value_without_a_system_of_that_name_is_refused(inputs: ArtifactInputs) -> None:
    assert inputs.published is not None
    with inputs.published.open("a", encoding="utf-8") as file:
        file.write("menamaldonado2021,ml-1m,coin-flip,test,plsa,P@10,0.3\n")
    with pytest.raises(ValueError, match="has a value of plsa on ml-1m"):
        published_and_ours(inputs)


def test_agreement_leaves_out_the_optimal_rankings_and_has_tau_of_the_others(
    inputs: ArtifactInputs, tmp_path: Path
) -> None:
    results = fidelity.data_agreement(inputs)
    table = published_and_ours(inputs)
    assert results["systems"].tolist() == [3, 3]
    assert results["searched"].tolist() == ["yes", ""]
    for row in results.to_dict("records"):
        own = table[(table["metric"] == row["metric"]) & (table["system"] != "optimal-real")]
        published, ours = own["published"].to_numpy(), own["ours"].to_numpy()
        pairs = [(0, 1), (0, 2), (1, 2)]
        signs = [np.sign((published[a] - published[b]) * (ours[a] - ours[b])) for a, b in pairs]
        assert row["tau"] == pytest.approx(np.mean(signs))
    display = display_of(STUDY, "agreement", edition="full")
    printed = fidelity.tabulate_agreement(saved(results, tmp_path), display)
    assert to_markdown(printed).count("\n| ") == 2 + 2
    assert "Median (%)" in [column.header for column in printed.columns]
    assert r"\%" in to_latex(printed)


def test_the_drawing_of_fidelity_has_a_row_a_system(inputs: ArtifactInputs, tmp_path: Path) -> None:
    display = display_of(STUDY, "fidelity", edition="full")
    figure = drawn_alone(fidelity, saved(fidelity.data(inputs), tmp_path), display)
    (axes,) = figure.axes
    assert len(axes.get_yticks()) == len(SYSTEMS)


def test_the_table_of_searches_prints_the_chosen_setting(tmp_path: Path) -> None:
    trace = pd.DataFrame(
        {
            "system": "slim",
            "setting": ['{"l1": 1.0}'] * 2 + ["{}"] * 2,
            "metric": ["P@10", "nDCG(depth=100)"] * 2,
            "published": [0.3, 0.4] * 2,
            "ours": [0.29, 0.41, 0.1, 0.2],
            "distance": [0.03, 0.03, 0.6, 0.6],
            "chosen": ["yes", "yes", "", ""],
        }
    )
    path = tmp_path / "slim" / "search.csv"
    write_results(trace, path)
    results = searches.data(inputs_of(tmp_path, searches={"slim": path}))
    assert len(results) == 4
    text = to_markdown(searches.tabulate(results, display_of(STUDY, "searches", edition="full")))
    assert "| SLIM " in text
    assert "l1 = 1 " in text
    assert "      .2900 |" in text
    assert ".3000 |" in text
    assert "3.00 |" in text
