# SPDX-License-Identifier: MIT
"""What the workflow changes in Snakemake is there (docs: snakemake_scheduler, cluster)."""

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
from rule_files import RULES_FOLDER
from snakemake.dag import DAG
from snakemake.deployment.conda import CondaEnvFileSpec
from snakemake.executors.local import Executor
from snakemake.jobs import Job
from snakemake.persistence import PersistenceBase
from snakemake.persistence.file import FilePersistence
from snakemake.resources import Resources
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.settings.types import ExecutionSettings
from snakemake.sourcecache import LocalSourceFile
from snakemake_interface_executor_plugins.executors.real import RealExecutor
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.settings import SharedFSUsage

CHANGES = (RULES_FOLDER / "scheduling.smk").read_text(encoding="utf-8")
REMEDY = "Read docs/snakemake_scheduler.md: this Snakemake may need no remedy, or another one."


@pytest.mark.each(
    ("change", "asked"),
    [
        (
            # The scheduler can do without a limit of jobs a second.
            "workflow.scheduler.job_rate_limiter = None",
            [
                (JobScheduler.job_selector, "if self.job_rate_limiter is None:"),
                (JobScheduler.schedule, "if self.job_rate_limiter is not None:"),
                (
                    JobScheduler.schedule,
                    "self._schedule_reevalutation(self.job_rate_limiter.timespan)",
                ),
            ],
        ),
        *(
            (
                f"snakemake.{module}.get_function_params =",
                [
                    (snakemake.rules.Rule.apply_input_function, "get_function_params(func)"),
                    (snakemake.rules.Rule._is_deriving_function, "get_function_params(func)"),
                    (snakemake.common.get_input_function_aux_params, "get_function_params(func)"),
                    (snakemake.common.get_function_params, "inspect.signature(func).parameters"),
                ],
            )
            for module in ("common", "rules")
        ),
        (
            "OutputIndex.match_producers = cache(OutputIndex.match_producers)",
            [(DAG.file2jobs, "self.output_index.match_producers(targetfile)")],
        ),
        (
            # Params are asked for tables only where pandas is there.
            "PersistenceBase._serialize_param = property(",
            [
                (PersistenceBase._params, "self._serialize_param(value)"),
                (
                    PersistenceBase._serialize_param_pandas,
                    "return self._serialize_param_builtin(value)",
                ),
                (PersistenceBase._serialize_param_pandas, "import pandas as pd"),
            ],
        ),
        (
            # A dry run needs no environments to see what has changed.
            "DAG.update_conda_envs = lambda _: None",
            [
                (DAG.update_conda_envs, "job.conda_env_spec"),
                (Job.conda_env_spec.fget, "self.params"),
            ],
        ),
        (
            "each.resources = Resources(kept)",
            [(snakemake.rules.Rule.expand_resources, "self.resources.expand_items(")],
        ),
        (
            # Jobs of a group use threads, so that they are forked from one warm process.
            "ExecutionSettings.use_threads = property",
            [
                (RealExecutor.get_job_args, '"--force-use-threads", not job.is_group()'),
                (
                    Executor.__post_init__,
                    "self.use_threads = self.workflow.execution_settings.use_threads",
                ),
                (ExecutionSettings, "use_threads: bool"),
            ],
        ),
    ],
)
def test_what_is_changed_is_asked_for_there(change: str, asked: list[tuple[object, str]]) -> None:
    assert change in CHANGES
    for where, code in asked:
        assert code in inspect.getsource(where), REMEDY  # type: ignore[arg-type]


def test_environments_are_compared_only_where_they_are_deployed() -> None:
    compared = inspect.getsource(PersistenceBase._software_stack_hash)
    assert "DeploymentMethod.CONDA" in compared.partition("job.conda_env")[0], REMEDY


def test_a_job_on_a_cluster_imports_nothing_from_the_folder_of_the_run() -> None:
    patched = re.search(r"^RemoteExecutor.get_python_executable = \(.*?^\)$", CHANGES, re.M | re.S)
    assert patched is not None
    names = {"RemoteExecutor": type("Patched", (RemoteExecutor,), {})}
    exec(patched[0], names)
    shared = SimpleNamespace(shared_fs_usage=[SharedFSUsage.SOFTWARE_DEPLOYMENT])
    workflow = SimpleNamespace(storage_settings=shared)
    python = names["RemoteExecutor"].get_python_executable(SimpleNamespace(workflow=workflow))
    assert python == f"{sys.executable} -P"
    command = inspect.getsource(RealExecutor.format_job_exec)
    assert re.search(r'self.get_python_executable\(\),\s+"-m snakemake",', command), REMEDY


@pytest.mark.each("value", [1, 0.5, "a", None, (1, 2), {"a": [1.5]}, Path("x")], ids=repr)
def test_a_param_that_is_no_table_is_recorded_alike_with_pandas_and_without(value: object) -> None:
    records = object.__new__(FilePersistence)
    assert records._serialize_param_pandas(value) == records._serialize_param_builtin(value)


def test_braces_of_a_folder_are_doubled_where_they_are_taken_for_wildcards() -> None:
    assert 'each.conda_env = environment.replace("{", "{{").replace("}", "}}")' in CHANGES
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
