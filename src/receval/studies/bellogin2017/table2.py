"""Table 2: notation, and where the library has each quantity."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Table, printed_text
from receval.studies._shared.inputs import ArtifactInputs

NOTATION = (
    (
        r"\mathcal{U}, \mathcal{I}, \mathcal{C}",
        "Set of all users, all items, candidate items",
        "receval.ratings.Ratings, receval.protocols.candidates.base_candidates",
    ),
    (
        r"R, R_{test}, R_{train}",
        "Set of all, test, training ratings",
        "receval.splits.split.Fold",
    ),
    (
        r"PR, PR_{test}, PR_{train}",
        "Set of all, test, training positive ratings (likes)",
        "receval.metrics.list_view.ListView.relevant",
    ),
    (
        r"R(u), R_{test}(u), R_{train}(u)",
        "Set of all, test, training items rated by u",
        "receval.splits.split.Judgments",
    ),
    (
        r"PR(u), PR_{test}(u), PR_{train}(u)",
        "Set of all, test, training items liked by u",
        "receval.metrics.list_view.ListView.relevant",
    ),
    (
        r"R(i), PR(i)",
        "Set of users who rated, like item i",
        "receval.protocols.popularity.popularity, "
        "receval.metrics.judged_items.DatasetMetadata.positive_ratings",
    ),
    (
        r"T_u, T_u^r",
        "Set of target items for u in AR, 1R",
        "receval.protocols.target_sets.TargetSets.lists",
    ),
    (
        r"N_u, N_u^r",
        "Non-relevant items added to build the target set (one for all lists of a user)",
        "receval.protocols.sampling.sample_candidates",
    ),
    (
        r"P_s^u@n(T_u)",
        "P@n of the target set as ranked by s for u",
        "receval.metrics.precision.Precision",
    ),
    (
        r"top_s^u(T_u, n)",
        "Top n items of the target set as ranked by s for u",
        "receval.metrics.list_view.ListView.sums_within (judged items among them)",
    ),
    (
        r"\tau_s^u(i, S)",
        "Position of i in S as ranked by s for u",
        "receval.protocols.judged_ranks.JudgedRanks.ranks",
    ),
    (
        r"i_k^{u,s}, i_k^{u,r,s}",
        "The item ranked k-th in the target set by s for u",
        "not formed: the ranks of the judged items suffice",
    ),
    (
        r"\sigma",
        "Split ratio: size of the test set over all ratings",
        "receval.theory.target_densities.TargetDensities.sigma",
    ),
    (
        r"\rho_u, \rho",
        "Share of relevant items in the target set, and its average over users",
        "receval.theory.target_densities.TargetDensities.rho",
    ),
    (
        r"t",
        "Average target set size: the harmonic mean of the sizes over users",
        "receval.theory.target_densities.TargetDensities.t",
    ),
    (
        r"\delta",
        "Relevance density in target sets: positive ratings over t times the number of users",
        "receval.theory.target_densities.TargetDensities.delta",
    ),
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return symbol (LaTeX), meaning and place in the library."""
    return pd.DataFrame(NOTATION, columns=["Symbol", "Meaning", "In the library"])


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the symbols as formulas."""
    shown = results.assign(Symbol="$`" + results["Symbol"] + "`$")
    return printed_text(display, shown, (0.22, 0.35, 0.38))
