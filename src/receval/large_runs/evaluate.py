# SPDX-License-Identifier: MIT
"""Evaluate lists that are larger than memory: plan, measure blocks or shards of them, and join."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import lru_cache, partial, reduce
from itertools import chain
from operator import add
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.reading import ReadingReport, TableError
from receval.data.relevance import counts_in_words, extreme_threshold_notes
from receval.data.run import disagreement_notes, doubts_on_scores, rising_notes, unscored_notes
from receval.data.shared_identifiers import Meeting
from receval.evaluation.identifiers import (
    TrainedPairs,
    exchanged_notes,
    meetings_in_words,
    notes_on_run,
    notes_on_training,
)
from receval.evaluation.measurements import notes_on_users_left_out
from receval.evaluation.measuring import DEFAULT_METRICS, ChosenUsers, Measuring
from receval.evaluation.result import EvaluationResult
from receval.evaluation.runs import Depth, OrderOfTies, notes_on_lists
from receval.evaluation.summed_values import SummedValues
from receval.large_runs.blocks import BlockRecord, Blocks, block_record
from receval.large_runs.plan import ROWS_PER_BLOCK, BlockPlan, PlanFolder, PlannedTable, make_plan
from receval.large_runs.processes import in_processes
from receval.large_runs.reading import (
    doubts_on_items,
    doubts_on_users,
    meeting_of_items,
    meeting_of_users,
)
from receval.metrics.metric import BaseMetric, Directions
from receval.metrics.own_metrics import FunctionMetric
from receval.notes import Note
from receval.storage.messages import how_many, quoted
from receval.tuning.trials import number_of_jobs

NOT_OFFERED = (
    "Not offered in blocks: tests that need the values of each user (permutation, Wilcoxon, sign, "
    "bootstrap, Tukey), groups of users, distributions, metrics of whole lists, dialects."
)


@checked_arguments
def evaluate_large_runs(
    test: str | Path,
    runs: Mapping[str, str | Path],
    folder: str | Path,
    *,
    jobs: int | Literal["auto"] = "auto",
    progress: Callable[[str, int, int], object] | None = None,
    **options: Annotated[Any, plan_large_runs],
) -> EvaluationResult:
    """Measure lists that are larger than memory, block by block of users, on all cores.

    Tables are Parquet files, or folders of them, in the order of users. Averages and intervals are
    those of :func:`receval.evaluation.runs.evaluate_runs`, from exact sums, so that they have the
    same bytes however users are divided into blocks. What was measured before the call was stopped
    is not measured again.

    Parameters
    ----------
    test : path
        Judgments or held-out ratings.
    runs : mapping of str to path
        Lists by the names of the systems.
    folder : path
        A new or empty folder, or that of an earlier call with the same arguments. The values of
        users are written there, to ``users/*.parquet``, with the columns of
        :meth:`receval.evaluation.result.EvaluationResult.per_user`.
    jobs : int or "auto"
        The number of processes; by default one for each core.
    progress : callable, optional
        Called with ``"block"``, the number of blocks done, and the total.
    **options
        As for :func:`plan_large_runs`.

    Returns
    -------
    EvaluationResult
        With averages and intervals. ``compare`` needs ``test="t"``; whatever needs the values of
        each user is refused with a sentence.

    Raises
    ------
    TableError
        A table is not Parquet or not in the order of users, a user's rows are in two places, or as
        for :func:`receval.evaluation.runs.evaluate_runs`.
    ValueError
        A metric or protocol needs all users at once, or the folder has something else.

    Examples
    --------
    >>> import pandas as pd
    >>> from tempfile import TemporaryDirectory
    >>> test = pd.DataFrame({"user": [1, 1, 2], "item": [7, 8, 7], "rating": [5, 2, 4]})
    >>> mine = pd.DataFrame({"user": [1, 1, 2], "item": [8, 7, 7], "score": [2.0, 1.0, 3.0]})
    >>> with TemporaryDirectory() as folder:
    ...     for name, table in (("test", test), ("mine", mine)):
    ...         table.to_parquet(f"{folder}/{name}.parquet")
    ...     result = evaluate_large_runs(
    ...         f"{folder}/test.parquet",
    ...         {"mine": f"{folder}/mine.parquet"},
    ...         f"{folder}/blocks of mine",
    ...         metrics=["RR", "P@2"],
    ...         depth="whole",
    ...         jobs=1,
    ...     )
    >>> result.summary()["mean"].tolist()
    [0.75, 0.5]
    """
    processes = number_of_jobs(jobs)
    planned = plan_large_runs(test, runs, folder, jobs=jobs, **options)
    measure_shard(planned, jobs=processes, progress=progress)
    return joined_result(planned)


@checked_arguments
def plan_large_runs(
    test: str | Path,
    runs: Mapping[str, str | Path],
    folder: str | Path,
    *,
    train: str | Path | None = None,
    trained_pairs: TrainedPairs = "refuse",
    protocols: str | Sequence[str] = "AR AI-AN",
    metrics: str | Sequence[str] | None = None,
    relevant: float | Literal["auto"] = "auto",
    users: ChosenUsers = "auto",
    depth: Depth = "auto",
    ties: OrderOfTies = "auto",
    seed: int = 1,
    test_columns: Mapping[str, Any] | None = None,
    train_columns: Mapping[str, Any] | None = None,
    run_columns: Mapping[str, Any] | None = None,
    rows: int = ROWS_PER_BLOCK,
    jobs: int | Literal["auto"] = "auto",
) -> Path:
    """Plan an evaluation in blocks: read all items and test ratings once, and divide users.

    Parameters
    ----------
    test, runs, folder, jobs
        As for :func:`evaluate_large_runs`.
    train, trained_pairs, protocols, metrics, relevant, users, depth, ties, seed
        As for :func:`receval.evaluation.runs.evaluate_runs`, but all candidates (``AI-AN``), and
        metrics of judged ranks. With ``auto``, depth is that of the first lists.
    test_columns, train_columns, run_columns : mapping, optional
        Names of columns, as for the readers of these tables, such as ``{"user": "customer"}``.
    rows : int
        The rows of the largest table in a block, which take some 100 bytes of memory each.

    Returns
    -------
    Path
        The folder, for :func:`measure_shard` and :func:`joined_result`.
    """
    if not runs:
        raise ValueError("There is no run to evaluate: name at least one.")
    if rows < 1:
        raise ValueError(f"rows is {rows}; it must be at least 1.")
    chosen = DEFAULT_METRICS if metrics is None else metrics
    is_one = isinstance(chosen, str | BaseMetric) or callable(chosen)
    listed: list[Any] = [chosen] if is_one else list(chosen)
    planned = make_plan(
        Path(folder),
        str(test),
        {name: str(source) for name, source in runs.items()},
        train=None if train is None else str(train),
        test_columns=test_columns or {},
        train_columns=train_columns or {},
        run_columns=run_columns or {},
        protocols=[protocols] if isinstance(protocols, str) else list(protocols),
        metrics=[_name_in_plan(own) for own in listed],
        relevant=relevant,
        users=users,
        depth=depth,
        ties=ties,
        trained_pairs=trained_pairs,
        seed=seed,
        rows=rows,
        jobs=number_of_jobs(jobs),
    )
    return planned.path


@checked_arguments
def measure_shard(
    folder: str | Path,
    shard: int = 1,
    shards: int = 1,
    *,
    jobs: int | Literal["auto"] = 1,
    progress: Callable[[str, int, int], object] | None = None,
) -> None:
    """Measure the blocks of a shard that have not been measured, by default all of them.

    Parameters
    ----------
    folder : path
        That of :func:`plan_large_runs`.
    shard, shards : int
        Which of how many shards, counted from 1. Each is a range of blocks.
    jobs, progress
        As for :func:`evaluate_large_runs`.
    """
    planned = PlanFolder(Path(folder))
    blocks = planned.plan.blocks_of(shard, shards)
    missing = [block for block in blocks if not planned.is_made(block)]
    if not missing:
        return
    processes = number_of_jobs(jobs)
    n_made = len(blocks) - len(missing)
    told = progress or (lambda *_: None)
    first, others = missing[:1], missing[1:]
    # Ranges of several blocks, since a row group between two blocks is read once by one process.
    size = max(1, -(-len(others) // processes))
    if not any(table.has_parts for table in planned.plan.tables.values()):
        # The rows of a large row group are read from its first one on.
        size = min(8, size)
    parts = [others[start : start + size] for start in range(0, len(others), size)]

    def finish(done: int) -> None:
        told("block", n_made + len(first) + min(done * size, len(others)), len(blocks))

    try:
        # The first block loads the compiled loops, which the processes for the others then have.
        _measure(planned.path, first)
        told("block", n_made + len(first), len(blocks))
        if processes > 1:
            # Two processes must not share open files.
            _blocks_in.cache_clear()
        tasks = [partial(_measure, planned.path, part) for part in parts]
        with _uncollected() if processes > 1 else nullcontext():
            in_processes(tasks, processes, finish)
    finally:
        _blocks_in.cache_clear()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep garbage collection from what exists: the libraries alone have many objects."""
    is_free = not gc.get_freeze_count()
    gc.freeze()
    try:
        yield
    finally:
        if is_free:
            gc.unfreeze()


def _measure(folder: Path, blocks: Sequence[int]) -> None:
    measured = _blocks_in(folder)
    for block in blocks:
        measured.make(block)


@lru_cache(maxsize=1)
def _blocks_in(folder: Path) -> Blocks:
    """Return what measures the blocks of a folder, which each process makes once."""
    return Blocks(PlanFolder(folder))


@checked_arguments
def joined_result(folder: str | Path) -> EvaluationResult:
    """Return the result of all blocks, from their sums.

    Parameters
    ----------
    folder : path
        That of :func:`plan_large_runs`.

    Raises
    ------
    ValueError
        A block has not been measured, or its file is damaged; the message says how to go on.
    TableError
        Rows are missing or repeated, or no tested user has a list.
    """
    planned = PlanFolder(Path(folder))
    plan = planned.plan
    missing = [block for block in range(plan.n_blocks) if not planned.is_made(block)]
    if missing:
        raise ValueError(
            f"{how_many(len(missing), 'block')} of {plan.n_blocks:,} in {planned.path} have not "
            f"been measured, the first is {missing[0] + 1}. Repeat the call or the shard that "
            "measures them."
        )
    whole = reduce(add, (block_record(planned, block) for block in range(plan.n_blocks)))
    meetings = _meetings(plan, whole, planned.catalogue.ids)
    # Refuses identifiers that never meet.
    of_meetings = [
        *(notes_on_training(meetings["train"]) if plan.train else []),
        *(
            note
            for run in plan.runs
            for note in notes_on_run(run.name, meetings[f"run {run.name}"])
        ),
    ]
    _check_rows(plan, whole)
    counts = whole.counts
    reports = _reports(plan, whole, planned.catalogue.ids, meetings)
    words = counts_in_words(
        counts["relevant pairs"], counts["judged pairs"], plan.threshold, "test ratings"
    )
    measuring = plan.measuring(words)
    values = {name: SummedValues(own, str(planned.path)) for name, own in whole.sums.items()}
    for name, own in values.items():
        if not own.n_users:
            raise ValueError(
                f"No list is left to average over {measuring.users} users under {name}: none of "
                "these users has a test rating that the protocol can rank, or a relevant one."
            )
    return EvaluationResult(
        systems=tuple(run.name for run in plan.runs),
        metrics=tuple(measuring.metrics),
        values=values,
        user_ids=np.empty(0, dtype=str),
        settings={
            **measuring.settings,
            "depth": plan.depth,
            "ties": plan.ties,
            "seed": plan.seed,
        },
        notes=(
            *chain.from_iterable(own.notes for own in reports),
            *_notes(plan, measuring, whole, of_meetings, words),
        ),
        words=measuring.words,
        reading=tuple(reports),
        less_is_better=Directions.of(measuring.metrics),
        of_ranks=tuple(measuring.of_ranks),
    )


def _check_rows(plan: BlockPlan, whole: BlockRecord) -> None:
    """Refuse tables of which blocks have not read each row once, and runs of other users."""
    for name, table in plan.tables.items():
        read = whole.counts[f"rows of {name}"]
        if read != table.rows:
            raise TableError(
                f"{table.source} has {table.rows:,} rows, but the blocks have {read:,}, so users "
                "are missing or repeated: the lowest and highest users that its row groups tell "
                "are wrong. Write the file again, for example with pyarrow."
            )
    for run in plan.runs:
        if whole.counts[f"tested users without {run.name}"] == whole.counts["tested users"]:
            raise TableError(
                f"No user of the run {run.name} has test ratings. Use the same identifiers in both."
            )


def _notes(
    plan: BlockPlan,
    measuring: Measuring,
    whole: BlockRecord,
    of_meetings: Sequence[Note],
    words: str,
) -> list[Note]:
    counts = whole.counts
    tested = counts["tested users"]
    notes = []
    if dropped := counts["dropped pairs"]:
        text = (
            f"{dropped:,} of {plan.test.rows:,} test pairs are also in the training data. They "
            "were left out."
        )
        notes.append(Note("trained-pairs", text))
    notes += of_meetings
    for run in plan.runs:
        found = (counts[f"{what} pairs of {run.name}"] for what in ("sought", "exchanged"))
        notes += exchanged_notes(run.name, *found)
        notes += notes_on_lists(
            run.name,
            counts[f"tested users without {run.name}"],
            tested,
            counts[f"users of {run.name} without tests"],
            measuring,
        )
    relevant, judged = counts["relevant pairs"], counts["judged pairs"]
    of_known = (relevant + plan.trained[0]) / (judged + plan.trained[1])
    of_known = 0.0 if plan.is_usual else of_known
    notes += extreme_threshold_notes(words, plan.threshold, relevant / judged, of_known)
    notes += [Note(*own) for own in plan.noted]
    notes += measuring.notes
    averaged = {name: own.n_users for name, own in whole.sums.items()}
    notes += notes_on_users_left_out(measuring, averaged, tested)
    return [*notes, Note("evaluated-in-blocks", f"Lists were evaluated in blocks. {NOT_OFFERED}")]


def _meetings(
    plan: BlockPlan, whole: BlockRecord, ids: NDArray[Any]
) -> dict[str, tuple[Meeting, Meeting]]:
    """Return how users and items of training data (items first) and of runs meet the others."""
    found = {}
    counts, seen = whole.counts, whole.seen
    known = seen["test"].items
    where = "test data"
    for name, table in plan.tables.items():
        if name == "test":
            continue
        source = f"run {quoted(table.name)}" if table.is_run else "training data"
        users = meeting_of_users(
            source,
            seen[name],
            counts[f"users of {name}"],
            counts["users of test"],
            counts[f"common users of {name}"],
        )
        items = meeting_of_items(source, where, ids, seen[name].items, known)
        sources = (plan.test, plan.train, table)
        is_said = any(own is not None and own.as_written for own in sources)
        users, items = (replace(own, are_as_written=is_said) for own in (users, items))
        found[name] = (users, items) if table.is_run else (items, users)
        if not table.is_run:
            known, where = known | seen[name].items, "test or training data"
    return found


def _reports(
    plan: BlockPlan,
    whole: BlockRecord,
    ids: NDArray[Any],
    meetings: Mapping[str, tuple[Meeting, Meeting]],
) -> list[ReadingReport]:
    reports = []
    for name, table in plan.tables.items():
        seen, own = whole.seen[name], table.reading
        meeting = meetings.get(name, ())
        notes = [
            *doubts_on_users(own.source, seen.common + seen.strangers, table.lowest),
            *doubts_on_items(own.source, ids[seen.items]),
            *(_notes_on_lists(table, whole) if table.is_run else own.notes),
        ]
        report = replace(
            own,
            form=f"Parquet, {how_many(len(table.sizes), 'file')}, read in blocks of users",
            rows=table.rows,
            merged=whole.counts.get(f"merged rows of {name}", 0),
            users=whole.counts[f"users of {name}"],
            items=int(seen.items.sum()),
            meeting=meetings_in_words(meeting if table.is_run else meeting[::-1]),
            notes=tuple(notes),
        )
        reports.append(report)
    return reports


def _notes_on_lists(run: PlannedTable, whole: BlockRecord) -> list[Note]:
    """Return what the reader of a whole run notes about scores and ranks."""
    counts = whole.counts
    unscored = counts[f"items of {run.name} without scores"]
    if unscored == run.rows and "other" in run.columns and run.sign > 0:
        raise TableError(
            f"{run.source} has no score that is a number in {quoted(run.columns['value'])}, but "
            "it has ranks. Do not read the scores (score='-', in a command: --run-score -)."
        )
    of_head = {note.code: note for note in run.reading.notes}
    notes = disagreement_notes(
        run.source,
        counts[f"disagreeing users of {run.name}"],
        counts[f"users of run {run.name}"],
        "score" if run.sign > 0 else "rank",
    )
    notes += [of_head[code] for code in ("no-score-column",) if code in of_head]
    if run.may_be_ranks and not counts[f"other lists of {run.name}"]:
        notes.append(of_head["ranks-as-scores"])
    else:
        rising = (counts[f"{kind} lists of {run.name}"] for kind in ("rising", "long"))
        notes += rising_notes(run.source, *rising)
    low, high = whole.seen[f"run {run.name}"].ends
    # Between infinite ends there are other scores.
    ends = [low, high] if low == high else [low, 0.0, high]
    scores = np.array(ends[: run.rows] if unscored < run.rows else [], dtype=np.float64)
    return [
        *notes,
        *unscored_notes(run.source, unscored, run.rows),
        *doubts_on_scores(run.source, scores),
    ]


def _name_in_plan(metric: object) -> str:
    """Return the name of a metric, by which the processes that measure blocks find it."""
    if isinstance(metric, str):
        return metric
    if isinstance(metric, BaseMetric) and not isinstance(metric, FunctionMetric):
        return metric.label
    name = metric.label if isinstance(metric, BaseMetric) else getattr(metric, "__name__", metric)
    raise ValueError(
        f"The metric {quoted(str(name))} is a function, which the plan of an evaluation in blocks "
        "cannot name. Name metrics of the library, or evaluate a sample of users with "
        "evaluate_runs."
    )
