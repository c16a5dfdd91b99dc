"""Table 1: notation, and where the library has each quantity."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Table, printed_text
from receval.studies._shared.inputs import ArtifactInputs

NOTATION = (
    (
        r"\mathcal{U}, \mathcal{I}",
        "Set of all users and all items",
        "receval.ratings.Ratings.user_ids, receval.ratings.Ratings.item_ids",
    ),
    (
        r"\mathrm{rel}: \mathcal{U} \times \mathcal{I} \to \{0, 1\}",
        "Whether a user likes an item",
        "receval.metrics.judged_items.JudgedItems.relevant",
    ),
    (
        r"\mathrm{rated}: \mathcal{U} \times \mathcal{I} \to \{0, 1\}",
        "Whether a rating is in the dataset; "
        r"$`\mathrm{rated} = \mathrm{train} \vee \mathrm{test}`$",
        "receval.ratings.Ratings",
    ),
    (
        r"\mathrm{train}: \mathcal{U} \times \mathcal{I} \to \{0, 1\}",
        "Whether the evaluated system has observed a user interacting with an item",
        "receval.splits.split.Fold.train",
    ),
    (
        r"\mathrm{test}: \mathcal{U} \times \mathcal{I} \to \{0, 1\}",
        "Whether the relevance of an item for a user is known to the evaluation and not to the "
        "system",
        "receval.splits.split.Fold.test",
    ),
    (
        r"p(\mathrm{train}|i)",
        "Popularity of the item: share of users whom the system has observed interacting with it",
        "receval.theory.rating_probabilities.RatingProbabilities.p_train",
    ),
    (
        r"p(\mathrm{rel}|\mathrm{train}, i)",
        "Average binary rating of the item: share of the observed interactions with it that are "
        "positive",
        "receval.theory.rating_probabilities.RatingProbabilities.p_relevant_given_train",
    ),
    (
        r"M: \mathrm{Aut}(\mathcal{I}) \times \mathcal{U} \to \mathbb{R}",
        "Real value of a metric of a ranking for a user, with all relevance known, or an unbiased "
        r"estimate of it; $`\mathrm{Aut}(\mathcal{I})`$ are all rankings of the items",
        "receval.metrics.evaluation.evaluate, of lists judged by "
        "receval.splits.split.Fold.unbiased",
    ),
    (
        r"\widehat{M}: \mathrm{Aut}(\mathcal{I}) \times \mathcal{U} \to \mathbb{R}",
        "Observed value of the metric, with the relevance that is known from a split of the "
        "ratings",
        "receval.metrics.evaluation.evaluate, of lists judged by receval.splits.split.Fold.test",
    ),
    (
        r"\varphi_M: \mathcal{I} \to \mathbb{R}",
        "Function of the items whose falling order is the optimal ranking for the metric",
        "receval.theory.optimal_rankings.observed_precision_ranking, "
        "receval.theory.optimal_rankings.observed_anti_precision_ranking, "
        "receval.theory.optimal_rankings.real_precision_ranking, "
        "receval.theory.optimal_rankings.real_anti_precision_ranking",
    ),
    (
        r"\mathrm{dr}_{a,b} f",
        "Decrement rate of a function over two items (equation 11)",
        "receval.theory.agreement_and_steepness.decrement_rate",
    ),
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return symbol (LaTeX), meaning and place in the library."""
    return pd.DataFrame(NOTATION, columns=["Symbol", "Meaning", "In the library"])


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the symbols as formulas."""
    shown = results.assign(Symbol="$`" + results["Symbol"] + "`$")
    return printed_text(display, shown, (0.22, 0.35, 0.38))
