from __future__ import annotations

from workflow.running import FIG02, Workflow

PLSA = "src/receval/recommenders/plsa.py"
FIGURE = "src/receval/studies/bellogin2017/fig02.py"


def test_a_second_run_does_nothing(finished: Workflow) -> None:
    done = finished.run("--cores", "1", FIG02)
    assert "Nothing to be done" in done.stdout + done.stderr


def test_editing_plsa_reruns_only_its_jobs_and_what_hangs_on_them(edited: Workflow) -> None:
    edited.replace(PLSA, "    def _fit(self", "    changed_ = 1\n\n    def _fit(self")
    assert edited.planned(FIG02) == {
        "train_system plsa",
        "rank_system plsa",
        "compute_artifact fig02",
        "draw_figure fig02",
    }


def test_editing_how_a_figure_is_drawn_redraws_only_that_figure(edited: Workflow) -> None:
    edited.replace(FIGURE, "new_figure(DOUBLE_COLUMN, 2.7)", "new_figure(DOUBLE_COLUMN, 2.8)")
    assert edited.planned(FIG02) == {"draw_figure fig02"}


def test_editing_the_numbers_of_a_figure_computes_and_draws_only_that_figure(
    edited: Workflow,
) -> None:
    edited.replace(FIGURE, "ignore_index=True)", "ignore_index=True).drop_duplicates()")
    assert edited.planned(FIG02) == {"compute_artifact fig02", "draw_figure fig02"}


def test_editing_a_metric_recomputes_the_artifacts_that_name_it(edited: Workflow) -> None:
    edited.replace(
        "src/receval/metrics/precision.py", 'name: ClassVar[str] = "P"', 'name: ClassVar[str] = "p"'
    )
    assert edited.planned(FIG02) == {"compute_artifact fig02", "draw_figure fig02"}


def test_editing_comments_and_docstrings_reruns_nothing(edited: Workflow) -> None:
    edited.replace(PLSA, '"""', '"""Reworded. ')
    edited.replace(FIGURE, "def data(", "# A comment.\ndef data(")
    edited.replace(
        "src/receval/protocols/ranking.py", "import numpy as np", "import numpy as np  # x"
    )
    assert edited.planned(FIG02) == set()


def test_another_parameter_retrains_only_its_system(edited: Workflow) -> None:
    edited.replace("small.yaml", "topics: 5", "topics: 6")
    planned = edited.planned(FIG02)
    assert "train_system plsa" in planned
    assert {job for job in planned if job.startswith("train")} == {"train_system plsa"}


def test_another_protocol_ranks_again_and_trains_nothing(edited: Workflow) -> None:
    edited.replace("small.yaml", "sampled: 20", "sampled: 30")
    planned = edited.planned(FIG02)
    assert {job for job in planned if job.startswith("rank")} == {
        "rank_system plsa",
        "rank_system pop",
        "rank_system random",
    }
    assert not {job for job in planned if job.startswith(("train", "make"))}


def test_another_seed_makes_everything_again(edited: Workflow) -> None:
    planned = edited.planned(FIG02, "--config", "seed=4")
    assert "generate_twin" in planned
    assert "train_system random" in planned
