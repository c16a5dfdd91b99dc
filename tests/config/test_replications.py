# SPDX-License-Identifier: MIT
"""What is repeated: names of runs, their seeds, and what they do another way than their edition."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from config.copied_config import CONFIG, CopiedConfig
from pydantic import BaseModel

from reproduction.claims.repetition import repeated_checks
from reproduction.claims.sources import SelectedCells
from reproduction.claims.spec import CheckSpec, read_claims
from reproduction.config.settings import (
    UNSEEDED,
    RepeatedSettings,
    Settings,
    edition_of_run,
    load_repeated_settings,
    load_settings,
    with_seeds_of,
)
from reproduction.config.studies import ArtifactSpec

FULL = "full"


@cache
def full() -> Settings:
    """The settings of the full edition."""
    return load_settings(CONFIG, FULL)


@cache
def repeated(*, crossed: bool = False) -> RepeatedSettings:
    """The settings of its replications, or of its crossed design."""
    return load_repeated_settings(CONFIG, FULL, crossed=crossed)


def roots(run: str) -> tuple[int, int, int]:
    """The root seeds of splits, systems and candidate sampling of a run."""
    settings = with_seeds_of(repeated(crossed="-s" in run), run)
    return settings.split_seed, settings.system_seed, settings.candidate_seed


# --- which runs -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("r01", ["r01"]),
        ("r03..r05", ["r03", "r04", "r05"]),
        ("r05 r01..r02", ["r01", "r02", "r05"]),
        ("r01,r02", ["r01", "r02"]),
        (["r02", "r02"], ["r02"]),
        ("crossed", []),
    ],
)
def test_replications_are_chosen_by_names_and_ranges(words: object, names: list[str]) -> None:
    settings = load_settings(CONFIG, FULL, {"repeat": words})
    assert list(settings.replications.chosen(settings.repeat).replications) == names


def test_a_range_of_replications_may_go_beyond_r99() -> None:
    settings = load_settings(CONFIG, FULL, {"replications": {"count": 101}, "repeat": "r98..r101"})
    chosen = settings.replications.chosen(settings.repeat)
    assert chosen.replications == ("r98", "r99", "r100", "r101")


def test_a_study_has_the_common_number_of_replications_or_its_own() -> None:
    own = {
        "count": 3,
        "studies": {"bellogin2017": {"count": 5}, "menamaldonado2021": {"further": {"cm100k": 2}}},
    }
    spec = load_settings(CONFIG, FULL, {"replications": own}).replications
    assert spec.names == spec.names_of("bellogin2017") == ("r01", "r02", "r03", "r04", "r05")
    assert spec.names_of("valcarce2020") == ("r01", "r02", "r03")


def test_further_replications_of_a_study_have_the_datasets_named_alone() -> None:
    own = {"count": 3, "studies": {"menamaldonado2021": {"further": {"cm100k": 5}}}}
    settings = load_repeated_settings(CONFIG, FULL, {"replications": own})
    spec = settings.replications
    assert spec.names_of("menamaldonado2021") == ("r01", "r02", "r03", "r04", "r05")
    assert spec.names_of("valcarce2020") == ("r01", "r02", "r03")
    assert spec.datasets_of("menamaldonado2021", "r03") == ("ml-1m", "cm100k")
    assert spec.datasets_of("menamaldonado2021", "r04") == spec.datasets_in("r04") == ("cm100k",)
    assert "ml-1m" in with_seeds_of(settings, "full-r04").leave_out
    assert "ml-1m" not in with_seeds_of(settings, "full-r03").leave_out


def test_further_replications_are_of_a_repeated_dataset() -> None:
    own = {"studies": {"menamaldonado2021": {"further": {"netflix": 50}}}}
    with pytest.raises(ValueError, match=r"further\.netflix is of a dataset that is not repeated"):
        load_settings(CONFIG, FULL, {"replications": own})


def test_all_are_the_replications_of_every_study_and_the_crossed_design() -> None:
    spec = full().replications
    chosen = spec.chosen(full().repeat)
    assert len(chosen.replications) == max(spec.counts.values())
    assert min(spec.counts.values()) >= 20
    assert len(chosen.crossed) == 27
    assert (chosen.crossed[0], chosen.crossed[-1]) == ("s1-t1-c1", "s3-t3-c3")
    assert spec.chosen(["crossed"]).crossed == chosen.crossed
    assert not spec.chosen(["r01"]).crossed


# --- seeds ------------------------------------------------------------------------------------


def test_every_replication_has_another_root_seed_for_all_that_is_drawn() -> None:
    found = {name: roots(f"full-{name}") for name in full().replications.names}
    assert all(len(set(seeds)) == 1 for seeds in found.values())
    assert len({seeds[0] for seeds in found.values()} | {full().seed}) == len(found) + 1


def test_the_root_seed_follows_from_that_of_the_edition() -> None:
    other = load_repeated_settings(CONFIG, FULL, {"seed": 7})
    assert with_seeds_of(other, "full-r01").seed != with_seeds_of(repeated(), "full-r01").seed


def test_runs_of_the_crossed_design_share_the_seeds_that_they_share_names_of() -> None:
    one, other = roots("full-s1-t2-c3"), roots("full-s1-t3-c3")
    assert (one[0], one[2]) == (other[0], other[2])
    assert one[1] != other[1]
    assert len({*one, *other}) == 4


def test_what_else_is_drawn_has_the_editions_seed_in_the_crossed_design() -> None:
    assert with_seeds_of(repeated(crossed=True), "full-s1-t2-c3").seed == full().seed


def test_splits_and_models_of_the_crossed_design_are_made_once() -> None:
    settings = with_seeds_of(repeated(crossed=True), "full-s2-t3-c2")
    assert settings.split_run == "full-s2-t1-c1"
    assert settings.model_run == "full-s2-t3-c1"
    settings = with_seeds_of(repeated(), "full-r05")
    assert settings.split_run == settings.model_run == settings.run == "full-r05"


@pytest.mark.each("run", ["full", "full-r1", "real-r01", "full-s1-t1", "full-r01-s1-t1-c1"])
def test_other_names_are_no_runs(run: str) -> None:
    with pytest.raises(KeyError, match="There is no run"):
        edition_of_run(run)


@pytest.mark.each("run", ["full-r101", "full-s4-t1-c1", "full-r000"])
def test_runs_beyond_the_number_configured_are_refused(run: str) -> None:
    with pytest.raises(KeyError, match=r"There is no replication .*r01 to r100"):
        with_seeds_of(repeated(), run)


# --- what is repeated ----------------------------------------------------------------------------


def artifacts_read(check: CheckSpec) -> set[str]:
    """The artifacts of its own study that decide a check."""

    def walk(part: object) -> set[str]:
        if isinstance(part, SelectedCells):
            return {part.artifact or check.artifact or ""}
        if isinstance(part, BaseModel):
            part = [getattr(part, name) for name in type(part).model_fields]
        if isinstance(part, dict):
            part = list(part.values())
        return set().union(*map(walk, part)) if isinstance(part, list | tuple) else set()

    return walk(check.decide)


@pytest.mark.costly
@pytest.mark.parametrize("study", list(full().replications.studies))
def test_all_artifacts_that_decide_repeated_claims_are_made_or_left_out_with_a_reason(
    study: str,
) -> None:
    claims = read_claims(CONFIG / "claims" / f"{study}.yaml")
    checks = repeated_checks(claims, [*full().replications.datasets, ""])
    read = set().union(*(artifacts_read(check) for _, _, check in checks))
    spec = full().replications.studies[study]
    # Figure 18 is of the temporal split, figure 7 of all ratings: both decide with it alone.
    without = {"fig07", "fig18"} if study == "menamaldonado2021" else set()
    own = {name for name in read if "/" not in name}
    assert own - without <= set(spec.artifacts)
    sources = {n for name in spec.artifacts for n in _spec_of(study, name).results_of}
    assert set(spec.artifacts) <= read | sources, "an artifact that no repeated claim needs"


def _spec_of(study: str, name: str) -> ArtifactSpec:
    return full().studies[study].artifacts[name]


def test_replications_have_the_artifacts_named_of_the_studies_named() -> None:
    spec = repeated().replications
    made = {name: tuple(study.artifacts) for name, study in repeated().studies.items()}
    assert made == {name: study.artifacts for name, study in spec.studies.items()}


def test_the_crossed_design_has_its_study_alone() -> None:
    spec = repeated(crossed=True).replications.crossed
    assert {n: tuple(s.artifacts) for n, s in repeated(crossed=True).studies.items()} == {
        spec.study: spec.artifacts
    }


def test_datasets_that_are_not_repeated_are_left_out() -> None:
    kept = set(repeated().datasets) - set(repeated().leave_out)
    assert kept == {"ml-1m", "cm100k"}
    assert set(repeated(crossed=True).datasets) - set(repeated(crossed=True).leave_out) == {"ml-1m"}


def test_on_a_split_without_a_seed_librecs_systems_draw_anew() -> None:
    edition, run = full(), with_seeds_of(repeated(), "full-r01")
    other = with_seeds_of(repeated(), "full-r02")
    for system, drawn in (("librec-slim", True), ("pop", False)):
        own = edition.systems[system].parameters
        assert edition.system_parameters("released-temporal", system) == own
        assert run.system_parameters("random-folds", system) == own
        found = [s.system_parameters("released-temporal", system) for s in (run, other)]
        assert (found[0] != own) is (found[0] != found[1]) is drawn
        assert all(parameters | own == own for parameters in found)


def test_no_repeated_experiment_but_the_temporal_one_has_a_split_without_a_seed() -> None:
    found = set()
    for study, spec in repeated().studies.items():
        read = {name for artifact in spec.artifacts for name in spec.experiments_of(artifact)}
        for name in read:
            experiment = spec.experiments[name]
            if experiment.dataset in repeated().leave_out:
                continue
            split = repeated().splits[experiment.split]
            if split.kind in UNSEEDED:
                found.add((study, name))
    assert found == {("menamaldonado2021", "movielens-temporal")}


def test_what_is_done_another_way_has_a_reason() -> None:
    for study in full().replications.studies.values():
        for departure in study.otherwise:
            assert departure.reason.endswith(".")
            assert departure.changes


def test_a_departure_that_is_no_configuration_is_refused(tmp_path: Path) -> None:
    config = CopiedConfig(tmp_path)
    changes = [{"reason": "Why.", "changes": {"experiments": {"movielens": {"spilt": "x"}}}}]
    config.change("replications.yaml", "studies", "valcarce2018", "otherwise", value=changes)
    with pytest.raises(ValueError, match="spilt: there is no such key"):
        load_repeated_settings(config.folder, FULL)


def test_the_demo_has_replications_too() -> None:
    settings = load_repeated_settings(CONFIG, "demo")
    assert settings.edition == "demo"
    assert set(settings.studies) == set(repeated().studies)
