# SPDX-License-Identifier: MIT
"""``make minimum-versions``: test the library with the lowest and newest dependencies.

The lowest are those that pyproject.toml names, the newest those that pip finds. The tests come from
the repository, what they test from the wheel's own dependencies alone: neither implicit nor
scikit-learn nor Snakemake is there.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

FOLDERS = (
    *("cli", "data", "evaluation", "metrics", "multiverse", "protocols"),
    *("recommenders/adapters", "splits", "statistics", "theory"),
)
"""Of the library's own tests; the others are of the reproduction, whose versions are locked."""

# Some tests of the library read a file of the configuration.
NEEDED_BY_TESTS = [*PROJECT["optional-dependencies"]["test"], "pyyaml"]


QUICK = "not slow and not costly and not repository and not processes"
"""What ``--quick`` selects, of all folders: `make quick` leaves out some."""

# Of a quick run, imports and compiled kernels are the greatest part: each process has its own.
IN_PARALLEL = ("--numprocesses", "auto", "--dist", "loadgroup")


def lowest(requirements: list[str]) -> list[str]:
    """Return requirements of exactly the versions that they begin with."""
    return [re.sub(r">=([0-9.]+)$", r"==\1", requirement) for requirement in requirements]


def environment_of(versions: str) -> Path:
    """Return the folder of the environment with the lowest or the newest versions."""
    return ROOT / "work" / "minimum-versions" / versions


def install(versions: str) -> None:
    """Make an environment with the lowest or the newest versions."""
    environment = environment_of(versions)
    python = environment / "bin" / "python"
    needed = PROJECT["dependencies"]
    packages = lowest(needed) if versions == "lowest" else needed
    # If there is a pip here, it installs into it: the one of Python 3.11 is the first that can.
    is_here = find_spec("pip") is not None
    without = ["--without-pip"] if is_here else []
    pip = [sys.executable, "-m", "pip", "--python", python] if is_here else [python, "-m", "pip"]
    subprocess.run([sys.executable, "-m", "venv", "--clear", *without, environment], check=True)
    subprocess.run(
        [
            # Python compiles only the modules that tests import: most of these are never imported.
            *(*pip, "install", "--quiet", "--disable-pip-version-check", "--no-compile"),
            *("--only-binary", ":all:", *packages, *NEEDED_BY_TESTS),
        ],
        check=True,
    )


def tested(versions: str, folders: list[str], *, quick: bool) -> int:
    """Run tests in an environment, and return the status of pytest."""
    environment = environment_of(versions)
    python = environment / "bin" / "python"
    # Python warns of the syntax of libraries when tests compile them. Before 3.12, warnings of
    # escapes are DeprecationWarnings. Packages that came later warn of how older ones call them.
    deprecated = "" if versions == "lowest" else "invalid"
    warnings = ("-W", "ignore::SyntaxWarning", "-W", f"ignore:{deprecated}:DeprecationWarning")
    return subprocess.run(
        [
            *(python, "-m", "pytest", "-p", "no:cacheprovider", *warnings),
            *(("-m", QUICK, "--hypothesis-profile=quick") if quick else IN_PARALLEL),
            *(f"tests/{folder}" for folder in folders),
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            # What another version of numba compiled must not be found.
            "NUMBA_CACHE_DIR": str(environment / "kernels"),
        },
        check=False,
    ).returncode


def main() -> int:
    """Test both, or what was chosen, and return 1 if a test failed."""
    parser = argparse.ArgumentParser(prog="minimum_versions", description=__doc__)
    parser.add_argument("--versions", choices=("lowest", "newest"), nargs="+")
    parser.add_argument("--folders", nargs="+", choices=FOLDERS, default=FOLDERS)
    parser.add_argument("--quick", action="store_true", help="no tests that are marked as dear")
    chosen = parser.parse_args()
    failed = False
    for versions in chosen.versions or ("lowest", "newest"):
        install(versions)
        failed |= tested(versions, list(chosen.folders), quick=chosen.quick) != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
