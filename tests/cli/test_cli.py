"""The command receval: exit statuses, and what it writes."""

from __future__ import annotations

import errno
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from receval.cli import main
from receval.config.settings import json_schema, load_settings
from receval.metrics.cards import document
from receval.workflow.plan.plan import Plan

ROOT = Path(__file__).resolve().parents[2]
STUDY = "valcarce2018"
STUDIES = (STUDY, "bellogin2017")
FRESH = Path("work/demo/artifacts")
ACCEPTED = Path("results/demo")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose demo has been run, the current folder."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for study in (tmp_path / "config/studies").iterdir():
        if study.stem not in STUDIES:
            study.unlink()
    demo = tmp_path / "config/demo.yaml"
    content = yaml.safe_load(demo.read_text())
    content["studies"] = {name: content["studies"][name] for name in STUDIES}
    demo.write_text(yaml.safe_dump(content))
    monkeypatch.chdir(tmp_path)
    plan = Plan(load_settings(Path("config"), "demo"), Path())
    table = pd.DataFrame({"dataset": ["ml-1m"], "system": ["pop"], "value": [0.25], "lists": [600]})
    for study in plan.settings.studies:
        for artifact in plan.artifacts.made(study):
            for file in map(Path, plan.artifacts.files(study, artifact)):
                file.parent.mkdir(parents=True, exist_ok=True)
                if file.suffix == ".csv":
                    table.to_csv(file, index=False)
                else:
                    file.write_text(f"{artifact} drawn")
        absent = plan.studies.absent(study)
        there = {name: {} for name in plan.studies.datasets(study) if name not in absent}
        record = json.dumps({"absent": absent, "datasets": there})
        (FRESH / study / "provenance.json").write_text(record)
    return tmp_path


def change(path: Path, value: float) -> None:
    pd.read_csv(path).assign(value=value).to_csv(path, index=False)


def test_accept_copies_the_fresh_results(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["accept", "--edition", "demo"]) == 0
    for name in ("table2.csv", "table2.md", "table2.tex", "provenance.json"):
        accepted = (ACCEPTED / STUDY / name).read_bytes()
        assert accepted == (FRESH / STUDY / name).read_bytes()
    assert (ACCEPTED / "bellogin2017" / "fig02.svg").is_file()
    printed = capsys.readouterr().out
    assert f"accepted {STUDY}/table2.csv" in printed
    count = len([path for path in ACCEPTED.rglob("*") if path.is_file()])
    assert printed.splitlines()[-1] == f"{count} files accepted, 0 unchanged."
    assert main(["accept", "--edition", "demo"]) == 0
    assert capsys.readouterr().out == f"0 files accepted, {count} unchanged.\n"


def test_drift_is_0_when_nothing_moved(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["accept", "--edition", "demo"])
    assert main(["drift", "--edition", "demo"]) == 0
    assert "Drift: none of" in capsys.readouterr().out


def test_drift_is_1_when_something_moved_and_says_what(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["accept", "--edition", "demo"])
    change(FRESH / STUDY / "table2.csv", 0.35)
    assert main(["drift", "--edition", "demo"]) == 1
    printed = capsys.readouterr().out
    assert "Drift: 1 of" in printed
    assert f"{STUDY}/table2" in printed
    assert "0.25" in printed
    assert "0.35" in printed


def test_drift_tolerates_what_the_configuration_tolerates(repository: Path) -> None:
    main(["accept", "--edition", "demo"])
    # 0.3 per list over 600 lists: 0.0005.
    change(FRESH / STUDY / "table2.csv", 0.2504)
    assert main(["drift", "--edition", "demo"]) == 0
    change(FRESH / STUDY / "table2.csv", 0.2506)
    assert main(["drift", "--edition", "demo"]) == 1


def test_drift_is_1_when_nothing_is_accepted_or_something_is_missing(repository: Path) -> None:
    assert main(["drift", "--edition", "demo"]) == 1
    main(["accept", "--edition", "demo"])
    (FRESH / STUDY / "table2.csv").unlink()
    assert main(["drift", "--edition", "demo"]) == 1


def test_drift_changes_nothing(repository: Path) -> None:
    main(["accept", "--edition", "demo"])
    change(FRESH / STUDY / "table2.csv", 0.35)
    before = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    main(["drift", "--edition", "demo"])
    assert {p: p.read_bytes() for p in repository.rglob("*") if p.is_file()} == before


def test_a_drawing_without_its_numbers_is_not_accepted(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (FRESH / STUDY / "table2.csv").unlink()
    assert main(["accept", "--edition", "demo"]) == 2
    assert "table2.csv is missing" in capsys.readouterr().err
    assert not ACCEPTED.exists()


def test_accept_refuses_to_lose_a_dataset_unless_told_to(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["accept", "--edition", "demo"]) == 0
    configuration = repository / "config" / "config.yaml"
    text = configuration.read_text(encoding="utf-8")
    configuration.write_text(text.replace("leave_out: []", "leave_out: [librarything]"))
    capsys.readouterr()
    assert main(["accept", "--edition", "demo"]) == 2
    assert "librarything" in capsys.readouterr().err
    assert main(["accept", "--edition", "demo", "--drop"]) == 0


def test_a_dataset_that_a_study_did_not_have_before_is_no_loss(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["accept", "--edition", "demo"]) == 0
    # As before figure 5, when neither a dataset nor its absence was of interest.
    record = ACCEPTED / "bellogin2017" / "provenance.json"
    record.write_text('{"absent": [], "datasets": {"ml-1m": {}}}')
    assert main(["accept", "--edition", "demo"]) == 0
    assert json.loads(record.read_text())["absent"] == ["trec-qrels"]


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
    assert main(["accept", "--edition", "demo"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("results/demo")
    assert sentence in line
