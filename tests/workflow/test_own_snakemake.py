# SPDX-License-Identifier: MIT
"""The Snakefile is read by whatever Snakemake somebody has, in whatever environment."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from workflow.running import ROOT, _impersonal

pytestmark = [pytest.mark.processes, pytest.mark.repository]

TABLE = "work/demo/artifacts/bellogin2017/table3.csv"

BEGIN = f"""
import sys
# Of all that is installed the libraries, and not this project.
sys.path.append({sysconfig.get_path("purelib")!r})
"""

RUN = """
from snakemake.cli import main
sys.argv[0] = "snakemake"
main()
"""


def planned(folder: Path, more: str = "") -> subprocess.CompletedProcess[str]:
    """Plan one table with a Snakemake that knows nothing of receval."""
    words = ("-s", str(ROOT / "Snakefile"), "-n", TABLE, "--config", "edition=demo")
    return subprocess.run(
        [sys.executable, "-S", "-P", "-c", BEGIN + more + RUN, *words],
        cwd=folder,
        env=_impersonal(folder),
        capture_output=True,
        text=True,
    )


def test_without_a_library_one_sentence_names_the_two_ways(tmp_path: Path) -> None:
    ended = planned(tmp_path, "sys.modules['filelock'] = None\n")
    assert ended.returncode == 1
    *_, said = ended.stderr.splitlines()
    assert "has no filelock, which the workflow needs. " in said
    assert "make -C " in said
    assert f"{sys.executable} -m pip install -e '{ROOT}[workflow]'" in said
    assert "Traceback" not in ended.stderr


def test_an_old_snakemake_is_told_that_it_is_old(tmp_path: Path) -> None:
    old = "import snakemake.common\nsnakemake.common.__version__ = '8.0.0'\n"
    # What it does not have is not looked for before.
    ended = planned(tmp_path, f"{old}sys.modules['filelock'] = None\n")
    assert ended.returncode == 1
    assert "Expecting Snakemake version 9.27 or higher" in ended.stdout + ended.stderr


def test_without_our_plug_in_the_plan_is_made_by_the_code_beside_the_snakefile(
    tmp_path: Path,
) -> None:
    # Though another checkout is loaded.
    (tmp_path / "receval").mkdir()
    (tmp_path / "receval" / "__init__.py").touch()
    ended = planned(tmp_path, f"sys.path.insert(0, {str(tmp_path)!r})\nimport receval\n")
    assert ended.returncode == 0, ended.stderr
    assert "compute_artifact" in ended.stdout + ended.stderr
