# SPDX-License-Identifier: MIT
"""What jobs take is recorded, summed up by stage, and gone on with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from job_records import RunRecord, comparable, exponents, resident, stage_rows
from measured_jobs import Job, read_configuration_of, run
from other_machines import schedules, shared_out

PROGRAM = """
import json, pathlib, sys
order = json.load(sys.stdin)
for path, size in order.items():
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_bytes(b"x" * size)
"""

ABOUT = {
    "study": "canamares2020",
    "dataset": "netflix",
    "users": 4779,
    "cores": 2,
    "neighbourhoods": ("knn",),
}


def row(stage: str, subject: str, start: float, wall: float, needs: tuple[str, ...] = ()) -> dict:
    taken = {"start": start, "wall": wall, "cpu": wall, "peak": 1 << 30, "read": 0, "written": 7}
    return {"stage": stage, "subject": subject, **taken, "needs": list(needs)}


ROWS = [
    row("train_system", "half, pop", 0, 60),
    row("train_system", "half, knn", 0, 120),
    row("rank_system", "half, knn", 120, 30, ("train_system half, knn",)),
    row("train_system", "given up", 150, 30),
]
PLANNED = [
    *("train_system half, pop", "train_system half, knn", "rank_system half, knn"),
    "draw_figure fig02",
]


def record(choices: int = 1_000_000) -> RunRecord:
    return RunRecord.of_rows(ROWS, PLANNED, choices=choices, **ABOUT)


def test_jobs_that_the_study_no_longer_has_are_left_out() -> None:
    assert [job.name for job in record().jobs] == PLANNED[:3]
    assert record().planned == 4


def test_stages_have_the_sums_of_their_jobs_and_the_largest_memory() -> None:
    cells = {row[0]: row[1:] for row in stage_rows(record())}
    assert cells["neighbourhoods of users"][:5] == ("1", "2.00", "2.00", "2.00", "1.00")
    assert cells["other training"][:5] == ("1", "1.00", "1.00", "1.00", "1.00")
    # Two ran side by side.
    assert cells["all"][:4] == ("3", "2.50", "3.50", "2.00")
    assert resident(record().jobs) == 2 << 30


def test_room_that_a_job_run_again_has_left_is_no_time_of_the_run() -> None:
    rows = [row("train_system", "half, pop", 0, 10), row("train_system", "half, knn", 100, 10)]
    assert RunRecord.of_rows(rows, PLANNED, choices=1, **ABOUT).wall == 20
    beside = [row("train_system", "half, pop", 0, 10), row("train_system", "half, knn", 4, 3)]
    assert RunRecord.of_rows(beside, PLANNED, choices=1, **ABOUT).wall == 10


def test_sizes_are_compared_by_jobs_of_the_same_stage() -> None:
    shard = "rank_shard 1-of-2, half, knn"
    trains = [*ROWS, row("rank_shard", "1-of-2, half, knn", 200, 9)]
    reads = [*ROWS, row("rank_shard", "1-of-2, half, knn", 200, 9, ("train_system half, knn",))]
    both = [
        RunRecord.of_rows(rows, [*PLANNED, shard], choices=10**n, **ABOUT)
        for n, rows in ((6, trains), (7, reads))
    ]
    assert [job.name for job in both[0].jobs] == [*PLANNED[:3], shard]
    assert [[job.name for job in own.jobs] for own in comparable(both)] == [PLANNED[:3]] * 2
    assert "neighbourhoods and their ranking" not in exponents(both)


def test_jobs_one_behind_the_other_are_not_side_by_side_however_times_are_rounded() -> None:
    rows = [
        row("train_system", "half, pop", 0.006, 10.006),
        row("train_system", "half, knn", 10.013, 100),
    ]
    jobs = RunRecord.of_rows(rows, PLANNED, choices=1_000_000, **ABOUT).jobs
    assert jobs[0].start + jobs[0].wall > jobs[1].start
    assert resident(jobs) == 1 << 30


@pytest.mark.each(
    ("system", "needs", "stage"),
    [
        ("knn", ("split_ratings half",), "neighbourhoods and their ranking"),
        ("knn", ("split_ratings half", "train_system half, knn"), "ranking"),
        ("pop", ("split_ratings half",), "other training and its ranking"),
        ("pop", ("split_ratings half", "train_system half, pop"), "ranking"),
    ],
)
def test_a_shard_that_trains_is_a_stage_of_its_own_and_one_that_reads_models_is_ranking(
    system: str, needs: tuple[str, ...], stage: str
) -> None:
    name = f"1-of-2, half, {system}"
    shards = [row("rank_shard", name, 0, 10, needs)]
    one = RunRecord.of_rows(shards, [f"rank_shard {name}"], choices=1_000_000, **ABOUT)
    assert list(one.by_stage()) == [stage]


def test_a_record_is_read_as_it_was_written_and_says_nothing_of_the_machine(tmp_path: Path) -> None:
    record().write(tmp_path)
    file = tmp_path / "canamares2020-netflix-1.jsonl"
    assert RunRecord.read(file) == record()
    assert "/" not in file.read_text(encoding="utf-8")


def test_the_growth_of_what_takes_ten_times_as_long_for_ten_times_as_many_is_one() -> None:
    larger = [{**each, "cpu": 10 * each["cpu"]} for each in ROWS]
    grown = RunRecord.of_rows(larger, PLANNED, choices=10_000_000, **ABOUT)
    found = exponents([record(), grown])
    assert found["ranking"] == (pytest.approx([1.0]), pytest.approx([0.0]))
    assert list(found) == ["neighbourhoods of users", "other training", "ranking", "all"]


def test_jobs_wait_for_those_that_they_need_on_any_machine() -> None:
    found = schedules(record().jobs)["20 x 64 cores, 256 GiB"]
    assert found.seconds == 150
    assert found.longest_chain == ("train_system half, knn", "rank_system half, knn")


def test_shards_of_a_neighbourhood_are_jobs_side_by_side_that_compare_pairs_twice() -> None:
    # Each reads what the job of 8 s that divides the ratings reads.
    split = row("split_ratings", "half", 0, 8)
    whole = RunRecord.of_rows(
        [*ROWS, split], [*PLANNED, "split_ratings half"], choices=1_000_000, **ABOUT
    )
    shared = shared_out(whole, 4)
    shards = [job for job in shared if job.rule == "rank_shard"]
    assert [job.cpu for job in shards] == [pytest.approx((120 * 1.75 + 30) / 4 + 8)] * 4
    assert schedules(shared)["1 x 64 cores, 256 GiB"].seconds == pytest.approx(68)


def test_folds_that_are_jobs_stay_so_and_their_users_are_divided_where_there_are_more_shards() -> (
    None
):
    names = [f"{n}-of-3, ratios, knn" for n in (1, 2, 3)]
    join = row("join_shards", "ratios, knn", 90, 2)
    join["needs"] = [f"rank_shard {name}" for name in names]
    rows = [
        row("split_ratings", "ratios", 0, 4),
        *(row("rank_shard", name, 4, 30) for name in names),
        join,
    ]
    planned = [f"{each['stage']} {each['subject']}" for each in rows]
    whole = RunRecord.of_rows(rows, planned, choices=1_000_000, **ABOUT)
    assert shared_out(whole, 4) == list(whole.jobs)
    shared = shared_out(whole, 7)
    shards = [job for job in shared if job.rule == "rank_shard"]
    assert [job.cpu for job in shards] == [pytest.approx(30 * 1.5 / 2 + 4)] * 6
    assert len({job.name for job in shards}) == 6
    assert set(shared[-1].needs) == {job.name for job in shards}


@pytest.mark.processes
def test_a_run_counts_bytes_keeps_its_record_and_goes_on_with_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    first = Job("train_system", "knn", {"models/0": 5, "models/1": 6}, (), ("models",), True)
    second = Job("rank_system", "knn", {"ranks": 3}, ("models",), ("ranks",))
    third = Job("draw_figure", "fig02", {"figure": 1}, ("ranks",), ("figure",))
    log = tmp_path / "jobs.jsonl"
    run(str(program), [first, second], 1, tmp_path, record=log)
    assert not (tmp_path / "models").exists()
    after = run(str(program), [first, second, third], 1, tmp_path, record=log)
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [(each["read"], each["written"]) for each in rows] == [(0, 11), (11, 3), (3, 1)]
    assert [each["needs"] for each in rows] == [[], ["train_system knn"], ["rank_system knn"]]
    assert rows[2]["start"] >= rows[1]["start"] + rows[1]["wall"]
    assert len(after) == 3


@pytest.mark.processes
def test_a_job_of_other_arguments_is_run_again(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    log = tmp_path / "jobs.jsonl"
    for size in (3, 3, 4):
        job = Job("rank_system", "knn", {"ranks": size}, (), ("ranks",))
        run(str(program), [job], 1, tmp_path, record=log)
        assert (tmp_path / "ranks").stat().st_size == size
    assert len(log.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.processes
def test_a_child_that_is_no_job_is_left_to_whoever_started_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    other = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    run(str(program), [Job("rank_system", "knn", {"ranks": 3}, (), ("ranks",))], 1, tmp_path)
    assert other.wait() == 3


@pytest.mark.processes
def test_a_job_that_fails_ends_the_others_and_leaves_nothing_open(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import json, sys, time; time.sleep(json.load(sys.stdin))", "utf-8")
    jobs = [Job("train_system", name, wait, (), (name,)) for name, wait in (("a", 60), ("b", -1))]
    before = list(Path("/proc/self/fd").iterdir())
    with pytest.raises(RuntimeError, match="train_system b ended with the status 1") as caught:
        run(str(program), jobs, 2, tmp_path)
    # The frames of what was raised hold whatever was not closed.
    assert caught.tb is not None
    assert list(Path("/proc/self/fd").iterdir()) == before


def test_a_folder_that_another_checkout_began_reads_the_configuration_of_this_one(
    tmp_path: Path,
) -> None:
    (tmp_path / "config").symlink_to(tmp_path / "a checkout that is gone" / "config")
    for checkout in (tmp_path / "one", tmp_path / "other"):
        (checkout / "config").mkdir(parents=True)
        read_configuration_of(checkout, tmp_path)
        assert (tmp_path / "config").resolve() == checkout / "config"


def test_a_configuration_that_no_run_has_linked_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("seed: 1\n", encoding="utf-8")
    with pytest.raises(FileExistsError, match="config is not the link that a run makes"):
        read_configuration_of(tmp_path / "checkout", tmp_path)
    assert (tmp_path / "config" / "config.yaml").is_file()


def test_what_a_neighbourhood_takes_is_not_guessed_from_shards_of_users() -> None:
    divided = RunRecord.of_rows(ROWS, PLANNED, choices=1_000_000, shards=8, **ABOUT)
    with pytest.raises(
        ValueError, match=r"netflix-1-8-shards\.jsonl is of systems that were shared"
    ):
        shared_out(divided, 64)
