"""Snakemake and what it imports, once: runs are forked from it, of which importing is most.

This is run as a program. It reads one request a line, as JSON, and answers each with the status of
the process that it forked for it. What such a process loads after that comes from where its request
says, as if it had been started there: of receval and of Snakemake's plug-ins nothing is here yet.
"""

import importlib
import json
import os
import runpy
import signal
import sys
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

OWN = ("receval", "snakemake_executor_plugin", "snakemake_logger_plugin")
"""What each run has to load itself: modules whose names begin so."""

SECONDS = 300
"""A run that takes longer is killed."""


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
    sys.path[:0] = [request["folder"], *os.environ["PYTHONPATH"].split(os.pathsep)]
    sys.argv = [request["program"], *request["words"]]
    importlib.invalidate_caches()
    # Python itself imports it at its start, and some systems have one that is here already.
    sys.modules.pop("sitecustomize", None)
    importlib.import_module("sitecustomize")


def main() -> None:
    """Fork a process for each request, and wait for it; only its copy ever leaves the loop."""
    sys.path.pop(0)  # the folder of this file
    for name in LIBRARIES:
        importlib.import_module(name)
    early = sorted(name for name in sys.modules if name.startswith(OWN))
    assert not early, f"Already imported, but not from the copy: {', '.join(early)}."
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            request = json.loads(line)
            become(request)
            runpy.run_module(request["program"], run_name="__main__", alter_sys=True)
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
