# SPDX-License-Identifier: MIT
"""Where a run's ranks and scores disagree, that is said, and an option decides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from receval.cli.main import main
from receval.data.reading import TableError
from receval.data.run import read_run
from receval.evaluation.runs import evaluate_runs

TABLE = {
    "user": list("aaabb"),
    "item": list("xyzxy"),
    "rank": [1, 2, 3, 1, 2],
    # Of the first user a distance: the nearest has the lowest. The second user's agree.
    "score": [0.1, 0.2, 0.3, 0.9, 0.8],
}
NOTE = "ranks and scores disagree on the order of items for 1 of 2 users. Lists are ordered by "


def files(folder: Path) -> dict[str, Path]:
    rows = list(zip(*TABLE.values(), strict=True))
    trec = folder / "run.trec"
    trec.write_text("".join(f"{u} Q0 {i} {r} {s} tag\n" for u, i, r, s in rows))
    table = folder / "run.csv"
    pd.DataFrame(TABLE).to_csv(table, index=False)
    lines = folder / "run.jsonl"
    lines.write_text("".join(json.dumps(dict(zip(TABLE, row, strict=True))) + "\n" for row in rows))
    return {"trec": trec, "table": table, "jsonl": lines}


def first_of(run: Any) -> str:
    test = {"user": ["a"], "item": ["x"], "rating": [1]}
    result = evaluate_runs(test, {"mine": run}, metrics="P@1", depth="whole")
    return "x" if result.summary()["mean"].item() else "z"


@pytest.mark.each("kind", ["trec", "table", "jsonl", "memory"])
@pytest.mark.each(("order", "first"), [("score", "z"), ("rank", "x")])
def test_the_option_decides_and_the_note_says_which_it_is(
    kind: str, order: Any, first: str, tmp_path: Path
) -> None:
    run = read_run({"memory": TABLE, **files(tmp_path)}[kind], order=order)
    (note,) = (own for own in run.reading.notes if own.code == "ranks-against-scores")
    assert f"{NOTE}{order}." in note
    assert first_of(run) == first


@pytest.mark.each(
    "changed",
    [
        {"score": [0.3, 0.2, 0.1, 0.9, 0.8]},
        {"score": [0.5, 0.5, 0.5, 0.9, 0.8]},
        {"rank": [1, 1, 1, 1, 1]},
        {"rank": [3, 2, 1, 1, 2]},
    ],
    ids=["both alike", "equal scores", "equal ranks", "rows in another order"],
)
def test_ranks_that_agree_with_scores_are_not_told(changed: dict[str, Any]) -> None:
    assert read_run(TABLE | changed).reading.notes == ()


@pytest.mark.each("rows", [[0, 1, 2, 3, 4], [0, 1, 2, 4, 3]], ids=["rising", "one falls"])
@pytest.mark.each("kind", ["table", "mapping"])
def test_scores_that_rise_from_row_to_row_are_told(rows: list[int], kind: str) -> None:
    distances = dict(zip("abcde", np.array([0.1, 0.2, 0.2, 0.4, 0.5])[rows].tolist(), strict=True))
    lists = {"ann": distances, "bob": distances, "eve": {"b": 0.2, "a": 0.1}}
    table = [
        {"user": user, "item": item, "score": score}
        for user, own in lists.items()
        for item, score in own.items()
    ]
    notes = read_run(lists if kind == "mapping" else table).reading.notes
    assert [note.code for note in notes] == (["rising-scores"] if rows[-1] == 4 else [])
    assert all("the scores of 2 of 2 lists of 5 or more items rise" in note for note in notes)


def test_an_order_by_ranks_that_are_not_there_is_refused() -> None:
    without = {name: own for name, own in TABLE.items() if name != "rank"}
    with pytest.raises(
        TableError, match="has no known column of ranks by which to order its lists"
    ):
        read_run(without, order="rank")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("command", ["runs", "audit-samples"])
@pytest.mark.costly
def test_commands_have_the_option(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    files(tmp_path)
    pd.DataFrame({"user": ["a", "b"], "item": ["x", "x"], "rating": 1}).to_csv("t.csv", index=False)
    # Lists have all candidates of their users.
    rows = pd.DataFrame(TABLE)
    rows.loc[len(rows)] = ["b", "z", 3, 0.7]
    rows.to_csv("run.csv", index=False)
    given = [command, "--test", "t.csv", "run.csv", "--metric", "RR"]
    for order in ("score", "rank"):
        assert main([*given, "--run-order", order, "--out", order]) == 0
        assert f"{NOTE}{order}." in capsys.readouterr().err
    one, other = (
        Path(order, "per_user.csv").read_text(encoding="utf-8") for order in ("score", "rank")
    )
    assert one != other
