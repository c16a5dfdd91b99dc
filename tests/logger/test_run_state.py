# SPDX-License-Identifier: MIT
from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logger.records import error, exception, finish, heard, plan, progress, raised, record, start
from snakemake_interface_logger_plugins.common import LogEvent

from reproduction.workflow.jobs.job_runner import JobError, JobStoppedError
from snakemake_logger_plugin_receval.run_state import Failure, Made, Message, RunState


def test_a_run_is_followed_from_its_plan_to_its_end() -> None:
    state = RunState()
    said = heard(
        state,
        plan(at=5, train_system=2, all=1),
        start(1, at=6, edition="demo", system="pop", output=["a"]),
        start(2, at=6),
        finish(1, at=9),
        progress(1, 3, at=9),
    )
    assert said == [Made(state.finished[0])]
    assert state.started == 5
    assert (state.done, state.total, state.planned) == (1, 3, {"train_system": 2, "all": 1})
    assert [job.name for job in state.finished] == ["train_system (demo, pop)"]
    assert list(state.running) == [2]
    assert state.seconds == {"train_system": 3}


def test_a_failure_takes_its_sentence_from_the_exception_of_its_thread() -> None:
    state = RunState()
    said = heard(
        state,
        plan(train_system=2),
        start(1, system="pop"),
        start(2, system="plsa"),
        raised("ValueError", "The first cause.", thread=7),
        raised("ValueError", "The second cause.", thread=8),
        error(2, thread=8, log=["b.log"]),
        error(1, thread=7, log=["a.log"]),
    )
    assert [(n.job.name, n.sentence) for n in said if isinstance(n, Failure)] == [
        ("train_system (plsa)", "The second cause."),
        ("train_system (pop)", "The first cause."),
    ]
    assert state.running == {}
    assert len(state.failures) == 2


@given(st.integers(1, 20))
def test_a_cause_that_many_jobs_meet_is_said_once_and_counted(jobs: int) -> None:
    state = RunState()
    said = []
    for number in range(jobs):
        said += heard(
            state,
            start(number),
            raised("OSError", f"[Errno 28] No space left on device: 'file{number}'"),
            error(number),
        )
    said += heard(state, record(None, "Error recording metadata ([Errno 28] No space left).", at=1))
    assert len(said) == 1
    assert len(state.failures) == jobs


@pytest.mark.each(
    ("again", "said"),
    [
        (record(None, "Trying to restart job 1."), "train_system (pop) is being retried."),
        (start(1), None),
        (finish(1), None),
    ],
)
def test_a_job_that_is_tried_again_has_not_failed_until_it_fails_again(
    again: logging.LogRecord, said: str | None
) -> None:
    state = RunState()
    heard(state, start(1, system="pop"), raised("ValueError", "Not yet there."), error(1))
    assert list(state.failures) == [1]
    assert heard(state, again) == ([Message(said, logging.WARNING)] if said else [])
    assert state.failures == {}
    heard(state, raised("ValueError", "Not yet there."), error(1))
    assert list(state.failures) == [1]


def test_an_exception_that_is_no_jobs_is_said_with_its_place() -> None:
    state = RunState()
    text = (
        'ValueError in file "/there/Snakefile", line 31:\nThere is no edition.\n  File "a", line 1'
    )
    assert heard(state, exception(text)) == []
    assert state.last_words() == [
        Message(
            'There is no edition.\n  (ValueError in file "/there/Snakefile", line 31)',
            logging.ERROR,
        )
    ]
    assert state.last_words() == []


def test_a_cluster_says_in_its_own_words_why_a_job_failed() -> None:
    (failure,) = heard(RunState(), error(1, rule_msg="Job 12 ran out of memory.", log=["a"]))
    assert isinstance(failure, Failure)
    assert failure.sentence == "Job 12 ran out of memory."
    assert failure.job.logs == ("a",)


def test_a_group_fails_once_and_its_members_are_counted() -> None:
    state = RunState()
    members = [{"jobid": n, "rule_name": "draw_figure", "log": [f"{n}.log"]} for n in (1, 2)]
    group = record(
        LogEvent.GROUP_ERROR,
        levelno=logging.ERROR,
        groupid="g",
        aux_logs=[],
        job_error_info=members,
    )
    (failure,) = heard(state, raised("ValueError", "No room."), group, error(1), error(2))
    assert isinstance(failure, Failure)
    assert failure.job.name == "a group of 2 jobs (draw_figure)"
    assert failure.job.logs == ("1.log", "2.log")
    assert len(state.failures) == 2


def test_warnings_are_said_once_and_steps_of_snakemake_never() -> None:
    state = RunState()
    warning = record(None, "Something is odd.", levelno=logging.WARNING)
    said = heard(
        state,
        record(None, "Building DAG of jobs..."),
        record(None, "Execute 2 jobs..."),
        record(LogEvent.RESOURCES_INFO, "Provided cores: 2"),
        record(LogEvent.SHELLCMD, "Shell command: None"),
        record(None, "None"),
        warning,
        warning,
        exception("WorkflowError:\nAt least one job did not complete successfully."),
    )
    assert [*said, *state.last_words()] == [Message("Something is odd.", logging.WARNING)]


def test_a_run_that_was_asked_to_stop_knows_it() -> None:
    state = RunState()
    heard(state, record(None, "Will exit after finishing currently running jobs (scheduler)."))
    assert state.interrupted
    (failure,) = heard(state, raised("ValueError", "No."), error(1))
    assert isinstance(failure, Failure)


def test_jobs_that_are_ended_on_request_have_not_failed() -> None:
    state = RunState()
    text = "Terminating processes on user request, this might take some time."
    (said,) = heard(state, record(None, text), raised("JobFailed", "It was killed."), error(1))
    assert said == Message(text, logging.INFO)
    assert state.interrupted
    assert state.failures == {}


def test_a_job_that_is_stopped_because_another_one_ends_the_run_has_not_failed() -> None:
    state = RunState()
    stopped = JobStoppedError.__name__
    assert heard(state, raised(stopped, "rank was not started: no space left."), error(1)) == []
    assert heard(state, raised(stopped, "rank was stopped: no space left."), plan(rank=1)) == []
    assert state.failures == {}


def test_a_benchmark_is_no_log() -> None:
    state = RunState()
    heard(state, start(1, log=["a.log", "a.tsv"]))
    assert state.running[1].logs == ("a.log",)
    (failure,) = heard(state, raised(JobError.__name__, "No."), error(1, log=["a.log", "a.tsv"]))
    assert isinstance(failure, Failure)
    assert failure.job.logs == ("a.log",)
