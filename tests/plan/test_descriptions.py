# SPDX-License-Identifier: MIT
"""What a plan tells jobs, and what their results depend on."""

from __future__ import annotations

import json

import pytest
from plan.planned import ROOT, demo, plan_of, put_raw_files

from receval.figures.display import absence_of
from reproduction.workflow.provenance.versions import provenance_record

# --- what a result depends on -----------------------------------------------------------------


@pytest.mark.costly
@pytest.mark.parametrize("edition", ["demo", "full"])
def test_descriptions_are_plain_values_without_absolute_paths(edition: str) -> None:
    put_raw_files("ml-1m", "cm100k")
    plan = plan_of(edition)
    described = [plan.studies.description(study) for study in plan.settings.studies]
    for name in plan.studies.artifact_names():
        study, artifact = name.split("/")
        described += [
            plan.descriptions.results(study, artifact),
            plan.descriptions.display(study, artifact),
        ]
    assert json.loads(json.dumps(described, allow_nan=False)) == described
    # Captions are those that are printed, with the edition's numbers.
    assert not any("{" in own["caption"] for own in described if "caption" in own)
    # A record with an absolute path is refused.
    provenance_record({"described": described}, {}, [], {})


@pytest.mark.costly
def test_a_description_has_what_results_depend_on_and_no_display_style() -> None:
    before = demo().descriptions.results("bellogin2017", "fig02")
    styles = {
        "systems": {"pop": {"title": "Popularity", "family": "optimum"}},
        "studies": {"bellogin2017": {"artifacts": {"fig02": {"caption": "Bars."}}}},
        "datasets": {"ml-1m": {"short_title": "MovieLens"}},
    }
    assert plan_of("demo", styles).descriptions.results("bellogin2017", "fig02") == before
    for change in (
        {"artifacts": {"fig02": {"parameters": {"metrics": ["P@5"]}}}},
        {"experiments": {"movielens": {"evaluated_users": "tested"}}},
        {"experiments": {"movielens": {"relevance_threshold": 4}}},
        {"experiments": {"lastfm": {"systems": ["pop"], "extra_systems": []}}},
    ):
        changed = plan_of("demo", {"studies": {"bellogin2017": change}})
        assert changed.descriptions.results("bellogin2017", "fig02") != before


def test_an_artifact_that_reads_models_is_told_their_classes_and_depends_on_their_code() -> None:
    plan = demo()
    reads, not_read = ("systems", "implementations"), ("bellogin2017", "fig02")
    (models,) = (plan.artifacts.inputs(*name)["models"] for name in (reads,))
    ranks = plan.artifacts.inputs(*reads)["ranks"]
    assert models == [file.replace("ranks.npz", "models") for file in ranks]
    assert len(set(models)) > 20
    recommenders = plan.descriptions.results(*reads)["recommenders"]
    assert set(recommenders) == {file.split("/")[-2] for file in ranks}
    assert recommenders["sklearn-svd"] == "receval.recommenders.sklearn_systems:SklearnSVD"
    assert set(recommenders.values()) <= set(plan.artifacts.results_entries(*reads))
    assert plan.artifacts.inputs(*not_read)["models"] == []
    assert plan.descriptions.results(*not_read)["recommenders"] == {}
    entries = plan.artifacts.results_entries(*not_read)
    assert not [entry for entry in entries if entry.startswith("receval.recommenders")]


def test_the_study_s_description_has_the_seed_and_the_systems_it_uses() -> None:
    description = plan_of("demo", {"seed": 7}).studies.description("bellogin2017")
    assert description["seed"] == 7
    splits = {"coin-flip-80", "uniform-test", "user-temporal-80", "uniform-test-positive"}
    assert set(description["splits"]) == splits
    assert "puresvd" not in description["systems"]
    keys = {"recommender", "parameters", "learns_from", "order"}
    assert set(description["systems"]["pop"]) == keys


def test_code_entries_are_what_the_configuration_names() -> None:
    plan = demo()
    assert plan.code.recommender_entry("plsa") == "receval.recommenders.plsa:PLSA"
    assert plan.code.splitter_entry("user-80") == "receval.splits.random_splits:split_by_user_ratio"
    assert plan.datasets.writer_entry("cm100k") == "reproduction.simulation.writers.cm100k"
    assert plan.datasets.parser_entries("ml-1m") == ["reproduction.datasets.formats.movielens"]


@pytest.mark.costly
def test_code_of_a_job_tells_recommenders_apart() -> None:
    code = demo().code
    classes = {code.recommender_entry(name) for name in demo().settings.systems}
    digests = {code.of_job("systems:train_system", entry) for entry in classes}
    assert len(digests) == len(classes) > 20
    assert code.of_job("systems:rank_system") != code.of_job("systems:train_system")


@pytest.mark.parametrize(
    ("study", "artifact", "parameters", "modules"),
    [
        ("bellogin2017", "fig02", {}, ["precision_and_recall"]),
        ("valcarce2018", "table2", {}, []),
        (
            "bellogin2017",
            "fig02",
            {"metrics": ["nDCG(gain=binary)@10", "P@10", "Recall@5"]},
            ["ndcg", "precision_and_recall"],
        ),
    ],
)
def test_an_artifact_depends_on_the_code_of_the_metrics_that_it_names(
    study: str, artifact: str, parameters: dict[str, object], modules: list[str]
) -> None:
    change = {"studies": {study: {"artifacts": {artifact: {"parameters": parameters}}}}}
    entries = plan_of("demo", change).artifacts.metric_entries(study, artifact)
    assert entries == [f"receval.metrics.{module}" for module in modules]


# --- the display style -----------------------------------------------------------------------


def test_titles_say_that_a_twin_is_one() -> None:
    full = plan_of("full", {"network": "on"}).descriptions.display("bellogin2017", "fig02")
    assert full["datasets"] == {"ml-1m": "ML-1M", "lastfm-1k": "Last.fm"}
    plan = demo()
    for study in ("bellogin2017", "canamares2020", "valcarce2018"):
        for artifact in plan.artifacts.made(study):
            for name, title in plan.descriptions.display(study, artifact)["datasets"].items():
                assert title.endswith(" twin") == (name in plan.settings.twins)


def test_the_display_style_names_extra_systems_and_absent_datasets() -> None:
    put_raw_files("ml-1m")
    display = plan_of("full").descriptions.display("bellogin2017", "fig02")
    assert display["extra_systems"] == ["knn-user", "wrmf"]
    assert list(display["systems"])[-2:] == ["knn-user", "wrmf"]
    assert set(display["systems"]["pop"]) == {"title", "short_title", "colour", "marker"}
    assert display["absence"] == absence_of(["Last.fm"])
    assert display["parameters"]["metrics"] == ["P@10"]


@pytest.mark.costly
def test_accepted_searches_stand_for_new_ones_only_with_their_seed_and_split(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    assert plan_of("full").searches.accepted_files() == []
    taken = plan_of("full", {"accepted_searches": True})
    assert taken.searches.accepted_files() == ["results/full/systems/searches.csv"]
    assert "searches" in taken.studies.description("systems")
    assert "searches" not in taken.studies.description("valcarce2018")
    for changes in ({"seed": 1}, {"splits": {"user-80": {"train_ratio": 0.7}}}):
        with pytest.raises(ValueError, match="Run the searches"):
            plan_of("full", {"accepted_searches": True, **changes}).searches.accepted_files()


def test_a_caption_has_the_numbers_of_folds_and_permutations_of_its_edition() -> None:
    put_raw_files("ml-1m")
    own = {"caption": "{permutations} of {folds}.", "parameters": {"permutations": 12345}}
    spec = {"studies": {"bellogin2017": {"artifacts": {"fig08": {**own, "note": ""}}}}}
    captions = {
        edition: plan_of(edition, spec).descriptions.caption("bellogin2017", "fig08")
        for edition in ("demo", "full")
    }
    assert captions == {"demo": "12,345 of three.", "full": "12,345 of five."}


def test_a_note_of_an_edition_stands_behind_the_caption() -> None:
    spec = {"caption": "Bars of {samples} samples.", "note": "Twins are small."}
    plan = plan_of("demo", {"studies": {"bellogin2017": {"artifacts": {"fig02": spec}}}})
    assert plan.descriptions.caption("bellogin2017", "fig02") == (
        "Bars of 0 samples. Twins are small."
    )
    without = {"studies": {"bellogin2017": {"artifacts": {"fig02": {"caption": "Bars."}}}}}
    assert plan_of("demo", without).descriptions.caption("bellogin2017", "fig02") == "Bars."
