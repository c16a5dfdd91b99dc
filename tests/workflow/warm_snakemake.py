# SPDX-License-Identifier: MIT
"""Snakemake and what it imports, once: runs are forked from it, of which importing is most.

This is run as a program, with a folder of sources as its argument. It reads one request a line, as
JSON. For a command it forks a process and answers with its number; asked whether one has ended, it
answers with its status, or null. What such a process loads after that comes from where its request
says, as if it had been started there. receval is here already, from that folder of sources, for
runs in copies whose sources are the same; a request may ask for its own, and of Snakemake's
plug-ins nothing is here yet.
A run that starts jobs gets its fork server from here as well.
"""

import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import time
from typing import Any

import snakemake.cli  # noqa: F401

LIBRARIES = (
    "docutils.core",
    "filelock",
    "jinja2",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "numba",
    "pandas",
    "pyarrow.parquet",
    "scipy.sparse",
    "scipy.stats",
    "smart_open",
    "snakemake.report.html_reporter",
    "yte",
)
"""What else the runs and the commands would import, each of them."""

OWN = ("receval", "reproduction", "snakemake_logger_plugin_receval")
"""What depends on the sources: modules whose names begin so."""

KERNELS = (
    "receval.metrics",
    "receval.protocols",
    "receval.recommenders.neighbourhood_kernels",
    "receval.recommenders.products",
    "receval.recommenders.em",
    "receval.missing_judgments",
    "receval.splits",
)
"""Where compiled code is that the jobs of the small workflow call."""

SECONDS = 300
"""A run that takes longer is killed."""


SERVER = "reproduction.workflow.jobs.fork_server"

DESCRIBER = "reproduction.workflow.provenance.versions"
"""What a run starts to describe the processor and the arithmetic: the same for all runs here."""


class Description:
    """The process of :data:`DESCRIBER`, which has already said all."""

    said = ""
    returncode = 0

    def communicate(self) -> tuple[str, str]:
        return self.said, ""


class ForkedServer:
    """A fork server that waits to be started, and then looks like a process that was.

    It is forked before there are threads and locks, and knows nothing of what its parent loads.
    """

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair()
        self.returncode: int | None = None
        self.started = False
        self._process = os.fork()
        if self._process == 0:
            self._ours.close()
            self._wait_and_serve(theirs)
        theirs.close()

    @staticmethod
    def _wait_and_serve(theirs: socket.socket) -> None:
        environment, descriptors, _, _ = socket.recv_fds(theirs, 2**20, 1)
        # Most runs are dry: at their end nobody has asked.
        if environment:
            os.environ.clear()
            os.environ.update(json.loads(environment))
            theirs.close()
            sys.argv = [SERVER, str(descriptors[0])]
            # Its other half is here already, as the launcher of runs.
            sys.modules.pop(SERVER, None)
            runpy.run_module(SERVER, run_name="__main__", alter_sys=True)
        os._exit(0)

    def start(self, number: int) -> None:
        self.started = True
        socket.send_fds(self._ours, [json.dumps(dict(os.environ)).encode()], [number])

    def poll(self) -> int | None:
        if self.returncode is None:
            process, status = os.waitpid(self._process, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if process else None
        return self.returncode

    def wait(self, timeout: float = SECONDS) -> int:
        end = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(SERVER, timeout)
            time.sleep(0.005)
        return status

    def kill(self) -> None:
        os.kill(self._process, signal.SIGKILL)


def serve_from_here() -> None:
    """Let what a run starts come from here: its first fork server, what describes the machine."""
    server = ForkedServer()

    class Popen(subprocess.Popen):  # type: ignore[type-arg]
        def __new__(cls, words: list[str], *_: Any, **__: Any) -> Any:
            if list(words[2:]) == ["-m", DESCRIBER]:
                return Description()
            if server.started or list(words[2:4]) != ["-m", SERVER]:
                return super().__new__(cls)
            server.start(int(words[4]))
            return server

    subprocess.Popen = Popen  # type: ignore[misc]


def become(request: dict[str, Any]) -> None:
    """Make this process what ``python -m`` starts in the folder of a request."""
    os.setsid()
    signal.alarm(SECONDS)
    for number, path in enumerate((request["input"], request["output"], request["output"])):
        opened = os.open(path, os.O_RDWR | os.O_APPEND)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    if request["own"]:
        for name in [name for name in sys.modules if name.startswith(OWN)]:
            del sys.modules[name]
    sys.path[:0] = [request["folder"], *os.environ["PYTHONPATH"].split(os.pathsep)]
    sys.argv = [request["program"], *request["words"]]
    importlib.invalidate_caches()
    # Python itself imports it at its start, and some systems have one that is here already.
    sys.modules.pop("sitecustomize", None)
    importlib.import_module("sitecustomize")
    serve_from_here()


def load_sources(folder: str) -> None:
    """Load from a folder what fork servers would load, but for the server itself."""
    early = sorted(name for name in sys.modules if name.startswith(OWN))
    assert not early, f"Already imported, but not from {folder}: {', '.join(early)}."
    sys.path.insert(0, folder)
    kernels = importlib.import_module("reproduction.workflow.jobs.kernels")
    for name in importlib.import_module("reproduction.workflow.jobs.fork_server").module_names():
        importlib.import_module(name)
    describer = importlib.import_module(DESCRIBER)
    Description.said = json.dumps(describer.processor_and_arithmetic())
    for kernel, types in kernels.listed():
        if kernel.startswith(KERNELS):
            kernels.compile_kernel(kernel, types)
    sys.path.remove(folder)


def main() -> None:
    """Fork a process for each command; only its copy ever leaves the loop."""
    sys.path.pop(0)  # the folder of this file
    for name in LIBRARIES:
        importlib.import_module(name)
    load_sources(sys.argv[1])
    # What is here stays: no run need look for garbage in it.
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        if "ended" in request:
            ended, status = os.waitpid(request["ended"], os.WNOHANG)
            print(os.waitstatus_to_exitcode(status) if ended else "null", flush=True)
            continue
        child = os.fork()
        if child == 0:
            become(request)
            runpy.run_module(request["program"], run_name="__main__", alter_sys=True)
            return
        print(child, flush=True)


if __name__ == "__main__":
    main()
