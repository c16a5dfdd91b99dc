"""The command receval: exit statuses, and what it writes."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import yaml

from receval.cli import CLOSED_PIPE, main
from receval.config.settings import json_schema, load_settings
from receval.metrics.cards import document
from receval.provenance.versions import provenance_record, write_json
from receval.workflow.plan.plan import Plan
from receval.workflow.run_record import record_run

ROOT = Path(__file__).resolve().parents[2]
STUDY = "valcarce2018"
STUDIES = (STUDY, "bellogin2017")
FRESH = Path("work/demo/artifacts")
ACCEPTED = Path("results/demo")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A repository whose demo has been run, and where each test gets a copy of it.

    It is the same place for all, so that the sources are parsed once.
    """
    made, copy = (tmp_path_factory.mktemp("cli") / name for name in ("made", "copy"))
    shutil.copytree(ROOT / "config", made / "config")
    (made / "src").symlink_to(ROOT / "src")
    for study in (made / "config/studies").iterdir():
        if study.stem not in STUDIES:
            study.unlink()
    demo = made / "config/demo.yaml"
    content = yaml.safe_load(demo.read_text())
    content["studies"] = {name: content["studies"][name] for name in STUDIES}
    demo.write_text(yaml.safe_dump(content))
    table = pd.DataFrame({"dataset": ["ml-1m"], "system": ["pop"], "value": [0.25], "lists": [600]})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        plan = Plan(load_settings(Path("config"), "demo"), Path())
        for study in plan.settings.studies:
            for artifact in plan.artifacts.made(study):
                for file in map(Path, plan.artifacts.files(study, artifact)):
                    file.parent.mkdir(parents=True, exist_ok=True)
                    if file.suffix == ".csv":
                        table.to_csv(file, index=False)
                    else:
                        file.write_text(f"{artifact} drawn")
        run(plan, {})
    return made, copy


@pytest.fixture
def repository(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the repository whose demo has been run, the current folder."""
    made, copy = folders
    shutil.copytree(made, copy, symlinks=True)
    with monkeypatch.context() as patch:
        patch.chdir(copy)
        yield copy
    shutil.rmtree(copy)


def run(plan: Plan, given: dict[str, object]) -> None:
    """Leave the records of a run that has made all artifacts that are there."""
    record_run(plan, given)
    for study in plan.settings.studies:
        absent = plan.studies.absent(study)
        there = {name: {} for name in plan.studies.datasets(study) if name not in absent}
        record = provenance_record(
            {**plan.studies.description(study), "metadata of the splits": {}},
            there,
            absent,
            plan.code_digests.of_study(study),
            map(Path, plan.studies.provenance_inputs(study)["results"]),
        )
        write_json(Path(plan.studies.record_file(study)), record)


def run_again(given: dict[str, object]) -> None:
    run(Plan(load_settings(Path("config"), "demo", given), Path()), given)


def accept(*options: str) -> int:
    return main(["accept", "--edition", "demo", "--yes", *options])


def change(path: Path, value: float) -> None:
    pd.read_csv(path).assign(value=value).to_csv(path, index=False)


def test_accept_copies_the_fresh_results(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert accept() == 0
    for name in ("table2.csv", "table2.md", "table2.tex", "provenance.json"):
        accepted = (ACCEPTED / STUDY / name).read_bytes()
        assert accepted == (FRESH / STUDY / name).read_bytes()
    assert (ACCEPTED / "bellogin2017" / "fig02.svg").is_file()
    printed = capsys.readouterr().out
    assert f"new     {STUDY}/table2.csv" in printed.splitlines()
    count = len([path for path in ACCEPTED.rglob("*") if path.is_file()])
    assert printed.splitlines()[-1] == f"{count} files change, 0 do not."
    assert accept() == 0
    assert capsys.readouterr().out == f"0 files change, {count} do not.\n"


def test_accept_shows_how_many_rows_are_lost_and_changes_nothing_without_a_yes(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    accept()
    table = FRESH / STUDY / "table2.csv"
    before = (ACCEPTED / STUDY / "table2.csv").read_bytes()
    pd.concat([pd.read_csv(table)] * 3).to_csv(table, index=False)
    run_again({})
    capsys.readouterr()
    assert main(["accept", "--edition", "demo"]) == 2
    printed = capsys.readouterr()
    assert f"changed {STUDY}/table2.csv, 2 rows more" in printed.out.splitlines()
    assert printed.err == (
        "Nothing was accepted: say receval accept --yes, or answer at a terminal.\n"
    )
    for answer, status in (("", 2), ("n", 2), ("y", 0)):
        assert (ACCEPTED / STUDY / "table2.csv").read_bytes() == before
        monkeypatch.setattr("sys.stdin.isatty", lambda: True)
        monkeypatch.setattr("builtins.input", lambda _, answer=answer: answer)
        assert main(["accept", "--edition", "demo"]) == status
    assert (ACCEPTED / STUDY / "table2.csv").read_bytes() == table.read_bytes()


def test_drift_is_0_when_nothing_moved(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept()
    assert main(["drift", "--edition", "demo"]) == 0
    assert "Drift: none of" in capsys.readouterr().out


def test_drift_is_1_when_something_moved_and_says_what(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept()
    change(FRESH / STUDY / "table2.csv", 0.35)
    assert main(["drift", "--edition", "demo"]) == 1
    printed = capsys.readouterr().out
    assert "Drift: 1 of" in printed
    assert f"{STUDY}/table2" in printed
    assert "0.25" in printed
    assert "0.35" in printed


def test_drift_tolerates_what_the_configuration_tolerates(repository: Path) -> None:
    accept()
    # 0.3 per list over 600 lists: 0.0005.
    change(FRESH / STUDY / "table2.csv", 0.2504)
    assert main(["drift", "--edition", "demo"]) == 0
    assert main(["drift", "--edition", "demo", "--all"]) == 1
    change(FRESH / STUDY / "table2.csv", 0.2506)
    assert main(["drift", "--edition", "demo"]) == 1


def test_drift_is_1_when_nothing_is_accepted_or_something_is_missing(repository: Path) -> None:
    assert main(["drift", "--edition", "demo"]) == 1
    accept()
    (FRESH / STUDY / "table2.csv").unlink()
    assert main(["drift", "--edition", "demo"]) == 1


def test_drift_changes_nothing(repository: Path) -> None:
    accept()
    change(FRESH / STUDY / "table2.csv", 0.35)
    before = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    main(["drift", "--edition", "demo"])
    assert {p: p.read_bytes() for p in repository.rglob("*") if p.is_file()} == before


def test_a_drawing_without_its_numbers_is_not_accepted(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (FRESH / STUDY / "table2.csv").unlink()
    assert accept() == 2
    assert "table2.csv is missing" in capsys.readouterr().err
    assert not ACCEPTED.exists()


def test_accept_refuses_to_lose_a_dataset_that_the_run_left_out_unless_told_to(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert accept() == 0
    run_again({"leave_out": ["librarything"]})
    capsys.readouterr()
    assert accept() == 2
    printed = capsys.readouterr()
    assert "librarything" in printed.err
    assert printed.out == ""
    assert accept("--drop") == 0


def test_a_dataset_that_a_study_did_not_have_before_is_no_loss(repository: Path) -> None:
    assert accept() == 0
    # As before figure 5, when neither a dataset nor its absence was of interest.
    record = ACCEPTED / "bellogin2017" / "provenance.json"
    record.write_text('{"absent": [], "datasets": {"ml-1m": {}}}')
    assert accept() == 0
    assert json.loads(record.read_text())["absent"] == ["trec-qrels"]


def test_accept_removes_what_no_study_lists_only_if_told_to(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert accept() == 0
    (ACCEPTED / STUDY / "table9.csv").write_text("value\n1\n")
    assert accept() == 2
    assert f"(1, such as {STUDY}/table9.csv)" in capsys.readouterr().err
    assert accept("--drop") == 0
    assert f"removed {STUDY}/table9.csv" in capsys.readouterr().out.splitlines()
    assert not (ACCEPTED / STUDY / "table9.csv").exists()


@pytest.mark.parametrize("command", ["drift", "accept"])
def test_where_nothing_has_been_run_nothing_is_compared_or_accepted(
    repository: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert main([command]) == 2
    assert capsys.readouterr().err == (
        "Nothing has been run: there is no work/full/run.json. Run the workflow first: "
        "snakemake --cores all --config edition=full.\n"
    )
    shutil.rmtree(FRESH)
    assert main([command, "--edition", "demo"]) == 2
    assert "The last run made no artifact" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["drift", "accept"])
def test_artifacts_of_runs_with_different_configurations_are_refused(
    repository: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    given = {"seed": 7}
    record_run(Plan(load_settings(Path("config"), "demo", given), Path()), given)
    assert main([command, "--edition", "demo"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("work/demo/artifacts/")
    assert "it was made with other settings (seed)" in said


@pytest.mark.parametrize(
    ("file", "before", "after", "reason"),
    [
        ("config/config.yaml", "leave_out: []", "leave_out: [ml-1m]", "Other datasets can be had"),
        ("config/demo.yaml", "seed:", "seed: 77 #", "The configuration of bellogin2017, valcarce"),
        ("work/demo/run.json", '"given"', '"taken"', "work/demo/run.json is no record of a run"),
    ],
)
def test_what_has_changed_since_the_run_is_named(
    repository: Path,
    capsys: pytest.CaptureFixture[str],
    file: str,
    before: str,
    after: str,
    reason: str,
) -> None:
    path = repository / file
    text = path.read_text(encoding="utf-8")
    if before not in text:
        text += f"\n{before} 0"
    path.write_text(text.replace(before, after), encoding="utf-8")
    for command in ("drift", "accept"):
        assert main([command, "--edition", "demo"]) == 2
        assert capsys.readouterr().err.startswith(reason)


def test_results_that_are_not_those_of_their_record_are_not_accepted(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(FRESH / STUDY / "table2.csv", 0.35)
    assert accept() == 2
    assert "table2 is not what its record has" in capsys.readouterr().err
    run_again({})
    record = FRESH / STUDY / "provenance.json"
    content = json.loads(record.read_text())
    content["code"]["table2"]["results"] = "of older code"
    record.write_text(json.dumps(content))
    assert accept() == 2
    assert "the code behind it has changed since" in capsys.readouterr().err
    record.unlink()
    assert accept() == 2
    assert "provenance.json is missing" in capsys.readouterr().err
    assert not ACCEPTED.exists()


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", "[" * 100_000, "\udcff", '{"given": {}, "datasets": [], "descriptions": {}}'],
    ids=lambda content: content[:20],
)
@pytest.mark.parametrize("name", ["run.json", f"artifacts/{STUDY}/provenance.json"])
@pytest.mark.parametrize("command", [["drift"], ["accept", "--yes"]], ids=lambda words: words[0])
def test_damaged_records_are_named(
    repository: Path,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    name: str,
    content: str,
) -> None:
    path = Path("work/demo", name)
    path.write_bytes(content.encode(errors="surrogateescape"))
    assert main([*command, "--edition", "demo"]) == 2
    said = capsys.readouterr().err
    assert f"{path.as_posix()} is no record of " in said
    assert len(said) <= 500


def test_many_results_that_are_not_those_of_their_record_are_counted(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = sorted((FRESH / "bellogin2017").glob("*.csv"))
    for table in tables:
        change(table, 0.35)
    assert accept() == 2
    said = capsys.readouterr().err
    assert f" and {len(tables) - 3} more is not what its record has" in said
    assert len(said) <= 500


def test_who_reads_only_the_head_of_a_report_gets_no_traceback(repository: Path) -> None:
    accept()
    change(FRESH / STUDY / "table2.csv", 0.35)
    program = "import sys; from receval.cli import main; sys.exit(main(sys.argv[1:]))"
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-c", program, "drift", "--edition", "demo"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (CLOSED_PIPE, "")


@pytest.mark.parametrize("command", ["drift", "accept", "datasets", "verify", "schema", "metrics"])
def test_outside_the_repository_the_status_is_2_with_a_sentence(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([command]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "There is no config/config.yaml here: run receval in the repository.\n"
    assert list(tmp_path.iterdir()) == []


def test_a_configuration_that_cannot_be_used_gives_2_with_its_sentences(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("config/config.yaml").open("a") as file:
        file.write("netwrok: off\n")
    assert main(["datasets"]) == 2
    assert "netwrok: there is no such key" in capsys.readouterr().err


def test_datasets_prints_the_table_of_the_edition(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["datasets", "--edition", "demo"]) == 0
    assert "yahoo-r3       synthetic twin" in capsys.readouterr().out
    # Without a word the edition is that of config.yaml, full.
    assert main(["datasets"]) == 0
    assert "ydata-ymusic-rating-study-v1_0-train.txt" in capsys.readouterr().out


def test_schema_writes_the_schema_of_the_models(repository: Path) -> None:
    Path("config/schema.json").write_text("{}")
    assert main(["schema"]) == 0
    assert Path("config/schema.json").read_text(encoding="utf-8") == json_schema()


def test_metrics_writes_the_cards_of_the_metrics(repository: Path) -> None:
    assert main(["metrics"]) == 0
    assert Path("docs/metrics.md").read_text(encoding="utf-8") == document()


@pytest.mark.parametrize("arguments", [[], ["drfit"], ["drift", "--edition", "complete"]])
def test_an_unknown_command_or_edition_is_refused_with_those_there_are(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: receval" in capsys.readouterr().err


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
    assert main(["accept", "--edition", "demo", "--yes"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("results/demo")
    assert sentence in line
