# SPDX-License-Identifier: MIT
"""The command receval: exit statuses, and what it writes."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands.demo_run import FRESH, ROOT, STUDY, accept, change

from receval.cli.main import CLOSED_PIPE, main
from reproduction.commands.tasks import TASKS


@pytest.mark.costly
def test_who_reads_only_the_head_of_a_report_gets_no_traceback(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    accept()
    change(FRESH / STUDY / "table2.csv", 0.35)
    capsys.readouterr()
    reading, writing = os.pipe()
    os.close(reading)
    # As Python does at its end, closing the stream writes what is left in it.
    with os.fdopen(writing, "w", encoding="utf-8") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert main(["repo", "drift", "--edition", "demo"]) == CLOSED_PIPE
    assert capsys.readouterr() == ("", "")


@pytest.mark.processes
@pytest.mark.costly
def test_libraries_of_pythonpath_do_not_take_the_place_of_those_of_the_environment(
    tmp_path: Path,
) -> None:
    for name in ("numpy.py", "random.py", "secrets.py"):
        (tmp_path / name).write_text("raise ImportError('of another Python')\n", encoding="utf-8")
    (tmp_path / "only_here.py").write_text("HERE = True\n", encoding="utf-8")
    program = "import receval.cli.main, numpy, random, only_here; print(numpy.__version__)"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT / "src")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    "command", ["accept", "schema", "metrics", "errata", "studies", "citation"]
)
def test_outside_the_repository_what_writes_into_it_is_refused_with_a_sentence(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["repo", command]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert (
        printed.err == "There is no config/config.yaml in this folder. Run receval repo in the "
        "repository.\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["datasets", "schema", "kernels"])
def test_in_another_repository_a_command_is_refused_instead_of_using_its_own_code(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("config/config.yaml", "src/receval/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    assert main(["repo", command]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        f"This folder has its own receval, but this command is the one in {ROOT / 'src'}. "
    )


def test_outside_the_repository_a_command_reads_the_one_whose_code_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["repo", "datasets", "--edition", "demo"]) == 0
    assert main(["repo", "claims", "B-004"]) == 0
    assert "ml-1m: holds" in capsys.readouterr().out
    assert main(["repo", "drift", "--edition", "demo"]) == 2
    assert "There is no work/demo/run.json" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_configuration_that_cannot_be_used_gives_2_with_its_sentences(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("config/config.yaml").open("a", encoding="utf-8") as file:
        file.write("netwrok: off\n")
    assert main(["repo", "datasets"]) == 2
    assert "netwrok: there is no such key" in capsys.readouterr().err


def test_datasets_prints_the_table_of_the_edition(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["repo", "datasets", "--edition", "demo"]) == 0
    assert "yahoo-r3       synthetic twin" in capsys.readouterr().out
    # Without a word the edition is that of config.yaml, full.
    assert main(["repo", "datasets"]) == 0
    assert "ydata-ymusic-rating-study-v1_0-train.txt" in capsys.readouterr().out


GENERATED = {
    "schema": ["config/schema.json", "config/claims/schema.json"],
    "metrics": ["docs/metrics.md"],
    "errata": ["docs/errata.md"],
    "studies": ["docs/studies.md"],
    "citation": ["README.md"],
}
"""The files that a task writes."""

OUTDATED = {"docs/studies.md": ("`fidelity`, ", ""), "README.md": ("Ca{\\~n}amares", "Canamares")}
"""Of pages with other parts, what a task writes, and something else."""


@pytest.fixture
def linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, the current folder, that reads what this one has, and writes its own pages."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for name in ("results", "CITATION.cff"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "docs").mkdir()
    for name, (now, before) in OUTDATED.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        assert now in text
        (tmp_path / name).write_text(text.replace(now, before), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("task", GENERATED)
def test_a_generated_file_is_what_its_task_writes(task: str, linked: Path) -> None:
    for file in GENERATED[task]:
        if file not in OUTDATED:
            (linked / file).unlink(missing_ok=True)
    assert main(["repo", task]) == 0
    for file in GENERATED[task]:
        written = (linked / file).read_text(encoding="utf-8")
        tracked = (ROOT / file).read_text(encoding="utf-8")
        assert written == tracked, f"{file} is not up to date: run receval repo {task}."


def test_a_page_without_a_row_of_a_study_is_refused(linked: Path) -> None:
    page = linked / "docs/studies.md"
    page.write_text(page.read_text("utf-8").replace("| `systems` |", "| systems |"), "utf-8")
    assert main(["repo", "studies"]) == 2


@pytest.mark.each(
    ("arguments", "told"),
    [
        ([], "Choose a command: receval diagnose, "),
        (
            ["drfit"],
            "no command 'drfit'. Did you mean receval repo drift? The commands are diagnose, ",
        ),
        (
            ["evalute"],
            "no command 'evalute'. Did you mean receval evaluate? The commands are diagnose, ",
        ),
        (["repo"], "receval repo: the following arguments are required: task"),
        (["repo", "drfit"], "invalid choice: 'drfit' (choose from 'drift', 'accept', "),
        (["repo", "drift", "--edition", "complete"], "'complete' (choose from 'demo', 'full')"),
        (["--colour"], "receval: "),
    ],
)
def test_an_unknown_command_or_edition_is_refused_with_those_there_are(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert told in printed.err
    assert (printed.out, printed.err.count("\n")) == ("", 1)


@pytest.mark.each("name", TASKS)
def test_the_old_spelling_of_a_task_says_the_new_one(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--edition", "demo"]) == 2
    assert capsys.readouterr().err == f"receval {name} is now receval repo {name}.\n"
    with pytest.raises(SystemExit) as stopped:
        main(["repo", name, "--help"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: receval repo {name}")


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOSPC, "there is no space left on the disk"),
        (errno.EROFS, "the file system is read-only"),
        (errno.EACCES, "permission is denied"),
    ],
)
def test_what_the_system_refuses_is_2_with_one_sentence(
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
    sentence: str,
) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(number, "refused", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert main(["repo", "accept", "--edition", "demo", "--yes"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("results/demo")
    assert sentence in line
