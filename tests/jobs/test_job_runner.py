# SPDX-License-Identifier: MIT
"""A job runs in a process of its own: its end is one job's end, and the run's end is its end."""

from __future__ import annotations

import errno
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reproduction.workflow.jobs import fork_server
from reproduction.workflow.jobs.fork_server import ForkServer, Server
from reproduction.workflow.jobs.job_runner import JobError, JobRunner, JobStoppedError, Spawner
from reproduction.workflow.jobs.run import prepare_job_environment
from reproduction.workflow.provenance.code_digest import CodeBehind, CodeSnapshot, hash_of_source

pytestmark = [pytest.mark.costly, pytest.mark.processes]

HERE = Path(__file__).parent
LAUNCHERS = {"forked": ForkServer, "spawned": Spawner}


class Runs:
    """A runner whose jobs call functions of ``job_functions``, and what made it give up."""

    def __init__(self, folder: Path, launcher: ForkServer | Spawner) -> None:
        self.folder = folder
        self.abandoned_for: list[Exception] = []
        self.runner = JobRunner(self.abandoned_for.append, launcher)

    def run(self, function: str, name: str = "job", **arguments: Any) -> None:
        outputs = {k: str(v) for k, v in arguments.items() if isinstance(v, Path)}
        params = {k: v for k, v in arguments.items() if not isinstance(v, Path)}
        log = SimpleNamespace(messages=self.log(name), benchmark=self.folder / f"{name}.tsv")
        self.runner.run(f"job_functions:{function}", {}, outputs, params, log)

    def log(self, name: str = "job") -> Path:
        return self.folder / "logs" / f"{name}.log"

    def benchmark(self, name: str = "job") -> dict[str, str]:
        names, values = (self.folder / f"{name}.tsv").read_text().splitlines()
        return dict(zip(names.split("\t"), values.split("\t"), strict=True))


def use(folder: Path, launcher: ForkServer | Spawner, patch: pytest.MonkeyPatch) -> Iterator[Runs]:
    patch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))
    patch.syspath_prepend(str(HERE))
    runs = Runs(folder, launcher)
    yield runs
    runs.runner.close()


@pytest.fixture(params=LAUNCHERS)
def runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Runs]:
    monkeypatch.setattr(fork_server, "PROGRAM", "empty_fork_server")
    yield from use(tmp_path, LAUNCHERS[request.param](), monkeypatch)


@pytest.fixture
def forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runs]:
    monkeypatch.setattr(fork_server, "PROGRAM", "empty_fork_server")
    yield from use(tmp_path, ForkServer(), monkeypatch)


def server_of(runs: Runs) -> subprocess.Popen[bytes]:
    launcher = runs.runner._launcher
    assert isinstance(launcher, ForkServer)
    assert launcher._server is not None
    return launcher._server


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "It did not come about in time."
        time.sleep(0.01)


def text_of(path: Path) -> str:
    wait_until(lambda: path.exists() and bool(path.read_text(encoding="utf-8")))
    return path.read_text(encoding="utf-8")


def children_of(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8")
    return [child for child in map(int, children.split()) if is_alive(child)]


def is_alive(process: int) -> bool:
    """Return whether a process is at work; one that waits to be counted is not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def test_a_job_does_its_work_logs_what_it_says_and_is_measured(runs: Runs) -> None:
    left = runs.folder / ".target.4711.part"
    left.write_text("half written by a killed attempt")
    runs.run("write", text="done", target=runs.folder / "target")
    assert (runs.folder / "target").read_text() == "done"
    assert not left.exists()
    log = runs.log().read_text()
    for said in ("INFO writing done", "printed", "written by compiled code"):
        assert f"{said}\n" in log
    measured = runs.benchmark()
    assert measured.pop("function") == "write"
    found = {name: float(value) for name, value in measured.items()}
    assert set(found) == {"s", "cpu_time", "max_rss", "process_cpu_time"}
    assert 0 <= found["cpu_time"] <= found["process_cpu_time"]
    assert found["max_rss"] > 1


def test_a_job_that_has_loaded_other_code_than_was_planned_leaves_no_result(runs: Runs) -> None:
    sources = {"job_functions": hash_of_source((HERE / "job_functions.py").read_bytes())}
    plans = {
        "as it is": sources,
        "as it was": {"job_functions": hash_of_source(b"def write(): ...")},
    }
    runs.runner.code_behind = lambda digest: CodeBehind(
        (), CodeSnapshot().digest(), plans[digest], ("job_functions",)
    )
    runs.run("write", text="done", target=runs.folder / "target", code="as it is")
    with pytest.raises(JobError, match=r"job_functions was edited during the run"):
        runs.run("write", text="done", target=runs.folder / "target", code="as it was")


def test_no_process_of_a_run_imports_what_lies_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: Runs
) -> None:
    # With the libraries that a server loads in advance.
    monkeypatch.setattr(fork_server, "PROGRAM", fork_server.__name__)
    for name in ("random", "select", "pyarrow"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w')")
    monkeypatch.chdir(tmp_path)
    prepare_job_environment(HERE.parents[1] / "src")
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    runs.run("write", text="done", target=tmp_path / "target")
    assert not (tmp_path / "executed").exists()
    assert (tmp_path / "target").exists()


def test_the_server_has_no_thread_when_it_forks(
    forked: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    # From 3.12 on Python warns of it, once a job.
    monkeypatch.setattr(fork_server, "PROGRAM", fork_server.__name__)
    forked.run("write", text="done", target=forked.folder / "target")
    process = Path(f"/proc/{server_of(forked).pid}")
    # Loaded last.
    wait_until(lambda: "_backend_agg" in (process / "maps").read_text(encoding="utf-8"), 60)
    assert "libarrow" in (process / "maps").read_text(encoding="utf-8")
    assert len(list((process / "task").iterdir())) == 1


def counted(runs: Runs, name: str, **arguments: Any) -> str:
    """Return how many jobs of this name the process of a new one has done."""
    runs.run("count", name, target=runs.folder / name, **arguments)
    return (runs.folder / name).read_text()


def test_a_process_does_one_job_after_another_until_one_changes_it(forked: Runs) -> None:
    assert [counted(forked, name) for name in ("first", "second")] == ["1", "2"]
    assert forked.log("first").read_text() == forked.log("second").read_text() == "counted\n"
    first, second = (float(forked.benchmark(n)["process_cpu_time"]) for n in ("first", "second"))
    assert second < first + 0.5
    with pytest.raises(JobError):
        forked.run("fail", message="No.")
    assert [counted(forked, name) for name in ("after a failure", "again")] == ["1", "2"]
    forked.run("grow")
    assert [counted(forked, name) for name in ("after a large job", "next")] == ["1", "2"]
    forked.run("leave_a_thread")
    assert counted(forked, "after a thread") == "1"


def test_nothing_that_code_of_other_packages_changes_is_left_for_the_next_job(forked: Runs) -> None:
    code = CodeBehind((), CodeSnapshot().digest(), {}, ("job_functions",))
    forked.runner.code_behind = lambda digest: code
    assert [counted(forked, name, code="digest") for name in ("first", "second")] == ["1", "1"]


def test_a_job_needs_no_process_that_was_killed_while_it_was_free(forked: Runs) -> None:
    assert counted(forked, "first") == "1"
    server = server_of(forked).pid
    (process,) = children_of(server)
    # It is given the job before the server sees that it is dead.
    os.kill(server, signal.SIGSTOP)
    os.kill(process, signal.SIGKILL)
    threading.Timer(0.1, os.kill, (server, signal.SIGCONT)).start()
    assert counted(forked, "second") == "1"
    assert children_of(server) != [process]


def test_a_job_that_is_done_before_the_server_hears_that_it_was_taken_ends_no_server() -> None:
    server = Server.__new__(Server)
    worker, its_end = socket.socketpair()
    waiting, connection = Pipe()
    server._workers, server._jobs, server._given = {1: worker}, {1: connection}, {1}
    waiting.close()
    its_end.send(fork_server._TAKEN + fork_server._FREE)
    server._hear(1)
    assert not server._jobs
    assert not server._given
    worker.close()
    its_end.close()


def test_a_job_that_kills_its_process_before_the_server_hears_of_it_is_not_begun_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = Server.__new__(Server)
    worker, its_end = socket.socketpair()
    waiting, connection = Pipe()
    server._workers, server._jobs, server._given = {1: worker}, {1: connection}, {1}
    server._selector = selectors.DefaultSelector()
    server._children, _ = os.pipe()
    os.set_blocking(server._children, False)
    its_end.send(fork_server._TAKEN)
    its_end.close()
    ended = iter([(1, signal.SIGKILL), (0, 0)])
    monkeypatch.setattr(os, "waitpid", lambda *_: next(ended))
    server._see_who_ended()
    assert waiting.recv() == 1
    assert waiting.recv().status == -signal.SIGKILL


def test_a_job_keeps_memory_for_its_next_array_unless_somebody_has_said_how_much(
    forked: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MALLOC_MMAP_THRESHOLD_", raising=False)
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "4096")
    forked.run("kept_memory", target=forked.folder / "target")
    assert (forked.folder / "target").read_text() == f"{2**25} 4096"


def test_the_error_of_a_job_is_a_sentence_and_its_log_has_the_rest(runs: Runs) -> None:
    with pytest.raises(JobError, match=r"^fail: Row 3 has no rating\.\nIts log: .*job\.log\.$"):
        runs.run("fail", message="Row 3 has no rating.")
    assert "Traceback (most recent call last):" in runs.log().read_text()
    assert not (runs.folder / "job.tsv").exists()


@pytest.mark.parametrize(
    ("function", "said"),
    [
        # With its type, as it is not ours.
        ("fail_strangely", "fail_strangely: KeyError: 'fold9'"),
        ("leave", "leave ended without a result, with status 1"),
    ],
)
def test_other_ends_of_a_job_are_failures(forked: Runs, function: str, said: str) -> None:
    with pytest.raises(JobError, match=said):
        forked.run(function)


@pytest.mark.parametrize(
    ("number", "words"), [(signal.SIGKILL, "run out of memory"), (signal.SIGSEGV, "SIGSEGV")]
)
def test_a_killed_job_is_one_failed_job(runs: Runs, number: int, words: str) -> None:
    with pytest.raises(JobError, match=words):
        runs.run("die", number=int(number))
    runs.run("write", text="next", target=runs.folder / "target")
    assert (runs.folder / "target").read_text() == "next"


def test_the_last_words_of_a_crash_are_in_the_log(forked: Runs) -> None:
    with pytest.raises(JobError, match="SIGSEGV"):
        forked.run("crash")
    log = forked.log().read_text()
    assert "Segmentation fault" in log
    assert "in crash" in log


def test_last_words_that_cannot_be_written_keep_no_process_alive(forked: Runs) -> None:
    forked.run("say_more_than_the_disk_takes", target=forked.folder / "target")
    assert (forked.folder / "target").exists()
    assert children_of(server_of(forked).pid) == []
    assert "ValueError" not in forked.log().read_text()


def test_a_server_that_does_not_end_is_killed(
    forked: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fork_server, "PATIENCE", 0.1)
    forked.runner.warm_up()
    server = server_of(forked)
    os.kill(server.pid, signal.SIGSTOP)
    forked.runner.close()
    assert server.returncode == -signal.SIGKILL


def test_where_no_process_can_be_started_a_job_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> int:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr(os, "fork", refuse)
    server = Server.__new__(Server)
    ours, theirs = Pipe()
    server._fork(theirs)
    result, ended = ours.recv(), ours.recv()
    assert result.error == "The system could not start a process for it: Cannot allocate memory."
    assert ended.status == 1


class SleepingJob(threading.Thread):
    """A job that sleeps, in a thread as Snakemake's are, and how it ended."""

    def __init__(self, runs: Runs, name: str) -> None:
        super().__init__()
        self._runs = runs
        self._name = name
        self.started = runs.folder / f"{name}.started"
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._runs.run("sleep", self._name, started=self.started)
        except BaseException as error:
            self.error = error

    @property
    def process(self) -> int:
        return int(text_of(self.started))


def test_stopping_ends_all_jobs_and_begins_none(runs: Runs) -> None:
    jobs = [SleepingJob(runs, name) for name in ("first", "second")]
    processes = [job.process for job in jobs]
    runs.runner.stop("the user wants it so")
    for job in jobs:
        job.join(timeout=30)
        assert isinstance(job.error, JobStoppedError)
        assert "sleep was stopped: the user wants it so." in str(job.error)
    assert not any(map(is_alive, processes))
    with pytest.raises(JobStoppedError, match="was not started: the user wants it so"):
        runs.run("write", text="late", target=runs.folder / "target")


def test_an_interrupted_job_has_nothing_to_say(forked: Runs) -> None:
    job = SleepingJob(forked, "first")
    assert is_alive(job.process)
    forked.runner.stop("Ctrl-C", interrupted=True)
    job.join(timeout=30)
    assert isinstance(job.error, KeyboardInterrupt)


def test_a_full_disk_ends_the_run(forked: Runs) -> None:
    job = SleepingJob(forked, "first")
    assert is_alive(job.process)
    with pytest.raises(JobError, match="The archive could not be written"):
        forked.run("fill_the_disk", target=forked.folder / "target")
    (reason,) = forked.abandoned_for
    assert "The archive could not be written" in str(reason)
    job.join(timeout=30)
    assert isinstance(job.error, JobStoppedError)
    with pytest.raises(JobStoppedError, match="no space left on the disk"):
        forked.run("write", text="late", target=forked.folder / "target")


def test_jobs_end_with_the_server_and_the_next_job_has_a_new_one(forked: Runs) -> None:
    job = SleepingJob(forked, "first")
    process, server = job.process, server_of(forked).pid
    assert children_of(server) == [process]
    os.kill(server, signal.SIGKILL)
    job.join(timeout=30)
    assert isinstance(job.error, JobError)
    assert "was lost: the process that starts jobs was killed." in str(job.error)
    wait_until(lambda: not is_alive(process))
    forked.run("write", text="next", target=forked.folder / "target")
    assert (forked.folder / "target").read_text() == "next"


def test_a_job_is_begun_although_the_server_was_killed_a_moment_ago(
    forked: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked.runner.warm_up()
    server = server_of(forked)
    # Its sockets are closed before the system tells that it has ended.
    monkeypatch.setattr(server, "poll", lambda: None)
    os.kill(server.pid, signal.SIGKILL)
    os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOWAIT)
    forked.run("write", text="next", target=forked.folder / "target")
    assert (forked.folder / "target").read_text() == "next"


# Snakemake in miniature: a job in a thread, and a main thread that does what handlers say.
MAIN = """
import signal, sys, threading
from pathlib import Path
from types import SimpleNamespace
from reproduction.workflow.jobs import fork_server
from reproduction.workflow.jobs.fork_server import ForkServer
from reproduction.workflow.jobs.job_runner import JobRunner, Spawner

fork_server.PROGRAM = "empty_fork_server"
folder = Path(sys.argv[1])
runner = JobRunner(print, {"forked": ForkServer, "spawned": Spawner}[sys.argv[2]]())
runner.warm_up()
signal.signal(signal.SIGTERM, lambda *_: None)
runner.stop_on_signals()
log = SimpleNamespace(messages=folder / "log", benchmark=folder / "tsv")

def run():
    try:
        runner.run("job_functions:sleep", {}, {"started": str(folder / "started")}, {}, log)
    except BaseException as error:
        print(type(error).__name__, flush=True)
    ended.set()

ended = threading.Event()
threading.Thread(target=run).start()
try:
    ended.wait()
except KeyboardInterrupt:
    ended.wait()
"""


def main_process(folder: Path, launcher: str, **more: Any) -> subprocess.Popen[str]:
    paths = [str(HERE), str(HERE.parents[1] / "src"), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, str(folder), launcher],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **more,
    )


def ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


@pytest.mark.parametrize(
    ("number", "said"), [(signal.SIGTERM, "JobStoppedError"), (signal.SIGINT, "KeyboardInterrupt")]
)
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_signal_to_the_main_process_ends_its_jobs(
    tmp_path: Path, launcher: str, number: int, said: str
) -> None:
    main = main_process(tmp_path, launcher)
    process = int(text_of(tmp_path / "started"))
    main.send_signal(number)
    words, _ = main.communicate(timeout=30)
    assert words.split() == [said]
    wait_until(lambda: not is_alive(process))


@pytest.mark.parametrize(
    ("kill", "number", "said"),
    [
        # The job holds Python's lock: no thread of its process could look around.
        (os.kill, signal.SIGKILL, []),
        # As Ctrl-C on a terminal, in silence.
        (os.killpg, signal.SIGINT, ["KeyboardInterrupt"]),
    ],
)
def test_jobs_end_with_a_main_process_that_is_killed_and_with_its_group(
    tmp_path: Path, kill: Callable[[int, int], None], number: int, said: list[str]
) -> None:
    main = main_process(tmp_path, "forked")
    process = int(text_of(tmp_path / "started"))
    kill(main.pid, number)
    words, _ = main.communicate(timeout=30)
    assert words.split() == said
    wait_until(lambda: not is_alive(process))


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_jobs_of_a_run_that_ignores_ctrl_c_go_on_until_the_run_ends_them(
    tmp_path: Path, launcher: str
) -> None:
    main = main_process(tmp_path, launcher, preexec_fn=ignore_signals)
    process = int(text_of(tmp_path / "started"))
    os.killpg(main.pid, signal.SIGINT)
    time.sleep(0.2)
    assert is_alive(process)
    main.send_signal(signal.SIGTERM)
    words, _ = main.communicate(timeout=30)
    assert words.split() == ["JobStoppedError"]
    wait_until(lambda: not is_alive(process))
