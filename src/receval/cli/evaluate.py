# SPDX-License-Identifier: MIT
"""``receval evaluate``: evaluate the systems of this library on a file of ratings."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.cli.arguments import (
    add_measuring,
    add_output,
    add_ratings,
    finish,
    number_or_word,
    ratings_of,
    repeated,
)
from receval.cli.command_parser import add_command, progress_line
from receval.cli.features import FILES, add_features, features_of, grouped_results
from receval.cli.saved_arguments import add_settings
from receval.storage.messages import quoted

if TYPE_CHECKING:
    from receval.recommenders.base import Recommender

SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "random": ("receval.recommenders.non_personalised:Random", {}),
    "pop": ("receval.recommenders.non_personalised:Popularity", {}),
    "average": ("receval.recommenders.non_personalised:AverageRating", {}),
    "user-knn": ("receval.recommenders.knn:UserKNN", {}),
    "item-knn": ("receval.recommenders.knn:ItemKNN", {}),
    "puresvd": ("receval.recommenders.puresvd:PureSVD", {}),
    "mf": ("receval.recommenders.wrmf:WRMF", {}),
    "bprmf": ("receval.recommenders.bprmf:BPRMF", {}),
    "slim": ("receval.recommenders.slim:SLIM", {"l1": 1.0, "l2": 100.0}),
    "plsa": ("receval.recommenders.plsa:PLSA", {}),
}
"""Class and parameters by name; other parameters follow the name or have defaults."""

EXAMPLES = """names:
  systems     random, pop, average, user-knn, item-knn, puresvd, mf, bprmf, slim, plsa
  splits      random-ratio, user-ratio, k-fold, leave-out, leave-last-out, temporal,
              uniform-test, missing-at-random, anti-popular-familiarity
  metrics     P, Recall, Hit, AP, nDCG, RR, F1, RBP, bpref, infAP and others, with a cut-off such as
              nDCG@10; names of other tools work as well: precision, HR, MAP, MRR, NDCG
  protocols   AR or 1R, then AI or TI for the target items, and AN or NN for the other candidates
  If a name or parameter is unknown, the error message lists the valid ones.

examples:
  receval evaluate ratings.csv --system pop --system user-knn:neighbours=50
  receval evaluate ratings.csv --system mf --split k-fold:folds=5 \\
    --protocol "1R TI-NN sampled=99" --metric nDCG@10 --metric MRR
  receval evaluate ratings.dat --item-features movies.dat --metric "ILD(feature=genre)@10" \\
    --user-groups users.dat:gender --item-groups movies.dat:genre
  receval evaluate --settings receval-evaluate/settings.json --seed 2 --out seed-2
"""


def add_evaluate(commands: Any) -> None:
    """Add this command to ``receval``."""
    text = "train recommender systems on your ratings, and compare them"
    parser = add_command(commands, "evaluate", text, EXAMPLES, run_evaluate)
    add_ratings(parser)
    parser.add_argument(
        "--system",
        action="append",
        metavar="NAME",
        help="system, such as pop, user-knn:neighbours=50 or mf:factors=20; may be repeated "
        "(default: pop and user-knn)",
    )
    parser.add_argument(
        "--split",
        default="user-ratio:train_ratio=0.8",
        metavar="KIND",
        help="split, such as k-fold:folds=5, leave-last-out or temporal:cut=2003-01-31,gap=7 "
        "(default: %(default)s)",
    )
    add_measuring(parser)
    add_features(parser)
    add_output(parser, "receval-evaluate")
    add_settings(parser, required=["ratings"], files=["ratings", *FILES])


def run_evaluate(chosen: argparse.Namespace) -> int:
    """Run the command."""
    from receval.evaluation.systems import evaluate_systems
    from receval.splits.split_ratings import split

    names = repeated(chosen.system) or ["pop", "user-knn"]
    systems = {name: named_system(name, chosen.seed) for name in names}
    kind, parameters = _split(chosen.split)
    data = split(ratings_of(chosen), kind, seed=chosen.seed, **parameters)
    features = features_of(chosen)
    with progress_line("system") as progress:
        result = evaluate_systems(
            data,
            systems,
            protocols=repeated(chosen.protocol) or "AR AI-AN",
            metrics=repeated(chosen.metric) or None,
            relevant=chosen.relevant,
            users=chosen.users,
            dialect=chosen.dialect,
            **features,
            progress=progress,
        )
    title = f"Systems on {Path(chosen.ratings).name}"
    grouped = grouped_results(result, chosen)
    return finish(result.as_report(title, samples=chosen.samples, grouped=grouped), chosen)


def _split(text: str) -> tuple[str, Mapping[str, Any]]:
    kind, _, written = text.partition(":")
    parts = [part.partition("=") for part in written.split(",") if part]
    return kind, {name.strip(): number_or_word(value.strip()) for name, _, value in parts}


def named_system(text: str, seed: int) -> Recommender:
    """Return the system for a name in :data:`SYSTEMS`, perhaps with parameters of its class.

    The system's random choices depend on the seed and on the whole text.

    Examples
    --------
    >>> named_system("user-knn:neighbours=20", seed=1).parameters["neighbours"]
    20
    """
    from receval.recommenders.base import make
    from receval.seeds import integer_seed

    name, _, written = text.partition(":")
    if name not in SYSTEMS:
        near = get_close_matches(name, SYSTEMS, n=2, cutoff=0.4)
        hint = f"Did you mean {' or '.join(near)}? The systems are" if near else "The systems are"
        raise ValueError(f"There is no system {quoted(name)}. {hint} {', '.join(SYSTEMS)}.")
    path, parameters = SYSTEMS[name]
    given: dict[str, Any] = {}
    for part in filter(None, written.split(",")):
        parameter, equals, value = part.partition("=")
        if not equals:
            raise ValueError(
                f"In {quoted(text)}, {quoted(part)} is not a parameter with a value. Write "
                "parameter=value, as in user-knn:neighbours=20."
            )
        given[parameter.strip()] = number_or_word(value.strip())
    return make(path, {**parameters, **given}, integer_seed(seed, "system", text))
