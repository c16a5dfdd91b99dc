# SPDX-License-Identifier: MIT
"""Figures 16 and 18 of menamaldonado2021 under several draws: how much of their taus is chance.

    python benchmarks/drawn_taus.py fig16 work/full/cm100k [--draws 12] [--train-order rows]
    python benchmarks/drawn_taus.py fig18 work/full/ml-1m [--draws 20]

Figure 16 rests on one draw of who knows which item, one partition into folds and one training of
each system; figure 18 on one training of each system, as the newest ratings are always the same.
Each draw makes these again with a root seed of its own. As configured, the systems that draw random
numbers have a `librec_seed`, and draw the same numbers under every root seed. Here every system,
fold and draw has another one, so that they stay the algorithms of the release; `--configured` keeps
those of the configuration. Kendall's tau of each panel is printed draw by draw, then its mean,
standard deviation and range beside the value of the released lists. Figure 18 needs the split in
`released-temporal/split.npz`, which `snakemake menamaldonado2021` makes. A draw takes some 40
seconds of one thread.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
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
from receval.splits.split import Split, fold
from reproduction.config.settings import Settings, load_settings

CONFIG = Path(__file__).resolve().parents[1] / "config"
STUDY = "menamaldonado2021"
PROTOCOL = Protocol(candidates="train", ties="librec")
PARTS = {"observed": "test", "real": "unbiased"}


@dataclass(frozen=True)
class Drawn:
    """A figure: its experiment, and the parts of the ratings by which each panel's axes are."""

    experiment: str
    x: str
    y: str


FIGURES = {
    "fig16": Drawn("cm100k-opposed", "observed", "real"),
    "fig18": Drawn("movielens-temporal", "observed", "observed"),
}


def values_of_a_draw(
    settings: Settings,
    ratings: Ratings,
    split: Split,
    seed: int,
    drawn: Drawn,
    metrics: Sequence[str],
    configured: bool,
) -> pd.DataFrame:
    """Return means over folds by system, part and metric."""
    experiment = settings.studies[STUDY].experiments[drawn.experiment]
    named = experiment.dataset, experiment.split
    threshold = settings.datasets[experiment.dataset].relevance_threshold
    rows = []
    for number in range(split.n_folds):
        data = fold(ratings, split, number)
        met = (data.users_by_appearance, data.items_by_appearance)
        for name in experiment.systems:
            spec = settings.systems[name]
            if name.startswith("optimal"):
                continue
            own_seed = integer_seed(seed, *named, name, number)
            parameters = dict(spec.parameters)
            # Without one WBPR would be another algorithm, and Random draw the same numbers.
            if "librec_seed" in parameters and not configured:
                parameters["librec_seed"] = own_seed
            model = make(spec.recommender, parameters, seed=own_seed)
            grades = spec.learns_from == "grades"
            train = relevance_grades(data.train, threshold) if grades else data.train
            model.fit(train, None, met if spec.order == "appearance" else None)
            for part in dict.fromkeys((drawn.x, drawn.y)):
                generator_for = partial(generator, seed, *named, number)
                (ranked,) = rank_judged(model, data, [PROTOCOL], generator_for, PARTS[part])
                judgments = data.unbiased if part == "real" else data.test
                assert judgments is not None
                lists = JudgedLists.of(judgments, ranked, threshold, PROTOCOL)
                found = mean(evaluate([*map(parse, metrics)], lists), lists, "tested")
                rows += [
                    (name, part, label, value) for label, value in zip(metrics, found, strict=True)
                ]
    table = pd.DataFrame(rows, columns=["system", "part", "metric", "value"])
    return table.pivot_table("value", "system", ["part", "metric"], sort=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("prepared", type=Path, help="folder of the prepared dataset")
    parser.add_argument("--draws", type=int, default=12)
    parser.add_argument(
        "--train-order",
        choices=("rows", "folds", "least-liked-first"),
        default="least-liked-first",
        help="order of the rows of the train files of figure 16",
    )
    parser.add_argument(
        "--configured", action="store_true", help="keep the librec_seed of the configuration"
    )
    chosen = parser.parse_args()
    settings = load_settings(CONFIG, "full")
    drawn = FIGURES[chosen.figure]
    experiment = settings.studies[STUDY].experiments[drawn.experiment]
    shown = settings.studies[STUDY].artifacts[chosen.figure].parameters
    panels = list(zip(shown["x_metrics"], shown["y_metrics"], strict=True))
    published = [float(tau) for tau in shown[f"released_tau_{drawn.experiment}"]]
    ratings = Ratings.read(chosen.prepared)
    found = []
    for number in range(chosen.draws):
        seed = settings.seed + number
        if chosen.figure == "fig18":
            split = Split.read(chosen.prepared / experiment.split / "split.npz")
        else:
            kind = settings.splits[experiment.split]
            kind = kind.model_copy(update={"train_order": chosen.train_order})
            split = make_split(ratings, kind, seed, experiment.dataset, experiment.split, {})
        metrics = list(dict.fromkeys(name for panel in panels for name in panel))
        values = values_of_a_draw(settings, ratings, split, seed, drawn, metrics, chosen.configured)
        found.append(
            [kendalltau(values[drawn.x, x], values[drawn.y, y]).statistic for x, y in panels]
        )
        print(seed, *(f"{tau:.3f}" for tau in found[-1]), flush=True)
    print(f"\n{'panel':32} released    mean  deviation    lowest  highest")
    for (x, y), tau, (_, own) in zip(panels, published, pd.DataFrame(found).items(), strict=True):
        print(
            f"{x + ' ' + y:32} {tau:8.3f} {own.mean():7.3f} {own.std():10.3f} "
            f"{own.min():9.3f} {own.max():8.3f}"
        )


if __name__ == "__main__":
    main()
