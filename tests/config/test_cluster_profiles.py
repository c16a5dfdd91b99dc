# SPDX-License-Identifier: MIT
"""What the profiles for clusters say, and the rules that they are for."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import tomllib
from dataclasses import fields
from pathlib import Path
from string import Template

import pytest
import yaml
from config.copied_config import ROOT
from rule_files import RULES, helpers
from snakemake.iocontainers import Wildcards
from snakemake.resources import Resource

from reproduction.workflow.plan.job_sizes import JobSize

PROFILES = {
    name: yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))
    for name in ("default", "slurm", "slurm-without-accounting")
}
GROUPS = {
    "data": {"generate_twin", "prepare_ratings"},
    "split": {"split_ratings", "train_system", "rank_system", "rank_shard", "join_shards"},
    "study": {
        "compute_artifact",
        "draw_figure",
        "judge_claims",
        "judge_replication",
        "record_provenance",
        "sample_judgments",
        "simulate_skewness",
        "write_index",
        "write_page",
        "write_table",
    },
}
"""What is connected, part by part of the plan; the rest is long, or there is one of it."""


def test_the_profiles_of_clusters_differ_in_how_they_ask_for_the_end_of_jobs() -> None:
    more = {"slurm-status-command": "squeue", "slurm-no-account": True}
    assert PROFILES["slurm-without-accounting"] == PROFILES["slurm"] | more


def test_the_executor_knows_what_the_profiles_set() -> None:
    executor = pytest.importorskip(
        "snakemake_executor_plugin_slurm",
        reason="The executor for Slurm is not installed: `make slurm` installs it.",
    )
    settings = fields(executor.ExecutorSettings)
    known = {f"slurm-{field.name.replace('_', '-')}" for field in settings}
    set_here = {key for key in PROFILES["slurm-without-accounting"] if key.startswith("slurm-")}
    assert set_here <= known


def test_the_executor_of_the_profiles_is_an_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    for name in ("slurm", "slurm-without-accounting"):
        plugin = f"snakemake-executor-plugin-{PROFILES[name]['executor']}"
        assert [text.partition(">=")[0] for text in extras["slurm"]] == [plugin]


def test_only_a_cluster_tries_again() -> None:
    assert "retries" not in PROFILES["default"]
    assert PROFILES["slurm"]["retries"] == 2
    assert not any("retries" in rule.sections for rule in RULES.values())


@pytest.mark.processes
@pytest.mark.parametrize(
    "script", sorted((ROOT / "docs/cluster").glob("*.sh")), ids=lambda path: path.name
)
def test_a_script_of_the_trials_can_be_read_by_bash(script: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("No bash here: install the system's package bash.")
    assert subprocess.run([bash, "-n", script], check=False).returncode == 0
    assert os.access(script, os.X_OK)


def test_the_trial_gives_one_shard_too_little_at_first_and_all_others_what_the_plan_does() -> None:
    script = (ROOT / "docs" / "cluster" / "shards_trial.sh").read_text(encoding="utf-8")
    known = {"system": "knn-user", "megabytes": "1287", "of_folds_megabytes": "1510"}
    for name in ("of_users", "own", "memory"):
        found = re.search(rf'^{name}="(.*)"$', script, re.M)
        assert found is not None, name
        known[name] = Template(found[1]).substitute(known)
    memory = Resource.from_cli_expression("mem_mb", known["memory"])
    found = [
        memory.evaluate(
            Wildcards(fromdict={"split": split, "system": system, "shard": shard}),
            **{"input": [], "attempt": attempt, "threads": 1, "rulename": "", "async_run": None},
        ).value
        for split, system, shard, attempt in (
            ("random-80", "knn-user", "3-of-8", 1),
            ("random-80", "knn-user", "3-of-8", 2),
            ("random-80", "knn-user", "4-of-8", 1),
            ("random-80", "ranksys-mf", "3-of-8", 1),
            ("half-of-ratings", "knn-user", "3-of-8", 1),
        )
    ]
    assert found == [400, 800, 1287, 1287, 1510]


def test_each_attempt_of_a_job_asks_for_more_memory_and_time() -> None:
    asked = helpers()["requested"](lambda wildcards: JobSize(1000, wildcards, shares=True))
    assert [asked["mem_mb"](10, attempt) for attempt in (1, 2)] == [1000, 2000]
    assert [asked["runtime"](10, attempt) for attempt in (1, 3)] == [10, 30]
    for rule in RULES.values():
        assert ast.unparse(rule.sections["resources"]).startswith("section(**requested("), rule.name


@pytest.mark.each("rule", RULES)
def test_a_rule_has_the_group_of_its_part_of_the_plan(rule: str) -> None:
    group = ast.unparse(RULES[rule].sections.get("group", ast.Constant("")))
    named = re.findall(r"^section\((?:lambda w: .*\.group\()?'(\w+)'\)+$", group)
    assert named == [name for name, rules in GROUPS.items() if rule in rules]


def test_root_writes_into_no_folder_that_anybody_may_have_made_before() -> None:
    for script in (ROOT / "docs" / "cluster").glob("*.sh"):
        assert "/tmp" not in script.read_text(encoding="utf-8").replace("in /tmp.", "")
