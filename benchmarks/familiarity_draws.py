# SPDX-License-Identifier: MIT
"""Figure 16 of menamaldonado2021 under several draws: how much of its coefficients is chance.

    python benchmarks/familiarity_draws.py work/full/cm100k [--draws 12] [--train-order rows]

The figure rests on one draw of who knows which item, one partition into folds and one training of
each system. Each draw here makes the first two again with a root seed of its own, the first being
that of the configuration, and trains and ranks the sixteen systems of the experiment on CM100k. As
they are configured, those that draw random numbers have a `librec_seed`, and draw the same numbers
under every root seed; with `--drawn-training` every system, fold and draw has another one, so that
they stay the algorithms of the release. `--same-split` leaves the first familiarity and partition
in place. It prints Kendall's tau between observed and real values of the metrics that the figure
shows, draw by draw; their mean, deviation and range beside the published value; and the mean
coefficients without each system in turn, which tell on whom they hang. `--values` keeps the values
of all systems. A draw takes some 40 seconds of one thread.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from scipy.stats import kendalltau

from receval.data.ratings import Ratings
from receval.metrics.evaluation import evaluate, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.recommenders.base import make
from receval.recommenders.training_ratings import relevance_grades
from receval.seeds import generator, integer_seed
from receval.splits.kinds import make_split
from receval.splits.split import fold
from reproduction.config.settings import Settings, load_settings
from reproduction.studies._shared.published import read_published_taus

CONFIG = Path(__file__).resolve().parents[1] / "config"
DATASET = "cm100k"
SPLIT = "opposed-familiarity-folds"
EXPERIMENT = "cm100k-opposed"
METRICS = ("P@10", "antiP@10", "Recall@10", "Fallout@10")
PROTOCOL = Protocol(candidates="train", ties="librec")
PARTS = {"observed": "test", "real": "unbiased"}


def values_of_a_draw(
    settings: Settings,
    ratings: Ratings,
    seed: int,
    split_seed: int,
    train_order: str,
    systems: Sequence[str],
    drawn_training: bool,
) -> pd.DataFrame:
    """Return means over folds by system and metric, observed and real."""
    described = settings.splits[SPLIT].model_copy(update={"train_order": train_order})
    split = make_split(ratings, described, split_seed, DATASET, SPLIT, {})
    threshold = settings.datasets[DATASET].relevance_threshold
    metrics = [parse(label) for label in METRICS]
    rows = []
    for number in range(split.n_folds):
        data = fold(ratings, split, number)
        met = (data.users_by_appearance, data.items_by_appearance)
        for name in systems:
            spec = settings.systems[name]
            own_seed = integer_seed(seed, DATASET, SPLIT, name, number)
            parameters = dict(spec.parameters)
            # Without one WBPR would be another algorithm, and Random draw the same numbers.
            if drawn_training and "librec_seed" in parameters:
                parameters["librec_seed"] = own_seed
            model = make(spec.recommender, parameters, seed=own_seed)
            grades = spec.learns_from == "grades"
            train = relevance_grades(data.train, threshold) if grades else data.train
            model.fit(train, None, met if spec.order == "appearance" else None)
            for evaluation, part in PARTS.items():
                generator_for = partial(generator, seed, DATASET, SPLIT, number)
                (ranked,) = rank_judged(model, data, [PROTOCOL], generator_for, part)
                judgments = data.unbiased if part == "unbiased" else data.test
                assert judgments is not None
                lists = JudgedLists.of(judgments, ranked, threshold, PROTOCOL)
                found = mean(evaluate(metrics, lists), lists, "tested")
                rows += [
                    (name, evaluation, label, number, value)
                    for label, value in zip(METRICS, found, strict=True)
                ]
    table = pd.DataFrame(rows, columns=["system", "evaluation", "metric", "fold", "value"])
    return table.pivot_table("value", ["system", "metric"], "evaluation", sort=False)


def taus(values: pd.DataFrame) -> dict[str, float]:
    """Return tau between observed and real values, by metric."""
    by_metric = values.groupby(level="metric")
    return {
        str(metric): float(kendalltau(rows["observed"], rows["real"]).statistic)
        for metric, rows in by_metric
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prepared", type=Path, help="folder of the prepared CM100k")
    parser.add_argument("--draws", type=int, default=12)
    parser.add_argument(
        "--train-order",
        choices=("rows", "folds", "least-liked-first"),
        default="least-liked-first",
        help="order of the rows of the train files",
    )
    parser.add_argument(
        "--same-split", action="store_true", help="draw nothing anew but the training of systems"
    )
    parser.add_argument(
        "--drawn-training",
        action="store_true",
        help="give LibRec's systems another librec_seed in every draw",
    )
    parser.add_argument("--values", type=Path, help="CSV of the values of all systems to write")
    chosen = parser.parse_args()
    settings = load_settings(CONFIG, "full")
    experiment = settings.studies["menamaldonado2021"].experiments[EXPERIMENT]
    ratings = Ratings.read(chosen.prepared)
    published = read_published_taus(CONFIG / "published" / "taus.csv")
    published = published[published["experiment"] == EXPERIMENT].set_index("x_metric")["published"]
    drawn = {}
    for number in range(chosen.draws):
        seed = settings.seed + number
        split_seed = settings.seed if chosen.same_split else seed
        values = values_of_a_draw(
            settings,
            ratings,
            seed,
            split_seed,
            chosen.train_order,
            experiment.systems,
            chosen.drawn_training,
        )
        drawn[seed] = values
        found = taus(values)
        print(seed, *(f"{label} {found[label]:.3f}" for label in METRICS), flush=True)
    if chosen.values is not None:
        pd.concat(drawn, names=["seed"]).to_csv(chosen.values)
    table = pd.DataFrame([taus(values) for values in drawn.values()])
    print(f"\n{'metric':11} published   mean  deviation    lowest  highest")
    for label in METRICS:
        own = table[label]
        print(
            f"{label:11} {published[label]:9.3f} {own.mean():6.3f} {own.std():10.3f} "
            f"{own.min():9.3f} {own.max():8.3f}"
        )
    print("\nmean coefficient without one system:")
    for name in experiment.systems:
        rest = pd.DataFrame([taus(values.drop(name, level="system")) for values in drawn.values()])
        print(f"{name:20}", *(f"{label} {rest[label].mean():6.3f}" for label in METRICS))


if __name__ == "__main__":
    main()
