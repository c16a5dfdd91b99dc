# SPDX-License-Identifier: MIT
import math
import re
import resource
from pathlib import Path
from typing import Any

import pytest
from drift.small_study import tolerant_config

from reproduction.drift.changes import Kind
from reproduction.drift.comparison import (
    Acceptance,
    ArtifactStatus,
    acceptance,
    as_markdown,
    as_text,
    compare_folders,
)

HEADER = "dataset,system,metric,value,lists\n"


class Sides:
    """A folder of fresh artifacts and one of accepted ones."""

    def __init__(self, folder: Path) -> None:
        self.fresh = folder / "work" / "artifacts"
        self.accepted = folder / "results"

    def write(self, side: str, name: str, text: str) -> None:
        path = getattr(self, side) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def both(self, name: str, accepted: str, fresh: str | None = None) -> None:
        """Write a file on both sides, by default the same."""
        self.write("accepted", name, accepted)
        self.write("fresh", name, accepted if fresh is None else fresh)

    def compare(self, *expected: str, **options: object):
        return compare_folders(self.fresh, self.accepted, tolerant_config(), expected, **options)

    def accept(self, *artifacts: str, **more: Any) -> Acceptance:
        changes = acceptance(self.fresh, self.accepted, artifacts, **more)
        changes.carry_out()
        return changes

    def files(self, side: str) -> dict[str, str]:
        folder = getattr(self, side)
        return {
            str(path.relative_to(folder)): path.read_text()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def sides(tmp_path):
    return Sides(tmp_path)


def statuses(report):
    return {artifact.name: artifact.status for artifact in report.artifacts}


@pytest.mark.parametrize(
    ("fresh", "status"),
    [
        ("0.5", ArtifactStatus.SAME),
        ("0.5001", ArtifactStatus.TOLERATED),
        ("0.7", ArtifactStatus.DRIFTED),
    ],
)
def test_a_value_drifts_beyond_its_tolerance_only(sides, fresh, status):
    sides.both("study/fig01.csv", HEADER + "ml,a,P,0.5,1000\n", HEADER + f"ml,a,P,{fresh},1000\n")
    report = sides.compare("study/fig01")
    assert statuses(report) == {"study/fig01": status}
    assert report.drifted is (status is ArtifactStatus.DRIFTED)


def test_an_expected_artifact_that_is_missing_or_new_is_drift(sides):
    sides.write("accepted", "study/fig01.csv", HEADER)
    sides.write("fresh", "study/fig02.csv", HEADER)
    report = sides.compare("study/fig01", "study/fig02", "study/fig03")
    assert statuses(report) == {
        "study/fig01": ArtifactStatus.MISSING,
        "study/fig02": ArtifactStatus.NEW,
        "study/fig03": ArtifactStatus.MISSING,
    }
    assert all(artifact.drifted for artifact in report.artifacts)


def test_an_accepted_artifact_that_this_run_does_not_make_is_absent_and_no_drift(sides):
    sides.write("accepted", "study/fig01.csv", HEADER + "ml,a,P,0.5,10\n")
    sides.both("study/fig02.csv", HEADER)
    sides.write("fresh", "study/fig01.csv", HEADER + "ml,a,P,0.9,10\n")
    sides.write("fresh", "study/fig09.csv", HEADER)
    report = sides.compare("study/fig02")
    assert statuses(report) == {
        "study/fig01": ArtifactStatus.ABSENT,
        "study/fig02": ArtifactStatus.SAME,
        "study/fig09": ArtifactStatus.LEFTOVER,
    }
    assert not report.drifted


def test_rows_of_a_dataset_that_one_side_lacks_are_reported_and_no_drift(sides):
    sides.both(
        "study/fig01.csv",
        HEADER + "ml,a,P,0.5,10\ncm,a,P,0.5,7\ncm,b,P,1,7\n",
        HEADER + "ml,a,P,0.5,10\nyahoo,a,P,0.5,7\n",
    )
    report = sides.compare("study/fig01", one_sided_datasets=["cm", "ml", "yahoo"])
    assert statuses(report) == {"study/fig01": ArtifactStatus.SAME}
    assert report.artifacts[0].one_sided == {"cm": 2, "yahoo": 1}
    assert "2 rows of cm on one side only" in as_text(report)
    assert sides.compare("study/fig01", one_sided_datasets=["cm"]).drifted
    # Whatever may be absent, a dataset that both sides have is compared.
    sides.write("fresh", "study/fig01.csv", HEADER + "ml,a,P,0.9,10\n")
    assert sides.compare("study/fig01", one_sided_datasets=["cm", "ml"]).drifted


def test_a_drawing_with_other_bytes_is_reported_and_no_drift(sides):
    sides.both("study/fig01.csv", HEADER)
    sides.both("study/fig01.pdf", "%PDF")
    sides.both("study/fig01.svg", "<svg/>", "<svg></svg>")
    sides.write("fresh", "study/fig01.md", "only here")
    report = sides.compare("study/fig01")
    assert not report.drifted
    assert report.artifacts[0].drawings == {".svg": False, ".pdf": True}
    assert "redrawn, svg differ" in as_text(report)


def test_a_checkout_that_ends_lines_otherwise_has_the_same_artifacts(sides):
    files = {"study/fig01.csv": f"{HEADER}ml,a,P,0.5,10\n", "study/fig01.svg": "<svg>\n</svg>\n"}
    for name, text in files.items():
        sides.both(name, text)
        (sides.accepted / name).write_bytes(text.replace("\n", "\r\n").encode())
    report = sides.compare("study/fig01")
    assert statuses(report) == {"study/fig01": ArtifactStatus.SAME}
    assert report.artifacts[0].drawings == {".svg": True}
    assert acceptance(sides.fresh, sides.accepted, {"study/fig01"}).copied == ()


def test_the_order_of_systems_is_reported_by_panel(sides):
    def rows(dataset, *values):
        return "".join(
            f"{dataset},{system},P,{value},9\n"
            for system, value in zip("abcd", values, strict=True)
        )

    sides.write(
        "accepted",
        "study/fig01.csv",
        HEADER
        + rows("ml", 0.1, 0.2, 0.3, 0.4)
        + rows("cm", 0.1, 0.2, 0.3, 0.3)
        + rows("lt", 0.1, 0.2, "", "")
        + rows("ya", 0.1, 0.1, 0.1, 0.1),
    )
    sides.write(
        "fresh",
        "study/fig01.csv",
        HEADER
        + rows("ml", 0.1, 0.21, 0.2, 0.4)
        + rows("cm", 0.11, 0.21, 0.31, 0.31)
        + rows("lt", 0.3, 0.1, 0.2, "")
        + rows("ya", 0.1, 0.1, 0.1, 0.2),
    )
    artifact = sides.compare("study/fig01").artifacts[0]
    assert artifact.panels == 4
    found = {order.panel: (order.tau, order.systems) for order in artifact.orders}
    assert list(found) == ["dataset=ml, metric=P", "dataset=lt, metric=P", "dataset=ya, metric=P"]
    assert found["dataset=ml, metric=P"] == (pytest.approx(4 / 6), 4)
    assert found["dataset=lt, metric=P"] == (pytest.approx(-1), 2)
    assert found["dataset=ya, metric=P"][0] != found["dataset=ya, metric=P"][0], "NaN: all tied"
    assert "0.6667" in as_text(sides.compare("study/fig01"))


def test_a_table_without_systems_has_no_order_of_systems(sides):
    sides.both("study/table1.csv", "dataset,users\nml,5\ncm,6\n")
    assert sides.compare("study/table1").artifacts[0].panels == 0


def test_the_reports_show_what_moved_and_by_how_much(sides):
    sides.both("study/fig01.csv", HEADER + "ml,a|b,P,0.5,1000\n", HEADER + "ml,a|b,P,0.25,999\n")
    report = sides.compare("study/fig01", "study/fig02")
    text, markdown = as_text(report).splitlines(), as_markdown(report).splitlines()
    assert text[0] == "Drift: 2 of 2 artifacts"
    (line,) = [line for line in text if " value " in line and "0.25" in line]
    assert line.split() == [
        *("study/fig01", "value", "dataset=ml,", "system=a|b,", "metric=P", "value"),
        *("0.5", "0.25", "-0.25", "0.0005"),
    ]
    assert any(line.split()[-4:] == ["1000", "999", "-1", "0"] for line in text)
    assert text[-5] == "What was not compared"
    assert text[-1].split() == [
        "study/fig02",
        *["missing:", "this", "run", "should", "have", "made", "it"],
    ]
    assert (
        r"| study/fig01 | value | dataset=ml, system=a\|b, metric=P | value | 0.5 | 0.25 | -0.25 "
        "| 0.0005 |"
    ) in [re.sub(" +", " ", line) for line in markdown]
    assert as_text(sides.compare()).startswith(
        "Drift: none of 1 artifacts; 0 of 1 identical, 1 not"
    )


def test_the_report_counts_the_moved_values_of_every_system(sides):
    rows = "ml,{0},P,{1},9\nml,{0},R,{2},9\n"
    both = rows.format("still", 0.5, 0.5)
    accepted = rows.format("once", 0.1, 0.1) + rows.format("twice", 0.1, 0.1)
    fresh = rows.format("once", 0.1, 0.2) + rows.format("twice", 0.2, 0.2)
    sides.both("study/fig01.csv", HEADER + accepted + both, HEADER + fresh + both)
    report = sides.compare("study/fig01")
    assert list(report.artifacts[0].systems.items()) == [("twice", 2), ("once", 1)]
    listed = as_text(report).partition("Whose values moved\n\n")[2].splitlines()
    assert [line.split() for line in listed[2:4]] == [
        ["study/fig01", "twice", "2"],
        ["study/fig01", "once", "1"],
    ]


@pytest.mark.parametrize(
    ("columns", "systems"),
    [
        ("value_once,value_twice", {"twice": 2, "once": 1}),
        # Beside a column of values, others are not of systems.
        ("value_once,value_twice,value", {}),
    ],
)
def test_columns_of_systems_are_counted_like_rows(sides, columns, systems):
    header = f"dataset,metric,{columns}\n"
    rows = "ml,P,0.1,{}{end}\nml,R,{},{}{end}\n"
    end = ",0.5" if columns.endswith(",value") else ""
    sides.both(
        "study/fig01.csv",
        header + rows.format(0.1, 0.1, 0.1, end=end),
        header + rows.format(0.2, 0.2, 0.2, end=end),
    )
    (artifact,) = sides.compare("study/fig01").artifacts
    assert len(artifact.changes) == 3
    assert artifact.systems == systems


def test_a_long_list_of_changes_is_cut_and_counted(sides):
    sides.write(
        "accepted", "study/fig01.csv", "name,users\n" + "".join(f"u{n},1\n" for n in range(9))
    )
    sides.write("fresh", "study/fig01.csv", "name,users\n" + "".join(f"u{n},2\n" for n in range(9)))
    text = as_text(sides.compare("study/fig01"), most=4)
    assert sum("count" in line for line in text.splitlines()) == 4
    assert "study/fig01: 5 more changes not listed" in text
    assert "not listed" not in as_text(sides.compare("study/fig01"), most=9)


def test_accepting_copies_the_fresh_artifacts_and_ends_the_drift(sides):
    for suffix in ("csv", "svg", "pdf", "json"):
        sides.write("fresh", f"study/fig01.{suffix}", f"x,{suffix}\n")
    sides.write("fresh", "study/provenance.json", "{}")
    sides.write("fresh", "study/fig01.log", "not a result")
    sides.write("accepted", "study/fig01.csv", "x,old\n")
    sides.write("accepted", "study/fig01.pdf", "x,pdf\n")
    done = sides.accept("study/fig01")
    assert done.copied == (
        "study/fig01.csv",
        "study/fig01.json",
        "study/fig01.svg",
        "study/provenance.json",
    )
    assert done.unchanged == ("study/fig01.pdf",)
    assert done.removed == ()
    fresh = sides.files("fresh")
    fresh.pop("study/fig01.log")
    assert sides.files("accepted") == fresh
    assert not sides.compare("study/fig01").drifted


def test_accepting_removes_the_files_of_artifacts_that_no_study_lists(sides):
    sides.both("study/fig01.csv", "a\n")
    for name in ("study/fig02.csv", "study/fig02.svg", "gone/fig01.csv", "gone/provenance.json"):
        sides.write("accepted", name, "a\n")
    sides.write("fresh", "study/fig02.csv", "a leftover of an earlier run\n")
    sides.write("accepted", "study/README", "not a result")
    sides.write("accepted", "study/provenance.json", "{}")
    # Listed, but not made by this run: its dataset may not be at hand.
    sides.write("accepted", "study/fig03.csv", "a\n")
    done = sides.accept("study/fig01", "study/fig03")
    assert done.removed == (
        "gone/fig01.csv",
        "gone/provenance.json",
        "study/fig02.csv",
        "study/fig02.svg",
    )
    assert set(sides.files("accepted")) == {
        "study/README",
        "study/fig01.csv",
        "study/fig03.csv",
        "study/provenance.json",
    }
    assert not (sides.accepted / "gone").exists()


def test_drawings_of_a_format_that_the_edition_does_not_show_are_not_accepted(sides):
    sides.both("study/fig01.csv", "a\n")
    sides.both("study/fig01.pdf", "drawn for the paper")
    sides.both("paper.csv", "a\n")
    sides.both("paper.pdf", "the paper")
    assert sides.accept("study/fig01", "paper", figures=("svg",)).removed == ("study/fig01.pdf",)


def test_nothing_is_accepted_while_a_drawing_lacks_its_data(sides):
    sides.write("fresh", "study/fig01.csv", "a\n")
    sides.write("fresh", "study/fig02.svg", "<svg/>")
    with pytest.raises(ValueError, match=r"fig02\.svg has no fig02\.csv beside it"):
        sides.accept("study/fig01", "study/fig02")
    assert not sides.accepted.exists()


def test_what_belongs_to_no_study_is_compared_and_accepted_by_its_name(sides):
    sides.both("claims.csv", "claim,verdict,value\nB-001,holds,0.5\n")
    sides.write("fresh", "claims.md", "page")
    assert statuses(sides.compare("claims")) == {"claims": ArtifactStatus.SAME}
    sides.write("fresh", "claims.csv", "claim,verdict,value\nB-001,does not hold,0.5\n")
    assert sides.compare("claims").drifted
    assert sides.accept("claims").copied == ("claims.csv", "claims.md")
    assert sides.accept().removed == ("claims.csv", "claims.md")
    assert sides.accepted.is_dir()


def test_a_page_without_a_table_of_its_own_is_accepted_by_its_name(sides):
    sides.write("fresh", "claims.csv", "claim,verdict\n")
    sides.write("fresh", "claims_paper2018.md", "page")
    sides.write("accepted", "claims_paper2017.md", "a page of a paper that is no more")
    found = acceptance(sides.fresh, sides.accepted, {"claims"}, ["claims_paper2018"])
    assert found.copied == ("claims.csv", "claims_paper2018.md")
    assert found.removed == ("claims_paper2017.md",)


LEDGER = "claim,ours,verdict,reason\n"


def ledgers(sides, accepted: str, fresh: str):
    """Compare two ledgers of a row each."""
    sides.both("claims.csv", LEDGER + accepted, LEDGER + fresh)
    (artifact,) = sides.compare("claims").artifacts
    return artifact


@pytest.mark.parametrize(
    ("accepted", "fresh", "column", "bounds"),
    [
        ("MF: .50 in P@10,holds,", "MF: .60 in P@10,holds,", "ours", (0.1, 0.03)),
        # A verdict is a text and no other row; no run writes a reason, so its numbers stay.
        (".5,holds,", ".5,does not hold,", "verdict", (math.nan, math.nan)),
        (".5,holds,It is .532.", ".5,holds,It is .533.", "reason", (0.001, 0)),
    ],
)
def test_a_text_that_changes_too_far_is_named_with_its_row_and_column(
    sides, accepted, fresh, column, bounds
):
    (change,) = ledgers(sides, f"B-001,{accepted}\n", f"B-001,{fresh}\n").changes
    assert (change.kind, change.row, change.column) == (Kind.TEXT, "claim=B-001", column)
    assert (change.difference, change.tolerance) == pytest.approx(bounds, nan_ok=True)


def test_a_number_in_a_sentence_that_moves_within_its_tolerance_is_counted(sides):
    ledger = ledgers(sides, "B-001,MF: .50 in P@10,holds,\n", "B-001,MF: .51 in P@10,holds,\n")
    assert (ledger.status, ledger.tolerated) == (ArtifactStatus.TOLERATED, 1)


def test_the_report_shows_of_long_texts_where_they_differ(sides):
    reason = "The same words stand here. " * 20
    ledgers(sides, f"B-001,.5,holds,{reason}MF leads.\n", f"B-001,.5,holds,{reason}kNN leads.\n")
    (line,) = [line for line in as_text(sides.compare("claims")).splitlines() if "reason" in line]
    assert "here. MF leads." in line
    assert "here. kNN leads." in line
    assert len(line) < 200


def test_of_a_long_text_the_number_that_moved_too_far_is_shown(sides):
    text = "MF: {} in P@10; " + "and the others stay as they were; " * 9 + "kNN: {}"
    rows = [f"B-001,{text.format(*n)},holds,\n" for n in ((".50", ".30"), (".51", ".40"))]
    (change,) = ledgers(sides, *rows).changes
    assert (change.accepted[-8:], change.fresh[-8:]) == ("kNN: .30", "kNN: .40")


def test_digests_are_not_compared(sides):
    header = "claim,replication,verdict,judged_by,code\n"
    sides.both(
        "replications.csv",
        header + "B-001,r01,holds,23fa,9908\n",
        header + "B-001,r01,holds,0030,5c0d\n",
    )
    assert statuses(sides.compare("replications")) == {"replications": ArtifactStatus.SAME}


ERRATA = "erratum,paper,certainty,number,value,missing\n"


def test_an_erratum_whose_size_moves_is_named_in_the_drift_report(sides):
    rows = ERRATA + "E-01,p,certain,,,\nE-02,p,open,mf,{},\nE-02,p,open,users,{},\n"
    sides.both("errata.csv", rows.format(0.0557, 6040), rows.format(0.0558, 6040))
    assert statuses(sides.compare("errata")) == {"errata": ArtifactStatus.TOLERATED}
    for fresh, name in (((0.0687, 6040), "number=mf"), ((0.0557, 6039), "number=users")):
        sides.write("fresh", "errata.csv", rows.format(*fresh))
        (change,) = sides.compare("errata").artifacts[0].changes
        assert change.row == f"erratum=E-02, paper=p, {name}"
    assert sides.accept("errata").copied == ("errata.csv",)
    assert not sides.compare("errata").drifted


def test_a_number_of_an_erratum_that_is_gone_is_drift_and_so_is_why(sides):
    row = ERRATA + "E-02,p,open,mf,{}\n"
    sides.both("errata.csv", row.format("0.5,"), row.format(",the results of study/fig01"))
    value, why = sides.compare("errata").artifacts[0].changes
    assert (value.accepted, value.fresh) == ("0.5", "")
    assert (why.accepted, why.fresh) == ("", "the results of study/fig01")


PAPER = "name,source,value,printed\ndecided,ledger/claims all rows,{},{}\n"


def test_the_paper_is_compared_by_its_numbers_and_its_pages_count_as_a_drawing(sides):
    sides.both("receval.csv", PAPER.format("0.514453", ".514"), PAPER.format("0.514999", ".515"))
    sides.both("receval.pdf", "one", "another")
    (paper,) = sides.compare("receval").artifacts
    assert paper.status is ArtifactStatus.TOLERATED
    assert paper.drawings == {".pdf": False}
    assert "redrawn, pdf differ" in as_markdown(sides.compare("receval"))
    sides.write("fresh", "receval.csv", PAPER.format("0.614999", ".615"))
    assert sides.compare("receval").drifted
    assert sides.accept("receval").copied == ("receval.csv", "receval.pdf")
    assert sides.files("accepted") == sides.files("fresh")
    assert not sides.compare("receval").drifted


def test_accepting_on_a_full_disk_changes_no_file(tmp_path):
    fresh, accepted = tmp_path / "fresh", tmp_path / "accepted"
    for folder, sizes in ((fresh, (10, 4000)), (accepted, (20, 20))):
        folder.mkdir()
        for name, size in zip(("a.csv", "b.csv"), sizes, strict=True):
            (folder / name).write_bytes(b"x" * size)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            Acceptance(fresh, accepted, ("a.csv", "b.csv"), (), ()).carry_out()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert {path.name: path.stat().st_size for path in accepted.iterdir()} == {
        "a.csv": 20,
        "b.csv": 20,
    }
