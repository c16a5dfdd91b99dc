# SPDX-License-Identifier: MIT
"""The commands drift and accept: what they compare, what they refuse, and what they change."""

from __future__ import annotations

import json
import shutil
import signal
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from commands.demo_run import ACCEPTED, FRESH, STUDY, accept, change, run_again

from receval.cli.main import main
from reproduction.config.settings import load_settings
from reproduction.workflow.plan.plan import Plan, record_run
from reproduction.workflow.provenance.versions import write_json

pytestmark = pytest.mark.usefixtures("repository")

VERDICTS = FRESH / "bellogin2017/fig08_relations.csv"


class Terminal(StringIO):
    """Somebody who types."""

    def isatty(self) -> bool:
        return True


def test_accept_copies_the_fresh_results(capsys: pytest.CaptureFixture[str]) -> None:
    assert accept() == 0
    for name in ("table2.csv", "table2.md", "table2.tex", "provenance.json"):
        accepted = (ACCEPTED / STUDY / name).read_bytes()
        assert accepted == (FRESH / STUDY / name).read_bytes()
    assert (ACCEPTED / "bellogin2017" / "fig02.svg").is_file()
    printed = capsys.readouterr().out.splitlines()
    assert f"new     {STUDY}/table2.csv" in printed
    count = len([path for path in ACCEPTED.rglob("*") if path.is_file()])
    assert f"{count} files change, 0 do not." in printed
    assert accept() == 0
    assert capsys.readouterr().out == f"0 files change, {count} do not.\n"


def test_accept_names_settings_that_others_will_not_have(
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_with(given={"OPENBLAS_CORETYPE": "Sandybridge"})
    assert accept() == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("They were made with OPENBLAS_CORETYPE=Sandybridge.")


@pytest.mark.costly
def test_accept_shows_how_many_rows_are_lost_and_changes_nothing_without_a_yes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    accept()
    table = FRESH / STUDY / "table2.csv"
    before = (ACCEPTED / STUDY / "table2.csv").read_bytes()
    pd.concat([pd.read_csv(table)] * 3).to_csv(table, index=False)
    run_again({})
    capsys.readouterr()
    assert main(["repo", "accept", "--edition", "demo"]) == 2
    printed = capsys.readouterr()
    assert f"changed {STUDY}/table2.csv, 2 rows more" in printed.out.splitlines()
    assert printed.err == (
        "Nothing was accepted. Use receval repo accept --yes, or answer at a terminal.\n"
    )
    # At the end of what is typed there is no line at all.
    for typed, status in (("", 2), ("\n", 2), ("n\n", 2), ("y\n", 0)):
        assert (ACCEPTED / STUDY / "table2.csv").read_bytes() == before
        monkeypatch.setattr("sys.stdin", Terminal(typed))
        assert main(["repo", "accept", "--edition", "demo"]) == status
    assert (ACCEPTED / STUDY / "table2.csv").read_bytes() == table.read_bytes()


def test_nothing_can_be_asked_where_the_input_is_closed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["repo", "accept", "--edition", "demo"]) == 2
    assert capsys.readouterr().err.startswith("Nothing was accepted. Use receval repo accept --yes")


def test_ctrl_c_at_the_question_is_one_line_and_changes_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Impatient(Terminal):
        def readline(self, size: int | None = -1) -> str:
            signal.raise_signal(signal.SIGINT)
            return "y\n"

    monkeypatch.setattr("sys.stdin", Impatient())
    # A shell without job control starts programs in the background with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["repo", "accept", "--edition", "demo"]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "Stopped by Ctrl-C.\n"
    assert not ACCEPTED.exists()


def test_drift_is_0_when_nothing_moved(capsys: pytest.CaptureFixture[str]) -> None:
    accept()
    capsys.readouterr()
    assert main(["repo", "drift", "--edition", "demo"]) == 0
    said = capsys.readouterr().out.splitlines()[0]
    total = said.split()[3]
    assert said.startswith(f"Drift: none of {total} artifacts; {total} of {total} identical")


def test_drift_is_1_when_something_moved_and_says_what(capsys: pytest.CaptureFixture[str]) -> None:
    accept()
    change(FRESH / STUDY / "table2.csv", 0.35)
    assert main(["repo", "drift", "--edition", "demo"]) == 1
    printed = capsys.readouterr().out
    assert "Drift: 1 of" in printed
    assert f"{STUDY}/table2" in printed
    assert "0.25" in printed
    assert "0.35" in printed


def make_with(**arithmetic: object) -> None:
    """Have the fresh results made with another arithmetic than the accepted ones."""
    for path in FRESH.glob("*/provenance.json"):
        record = json.loads(path.read_text())
        record["arithmetic"] |= arithmetic
        write_json(path, record)


def tolerate(per_list: float) -> None:
    """Tolerate so much per list of values, whatever was measured."""
    path = Path("config/drift.yaml")
    before = path.read_text(encoding="utf-8").partition("\ntolerances:")[0]
    bound = f"{{per_list: {per_list}, reason: a few hits}}"
    path.write_text(
        f"{before}\ntolerances:\n  value: {bound}\n  '*': {{reason: exact}}\n", encoding="utf-8"
    )


OTHER_KERNELS = "OpenBLAS 0.3.30 with NeoverseN1 kernels"


def test_every_digit_counts_where_the_arithmetic_is_that_of_the_accepted_results() -> None:
    accept()
    change(FRESH / STUDY / "table2.csv", 0.2500001)
    assert main(["repo", "drift", "--edition", "demo"]) == 1


def test_another_arithmetic_is_named_and_what_it_may_move_is_tolerated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    accept()
    make_with(blas=[OTHER_KERNELS])
    tolerate(per_list=0.3)
    change(FRESH / STUDY / "table2.csv", 0.2500001)
    capsys.readouterr()
    assert main(["repo", "drift", "--edition", "demo"]) == 0
    said = capsys.readouterr().out
    assert "1 equal within the tolerance for processors" in said.splitlines()[0]
    assert f"{OTHER_KERNELS} here" in said


@pytest.mark.costly
def test_drift_tolerates_what_the_configuration_tolerates() -> None:
    accept()
    make_with(blas=[OTHER_KERNELS])
    tolerate(per_list=0.3)
    # 0.3 per list over 600 lists: 0.0005.
    change(FRESH / STUDY / "table2.csv", 0.2504)
    assert main(["repo", "drift", "--edition", "demo"]) == 0
    assert main(["repo", "drift", "--edition", "demo", "--all"]) == 1
    change(FRESH / STUDY / "table2.csv", 0.2506)
    assert main(["repo", "drift", "--edition", "demo"]) == 1


def test_drift_is_1_when_nothing_is_accepted_or_something_is_missing() -> None:
    assert main(["repo", "drift", "--edition", "demo"]) == 1
    accept()
    (FRESH / STUDY / "table2.csv").unlink()
    assert main(["repo", "drift", "--edition", "demo"]) == 1


def test_drift_changes_nothing() -> None:
    accept()
    change(FRESH / STUDY / "table2.csv", 0.35)
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    main(["repo", "drift", "--edition", "demo"])
    assert {p: p.read_bytes() for p in Path().rglob("*") if p.is_file()} == before


def test_a_drawing_without_its_numbers_is_not_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    (FRESH / STUDY / "table2.csv").unlink()
    assert accept() == 2
    assert "table2.csv is missing" in capsys.readouterr().err
    assert not ACCEPTED.exists()


def test_accept_refuses_to_lose_a_dataset_that_the_run_left_out_unless_told_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert accept() == 0
    run_again({"leave_out": ["librarything"]})
    capsys.readouterr()
    assert accept() == 2
    printed = capsys.readouterr()
    assert "librarything" in printed.err
    assert printed.out == ""
    assert accept("--drop") == 0


def test_a_dataset_that_a_study_did_not_have_before_is_no_loss() -> None:
    assert accept() == 0
    # As before figure 5, when neither a dataset nor its absence was of interest.
    record = ACCEPTED / "bellogin2017" / "provenance.json"
    record.write_text('{"absent": [], "datasets": {"ml-1m": {}}}')
    assert accept() == 0
    assert json.loads(record.read_text())["absent"] == ["trec-qrels"]


def test_accept_removes_what_no_study_lists_only_if_told_to(
    capsys: pytest.CaptureFixture[str],
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
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert main(["repo", command]) == 2
    assert capsys.readouterr().err == (
        "There is no work/full/run.json, so nothing has been run. Run the workflow first: "
        "snakemake --cores all --config edition=full.\n"
    )
    shutil.rmtree(FRESH)
    assert main(["repo", command, "--edition", "demo"]) == 2
    assert "The last run made no artifact" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["drift", "accept"])
def test_artifacts_of_runs_with_different_configurations_are_refused(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    given = {"seed": 7}
    record_run(Plan(load_settings(Path("config"), "demo", given), Path()), given)
    assert main(["repo", command, "--edition", "demo"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("work/demo/artifacts/")
    assert "it was made with other settings (seed)" in said


@pytest.mark.parametrize(
    ("file", "before", "after", "reason"),
    [
        (
            "config/config.yaml",
            "leave_out: []",
            "leave_out: [ml-1m]",
            "The available datasets have changed",
        ),
        ("config/demo.yaml", "seed:", "seed: 77 #", "The configuration of bellogin2017, valcarce"),
        ("work/demo/run.json", '"given"', '"taken"', "work/demo/run.json is not a record of a run"),
    ],
)
def test_what_has_changed_since_the_run_is_named(
    capsys: pytest.CaptureFixture[str],
    file: str,
    before: str,
    after: str,
    reason: str,
) -> None:
    path = Path(file)
    text = path.read_text(encoding="utf-8")
    if before not in text:
        text += f"\n{before} 0"
    path.write_text(text.replace(before, after), encoding="utf-8")
    for command in ("drift", "accept"):
        assert main(["repo", command, "--edition", "demo"]) == 2
        assert capsys.readouterr().err.startswith(reason)


def test_results_that_are_not_those_of_their_record_are_not_accepted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    change(FRESH / STUDY / "table2.csv", 0.35)
    assert accept() == 2
    assert "table2 differs from its record" in capsys.readouterr().err
    run_again({})
    record = FRESH / STUDY / "provenance.json"
    content = json.loads(record.read_text())
    content["code"]["table2"]["results"] = "of older code"
    record.write_text(json.dumps(content))
    assert accept() == 2
    assert (
        "the code behind it, a library or the arithmetic has changed since"
        in capsys.readouterr().err
    )
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
def test_damaged_records_are_named(
    capsys: pytest.CaptureFixture[str], name: str, content: str
) -> None:
    path = Path("work/demo", name)
    path.write_bytes(content.encode(errors="surrogateescape"))
    for command in (["drift"], ["accept", "--yes"]):
        assert main(["repo", *command, "--edition", "demo"]) == 2
        said = capsys.readouterr().err
        assert f"{path.as_posix()} is not a record of " in said
        assert len(said) <= 500


def test_many_results_that_are_not_those_of_their_record_are_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Verdicts on claims are reached by the record, which cannot be of them.
    tables = sorted(set((FRESH / "bellogin2017").glob("*.csv")) - {VERDICTS})
    for table in tables:
        change(table, 0.35)
    assert accept() == 2
    said = capsys.readouterr().err
    assert f" and {len(tables) - 3} more differs from its record" in said
    assert len(said) <= 500
