# SPDX-License-Identifier: MIT
"""What the workflow changes in Snakemake is there (docs/snakemake_scheduler.md)."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

# The first import is Snakemake's own first one: its modules import one another.
import snakemake.api
import snakemake.common
import snakemake.rules
from snakemake.dag import DAG
from snakemake.deployment.conda import CondaEnvFileSpec
from snakemake.jobs import Job
from snakemake.persistence import PersistenceBase
from snakemake.persistence.file import FilePersistence
from snakemake.resources import Resources
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.sourcecache import LocalSourceFile
from snakemake_interface_executor_plugins.executors.real import RealExecutor
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.settings import SharedFSUsage

RULES = Path(__file__).resolve().parents[2] / "workflow/rules/scheduling.smk"
REMEDY = "Read docs/snakemake_scheduler.md: this Snakemake may need no remedy, or another one."


def test_the_scheduler_can_do_without_a_limit_of_jobs_a_second() -> None:
    assert "workflow.scheduler.job_rate_limiter = None" in RULES.read_text(encoding="utf-8")
    assert "if self.job_rate_limiter is None:" in inspect.getsource(JobScheduler.job_selector), (
        REMEDY
    )
    loop = inspect.getsource(JobScheduler.schedule)
    assert "if self.job_rate_limiter is not None:" in loop, REMEDY
    assert "self._schedule_reevalutation(self.job_rate_limiter.timespan)" in loop, REMEDY


def test_a_job_on_a_cluster_imports_nothing_from_the_folder_of_the_run() -> None:
    rules = RULES.read_text(encoding="utf-8")
    patched = re.search(r"^RemoteExecutor.get_python_executable = \(.*?^\)$", rules, re.M | re.S)
    assert patched is not None
    names = {"RemoteExecutor": type("Patched", (RemoteExecutor,), {})}
    exec(patched[0], names)
    shared = SimpleNamespace(shared_fs_usage=[SharedFSUsage.SOFTWARE_DEPLOYMENT])
    workflow = SimpleNamespace(storage_settings=shared)
    python = names["RemoteExecutor"].get_python_executable(SimpleNamespace(workflow=workflow))
    assert python == f"{sys.executable} -P"
    command = inspect.getsource(RealExecutor.format_job_exec)
    assert re.search(r'self.get_python_executable\(\),\s+"-m snakemake",', command), REMEDY


def test_what_the_workflow_keeps_is_asked_for_there() -> None:
    changed = ("snakemake.common.get_function_params =", "snakemake.rules.get_function_params =")
    assert all(line in RULES.read_text(encoding="utf-8") for line in changed)
    for caller in (
        snakemake.rules.Rule.apply_input_function,
        snakemake.rules.Rule._is_deriving_function,
        snakemake.common.get_input_function_aux_params,
    ):
        assert "get_function_params(func)" in inspect.getsource(caller), REMEDY
    asked = inspect.getsource(snakemake.common.get_function_params)
    assert "inspect.signature(func).parameters" in asked, REMEDY
    assert "self.output_index.match_producers(targetfile)" in inspect.getsource(DAG.file2jobs), (
        REMEDY
    )


def test_params_are_asked_for_tables_only_where_pandas_is_there() -> None:
    assert "PersistenceBase._serialize_param = property(" in RULES.read_text(encoding="utf-8")
    asked = inspect.getsource(PersistenceBase._params)
    assert "self._serialize_param(value)" in asked, REMEDY
    with_pandas = inspect.getsource(PersistenceBase._serialize_param_pandas)
    assert "return self._serialize_param_builtin(value)" in with_pandas, REMEDY
    assert "import pandas as pd" in with_pandas, REMEDY


@pytest.mark.parametrize("value", [1, 0.5, "a", None, (1, 2), {"a": [1.5]}, Path("x")], ids=repr)
def test_a_param_that_is_no_table_is_recorded_alike_with_pandas_and_without(value: object) -> None:
    records = object.__new__(FilePersistence)
    assert records._serialize_param_pandas(value) == records._serialize_param_builtin(value)


def test_braces_of_a_folder_are_doubled_where_they_are_taken_for_wildcards() -> None:
    doubled = 'each.conda_env = environment.replace("{", "{{").replace("}", "}}")'
    assert doubled in RULES.read_text(encoding="utf-8")
    joined = LocalSourceFile("/home/{x}/workflow/rules").join("../../envs/receval.yaml")
    with pytest.raises(NameError, match="The name 'x' is unknown"):
        CondaEnvFileSpec(joined).apply_wildcards({})
    found = CondaEnvFileSpec(LocalSourceFile("/home/{{x}}/envs/receval.yaml")).apply_wildcards({})
    assert found.file.get_path_or_uri(secret_free=True) == "/home/{x}/envs/receval.yaml"


def test_sizes_are_known_by_the_names_by_which_they_are_left_out() -> None:
    kept = Resources.from_mapping({"mem_mb": 1, "runtime": 1})
    assert set(kept.keys()) == {"mem_mb", "runtime"}, REMEDY
    again = Resources(dict(kept.items()))
    assert [again[name].value for name in ("mem_mb", "runtime")] == [1, 1], REMEDY
    asked = inspect.getsource(snakemake.rules.Rule.expand_resources)
    assert "self.resources.expand_items(" in asked, REMEDY


def test_a_dry_run_needs_no_environments_to_see_what_has_changed() -> None:
    assert "DAG.update_conda_envs = lambda _: None" in RULES.read_text(encoding="utf-8")
    assert "job.conda_env_spec" in inspect.getsource(DAG.update_conda_envs), REMEDY
    assert "self.params" in inspect.getsource(Job.conda_env_spec.fget), REMEDY
    compared = inspect.getsource(PersistenceBase._software_stack_hash)
    only_if_deployed = compared.partition("job.conda_env")[0]
    assert "DeploymentMethod.CONDA" in only_if_deployed, REMEDY
