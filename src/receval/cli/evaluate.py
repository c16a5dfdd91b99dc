# SPDX-License-Identifier: MIT
"""``receval evaluate``: evaluate the systems of this library on a file of ratings."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.cli.arguments import (
    add_comparison,
    add_measuring,
    add_output,
    add_ratings,
    check_comparison,
    comparison_of,
    finish,
    number_or_word,
    repeated,
)
from receval.cli.command_parser import add_command, complete_by, progress_line
from receval.cli.features import (
    FILES,
    add_features,
    add_rating_scores,
    features_of,
    grouped_results,
)
from receval.cli.runs import add_depth, add_run_columns, read_runs
from receval.cli.saved_arguments import add_settings
from receval.cli.split import DEFAULT_SPLIT, add_given_parts, add_selection, split_of
from receval.storage.messages import quoted

if TYPE_CHECKING:
    from receval.recommenders.base import Recommender

SYSTEMS = {
    "random": "receval.recommenders.non_personalised:Random",
    "pop": "receval.recommenders.non_personalised:Popularity",
    "average": "receval.recommenders.non_personalised:AverageRating",
    "user-knn": "receval.recommenders.knn:UserKNN",
    "item-knn": "receval.recommenders.knn:ItemKNN",
    "puresvd": "receval.recommenders.puresvd:PureSVD",
    "mf": "receval.recommenders.wrmf:WRMF",
    "bprmf": "receval.recommenders.bprmf:BPRMF",
    "slim": "receval.recommenders.slim:SLIM",
    "ease": "receval.recommenders.ease:EASE",
    "plsa": "receval.recommenders.plsa:PLSA",
}
"""Classes by name; parameters follow the name, or have the defaults of the class. The name of the
class is taken, too."""

DEFAULT_SEED = 0
"""The default seed of all systems of the library."""

EXAMPLES = """names:
  systems     random, pop, average, user-knn, item-knn, puresvd, mf, bprmf, slim, ease,
              plsa
  splits      random-ratio, user-ratio, k-fold, leave-out, leave-last-out, temporal,
              time-windows, next-item, held-out-users, uniform-test, missing-at-random,
              anti-popular-familiarity, predefined
  metrics     P, Recall, Hit, AP, nDCG, RR, F1, RBP, bpref, infAP and others, with a cut-off such as
              nDCG@10; names of other tools work as well: precision, HR, MAP, MRR, NDCG
  protocols   AR or 1R, then AI or TI for the target items, and AN or NN for the other candidates
  If a name or parameter is unknown, the error message lists the valid ones. Systems may also have
  the names of their classes, such as WRMF for mf, and a seed of their own: mf:seed=2.

examples:
  receval evaluate ratings.csv --system pop --system user-knn:neighbours=50
  receval evaluate ratings.csv --system mf --split k-fold:folds=5 \\
    --protocol "1R TI-NN sampled=99" --metric nDCG@10 --metric MRR
  receval evaluate ratings.dat --item-features movies.dat --metric "ILD(feature=genre)@10" \\
    --user-groups users.dat:gender --item-groups movies.dat:genre
  receval evaluate ratings.csv --system pop --run mine.jsonl
  receval evaluate train.csv --test test.csv --system item-knn
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
        help="system, such as pop, user-knn:neighbours=50 or mf:factors=20,seed=2; may be repeated "
        "(default: pop and user-knn)",
    )
    run = parser.add_argument(
        "--run",
        "--runs",
        action="append",
        dest="runs",  # The library's name; the function of the command has the other.
        metavar="FILE",
        help="lists that another program made for the test users of the split, to be compared with "
        "the systems; NAME=FILE sets their name; may be repeated",
    )
    complete_by("file", [run])
    add_depth(parser)
    add_run_columns(parser)
    parser.add_argument(
        "--split",
        default=DEFAULT_SPLIT,
        metavar="KIND",
        help="split, such as k-fold:folds=5, leave-last-out or temporal:cut=2003-01-31,gap=7 "
        "(default: %(default)s)",
    )
    add_selection(parser)
    add_given_parts(parser)
    add_measuring(parser)
    add_rating_scores(parser)
    parser.add_argument(
        "--lists",
        type=int,
        metavar="NUMBER",
        help="also write so many items of the lists of all systems, to lists.csv",
    )
    add_features(parser)
    add_comparison(parser)
    add_output(parser, "receval-evaluate")
    files = ["ratings", "test", "validation", "runs", *FILES]
    add_settings(parser, required=["ratings"], files=files)


def run_evaluate(chosen: argparse.Namespace) -> int:
    """Run the command."""
    from receval.evaluation.systems import evaluate_systems

    check_comparison(chosen)
    names = repeated(chosen.system) or ["pop", "user-knn"]
    systems = {}
    for text in names:
        name, own = labelled_system(text)
        systems[name] = named_system(own)
    data = split_of(chosen, chosen.split)
    runs = read_runs(chosen, chosen.runs or [])
    features = features_of(chosen)
    with progress_line("system") as progress:
        result = evaluate_systems(
            data,
            systems,
            runs=runs or None,
            depth=chosen.depth,
            protocols=repeated(chosen.protocol) or "AR AI-AN",
            metrics=repeated(chosen.metric) or None,
            relevant=chosen.relevant,
            users=chosen.users,
            dialect=chosen.dialect,
            rating_scores=repeated(chosen.rating_scores),
            lists=chosen.lists,
            **features,
            progress=progress,
        )
    title = f"Systems on {Path(chosen.ratings).name}"
    grouped = grouped_results(result, chosen)
    report = result.as_report(
        title, methods=bool(chosen.methods), grouped=grouped, **comparison_of(chosen)
    )
    return finish(report, chosen)


def labelled_system(text: str) -> tuple[str, str]:
    """Return the name of a system in results, and the text that describes it.

    Examples
    --------
    >>> labelled_system("user-knn:neighbours=20")
    ('user-knn:neighbours=20', 'user-knn:neighbours=20')
    >>> labelled_system("near=UserKNN:neighbours=20")
    ('near', 'UserKNN:neighbours=20')
    """
    name, equals, own = text.partition("=")
    kind = own.partition(":")[0]
    if equals and name and ":" not in name and (kind in SYSTEMS or _class_path(kind)):
        return name, own
    return text, text


def _class_path(name: str) -> str | None:
    """Return the path of a recommender of the library, given the name of its class."""
    import receval
    from receval.recommenders.base import Recommender

    kind = getattr(receval, name) if name in receval.__all__ and name[:1].isupper() else None
    if not (isinstance(kind, type) and issubclass(kind, Recommender)) or kind is Recommender:
        return None
    return f"{kind.__module__}:{kind.__name__}"


_VALUES = {"none": None, "true": True, "false": False}


def named_system(text: str, seed: int | None = None) -> Recommender:
    """Return the system for a name in :data:`SYSTEMS`, perhaps with parameters of its class.

    Its random choices depend on ``seed=...`` in the text. Without it they are those of the class's
    default, so that the library's ``WRMF(factors=20)`` has the same scores as ``mf:factors=20``;
    or, if a seed is given, they depend on it, on the name and on the parameters. The name may also
    be that of a class of the library, such as ``UserKNN``.

    Examples
    --------
    >>> named_system("user-knn:neighbours=20").parameters["neighbours"]
    20
    >>> named_system("WRMF:seed=3").parameters == named_system("mf:seed=3").parameters
    True
    """
    from receval.recommenders.base import make
    from receval.seeds import integer_seed

    name, _, written = text.partition(":")
    classes = {path.partition(":")[2]: own for own, path in SYSTEMS.items()}
    name = classes.get(name, name)
    path = _class_path(name)
    if name not in SYSTEMS and path is None:
        near = get_close_matches(name, SYSTEMS, n=2, cutoff=0.4)
        hint = f"Did you mean {' or '.join(near)}? The systems are" if near else "The systems are"
        raise ValueError(f"There is no system {quoted(name)}. {hint} {', '.join(SYSTEMS)}.")
    given: dict[str, Any] = {}
    for part in filter(None, written.split(",")):
        parameter, equals, value = part.partition("=")
        if not equals:
            raise ValueError(
                f"In {quoted(text)}, {quoted(part)} is not a parameter with a value. Write "
                "parameter=value, as in user-knn:neighbours=20."
            )
        if parameter.strip() in given:
            raise ValueError(f"{quoted(text)} has {parameter.strip()} twice. Give it once.")
        given[parameter.strip()] = number_or_word(value.strip())
    own_seed = given.pop("seed", None)
    if not isinstance(own_seed, int | None) or (own_seed or 0) < 0:
        raise ValueError(f"In {quoted(text)}, the seed is not a whole number of 0 or more.")
    if own_seed is None:
        known = f"{name}:{written}" if written else name
        own_seed = DEFAULT_SEED if seed is None else integer_seed(seed, "system", known)
    given = {own: _VALUES.get(str(value), value) for own, value in given.items()}
    return make(path or SYSTEMS[name], given, own_seed)
