# SPDX-License-Identifier: MIT
"""The experimental decisions of Cañamares et al. (2020), and grids of their legal combinations.

The decisions are from section 3 of the paper: A1 to C4, and D, the test. The defaults are its
starting configuration (section 4.1).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from receval.protocols.protocol import NonComputable, Protocol
from receval.spec_types import Model, Size
from receval.splits.kinds import OpenShare, SelectionSpec

SplitKind = Literal["random", "user", "time", "own"]
UserSelection = Literal["trained", "all"]
ListForm = Literal["full", "condensed"]
MetricName = Literal["P", "nDCG", "RBP", "RBO", "tau"]
GainName = Literal["g1", "g2"]
Aggregation = Literal["mean", "median", "test-weighted", "positive-weighted", "geometric"]
CoverageTreatment = Literal["full", "reduced"]
SignificanceTest = Literal["t", "t-log", "sign", "wilcoxon", "bootstrap"]

DECISIONS = {
    "selection": "A1",
    "split": "A2",
    "users": "B1",
    "non_computable": "B2",
    "lists": "C1",
    "metric": "C2",
    "aggregation": "C3",
    "coverage": "C4",
    "test": "D",
}
"""The paper's label of each decision, by the name of its field."""

DECISION_NAMES = tuple(DECISIONS)

GEOMETRIC_EPSILON = 1e-5
"""The epsilon of the adjusted geometric mean (C3); the paper states none."""

BOOTSTRAP_SAMPLES = 200
"""The number of bootstrap samples of users: shares have a standard error of at most .035."""

GAINS = {"g1": "binary", "g2": "exp-normalised"}
"""The gains of :mod:`receval.metrics.gains` by the paper's names."""

_OF_AN_ORDER = ("RBO", "tau")
_WITH_GAIN = ("P", "nDCG", "RBP")
_WITH_PHI = ("RBP", "RBO")
_PHI = 0.9

# In the order of the parameters of `refusals`; other decisions exclude nothing.
DEPENDENT = ("non_computable", "lists", "metric", "aggregation", "coverage", "test")
"""The decisions that may exclude each other, in the order of :func:`refusals`."""


class SplitDecision(Model):
    """A2: how ratings are split: by a random draw for each, an equal share for each user, or time.

    ``train_ratio`` is the probability, or share, of training ratings; with ``time``, the earliest
    ones train. ``own`` is the split that a person gives
    (:func:`receval.multiverse.explore_ratings.explore_ratings`), which has no ratio to choose.
    """

    kind: SplitKind = "random"
    train_ratio: OpenShare = 0.5

    @property
    def label(self) -> str:
        """The printed form, such as ``random-0.5``."""
        return "own" if self.kind == "own" else f"{self.kind}-{self.train_ratio}"


class MetricDecision(Model):
    """C2: the metric, its depth (None for whole lists) and its gain.

    RBO and tau compare the order of the judged items with that of their ratings. The gain g1 is 1
    for relevant items, g2 is :math:`(2^{r-1} - 1) / (2^{r_{max}-1} - 1)`; it is g1 by default, for
    metrics with a gain. Phi is the probability of going on to the next rank in RBP and RBO, by
    default .9.
    """

    name: MetricName = "nDCG"
    depth: Size | None = 10
    gain: GainName | None = None
    phi: OpenShare | None = None

    @model_validator(mode="before")
    @classmethod
    def _defaults_are_written_out(cls, values: Any) -> Any:
        # Equal metrics must be equal objects with one hash, however many of their fields were
        # given.
        if not isinstance(values, dict):
            return values
        name = values.get("name", "nDCG")
        defaults: dict[str, Any] = {"gain": "g1" if name in _WITH_GAIN else None, "phi": None}
        if name in _WITH_PHI:
            defaults["phi"] = _PHI
        given = {key: value for key, value in values.items() if value is not None or key == "depth"}
        return {**defaults, **given}

    @model_validator(mode="after")
    def _parameters_belong_to_the_metric(self) -> Self:
        if self.name in _OF_AN_ORDER and self.gain is not None:
            raise ValueError(
                f"{self.name} compares two orders and has no gain: leave out {self.gain}"
            )
        if self.name == "P" and self.gain == "g2":
            raise ValueError(
                "P counts relevant items, so its gain is g1; for g2 choose nDCG or RBP"
            )
        if self.name not in _WITH_PHI and self.phi is not None:
            raise ValueError(f"phi belongs to RBP and RBO, not to {self.name}: leave it out")
        return self

    def label(self, condensed: bool) -> str:
        """Return the label that :func:`receval.metrics.registry.parse` reads."""
        parameters = ["condensed=true"] if condensed else []
        if self.name in ("nDCG", "RBP"):
            parameters.append(f"gain={GAINS[self.gain or 'g1']}")
        if self.phi is not None:
            parameters.append(f"phi={self.phi!r}")
        brackets = f"({','.join(parameters)})" if parameters else ""
        return f"{self.name}{brackets}" + (f"@{self.depth}" if self.depth else "")

    @property
    def short_label(self) -> str:
        """The printed form, such as ``nDCG@10-g1``."""
        words = [self.name + (f"@{self.depth}" if self.depth else "")]
        if self.name in ("nDCG", "RBP"):
            words.append(self.gain or "g1")
        if self.phi is not None and self.phi != _PHI:
            words.append(f"phi{self.phi}")
        return "-".join(words)


class Configuration(Model):
    """One offline experiment, as the decisions of Cañamares et al. (2020).

    Attributes
    ----------
    selection : SelectionSpec
        A1: which ratings are used.
    split : SplitDecision
        A2: which ratings are in train and in test.
    users : {"trained", "all"}
        B1: whether users without training ratings are left out.
    non_computable : {"none", "random", "popularity", "average"}
        B2: whether items without a score are left out, or ranked below the others in this order.
    lists : {"full", "condensed"}
        C1: whether unjudged items count as non-relevant or are removed.
    metric : MetricDecision
        C2: the metric.
    aggregation : {"mean", "median", "test-weighted", "positive-weighted", "geometric"}
        C3: how the values of users are averaged. Weights are the numbers of test ratings or of
        relevant ones; the geometric mean is epsilon-adjusted.
    coverage : {"full", "reduced"}
        C4: whether users without any recommendation count as 0 or are left out.
    test : {"t", "t-log", "sign", "wilcoxon", "bootstrap"}
        D: a paired test over users; ``t-log`` is the t-test of logarithms, ``bootstrap`` the share
        of bootstrap samples of users whose test rejects.

    Raises
    ------
    pydantic.ValidationError
        Decisions exclude each other; the message has a reason for each such pair.

    Examples
    --------
    >>> ours = Configuration(lists="condensed", metric={"name": "RBO"})
    >>> ours.replace(split={"train_ratio": 0.8}).name
    'A1=all A2=random-0.8 B1=trained B2=none C1=condensed C2=RBO@10 C3=mean C4=full D=t'
    """

    selection: SelectionSpec = SelectionSpec()
    split: SplitDecision = SplitDecision()
    users: UserSelection = "trained"
    non_computable: NonComputable = "none"
    lists: ListForm = "full"
    metric: MetricDecision = MetricDecision()
    aggregation: Aggregation = "mean"
    coverage: CoverageTreatment = "full"
    test: SignificanceTest = "t"

    @model_validator(mode="after")
    def _decisions_go_together(self) -> Self:
        reasons = refusals(*(getattr(self, decision) for decision in DEPENDENT))
        if reasons:
            raise ValueError("; ".join(reasons))
        return self

    def replace(self, **decisions: Any) -> Self:
        """Return a copy with some decisions replaced, after checking them again."""
        return self.model_validate({**dict(self), **decisions})

    @property
    def levels(self) -> dict[str, str]:
        """The level of each decision in short words, by the name of the decision."""
        return {
            "selection": selection_label(self.selection),
            "split": self.split.label,
            "users": self.users,
            "non_computable": self.non_computable,
            "lists": self.lists,
            "metric": self.metric.short_label,
            "aggregation": self.aggregation,
            "coverage": self.coverage,
            "test": self.test,
        }

    @property
    def name(self) -> str:
        """The decisions by their labels: ``A1=all A2=random-0.5 B1=trained ...``."""
        return " ".join(f"{DECISIONS[field]}={level}" for field, level in self.levels.items())

    @property
    def hash(self) -> str:
        """Twelve hexadecimal digits that identify the configuration."""
        content = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:12]

    @property
    def protocol(self) -> Protocol:
        """The candidates that systems rank, and the policy for items without a score."""
        return Protocol("AR", "rated", non_computable=self.non_computable)

    @property
    def metric_label(self) -> str:
        """The label of the metric, on full or condensed lists."""
        return self.metric.label(self.lists == "condensed")

    @property
    def residual_label(self) -> str | None:
        """The label of the residual of RBP; None for other metrics."""
        if self.metric.name != "RBP":
            return None
        condensed = "condensed=true," if self.lists == "condensed" else ""
        depth = f"@{self.metric.depth}" if self.metric.depth else ""
        return f"RBPresidual({condensed}phi={self.metric.phi!r}){depth}"


def selection_label(selection: SelectionSpec) -> str:
    """Return a selection in short words, such as ``all`` or ``share-0.5``."""
    words = []
    if selection.share is not None:
        words.append(f"share-{selection.share}")
    if selection.head_removed is not None:
        words.append(f"headless-{selection.head_removed}")
    if selection.min_user_ratings > 1:
        words.append(f"users-{selection.min_user_ratings}")
    if selection.min_item_ratings > 1:
        words.append(f"items-{selection.min_item_ratings}")
    return "+".join(words) or "all"


def refusals(
    non_computable: str,
    lists: str,
    metric: MetricDecision,
    aggregation: str,
    coverage: str,
    test: str,
) -> list[str]:
    """Return the reasons why decisions exclude each other; empty if they are legal."""
    reasons = []
    if metric.name in _OF_AN_ORDER and lists == "full":
        reasons.append(
            f"{metric.name} compares the order of the judged items with the order of their "
            "ratings, but unjudged items have no ratings: choose condensed lists"
        )
    if coverage == "reduced" and non_computable != "none":
        reasons.append(
            f"with the policy {non_computable} for non-computable items, every user gets a list, "
            "so reduced coverage changes nothing: choose full coverage, or leave these items out"
        )
    if aggregation == "geometric":
        if metric.name == "tau":
            reasons.append("tau can be negative, so it has no geometric mean")
        if test not in ("t-log", "bootstrap"):
            reasons.append(
                f"{test} does not test a geometric mean, which is a mean of logarithms: choose "
                "t-log (the t-test of logarithms) or bootstrap"
            )
    elif test == "t-log":
        reasons.append(f"t-log tests a geometric mean, not the aggregation {aggregation}")
    if aggregation == "median" and test == "t":
        reasons.append("t tests a mean, not a median: choose sign, wilcoxon or bootstrap")
    if aggregation.endswith("weighted") and test in ("sign", "wilcoxon"):
        reasons.append(f"{test} ignores the weights of users: choose t or bootstrap")
    return reasons


# Levels of every decision, and all their legal combinations.


class DecisionGrid(Model):
    """Levels of every decision; the multiverse is the set of their legal combinations.

    Attributes
    ----------
    selection, split, users, non_computable, lists, metric, aggregation, coverage, test
        The levels of each field of :class:`Configuration`; by default only the starting one.

    Examples
    --------
    RBO, which compares orders of judged items, is legal only on condensed lists:

    >>> grid = DecisionGrid(lists=["full", "condensed"], metric=[{"name": "P"}, {"name": "RBO"}])
    >>> [f"{each.metric.name} of {each.lists} lists" for each in grid.configurations()]
    ['P of full lists', 'P of condensed lists', 'RBO of condensed lists']
    """

    selection: Annotated[tuple[SelectionSpec, ...], Field(min_length=1)] = (SelectionSpec(),)
    split: Annotated[tuple[SplitDecision, ...], Field(min_length=1)] = (SplitDecision(),)
    users: Annotated[tuple[UserSelection, ...], Field(min_length=1)] = ("trained",)
    non_computable: Annotated[tuple[NonComputable, ...], Field(min_length=1)] = ("none",)
    lists: Annotated[tuple[ListForm, ...], Field(min_length=1)] = ("full",)
    metric: Annotated[tuple[MetricDecision, ...], Field(min_length=1)] = (MetricDecision(),)
    aggregation: Annotated[tuple[Aggregation, ...], Field(min_length=1)] = ("mean",)
    coverage: Annotated[tuple[CoverageTreatment, ...], Field(min_length=1)] = ("full",)
    test: Annotated[tuple[SignificanceTest, ...], Field(min_length=1)] = ("t",)

    @model_validator(mode="after")
    def _levels_differ(self) -> Self:
        for name, levels in self:
            if twice := [level for index, level in enumerate(levels) if level in levels[:index]]:
                raise ValueError(
                    f"{name} has the level {_printed(twice[0])} twice, but every level makes "
                    "universes of its own: leave one of them out"
                )
        return self

    @model_validator(mode="after")
    def _some_levels_go_together(self) -> Self:
        if not self._evaluations():
            reasons = dict.fromkeys(
                reason for decided in self._combinations() for reason in refusals(*decided)
            )
            raise ValueError(
                f"no combination of these levels is legal, so there is no universe: "
                f"{'; '.join(reasons)}"
            )
        return self

    def configurations(self) -> list[Configuration]:
        """Return all legal combinations; the first decision varies slowest."""
        legal = self._evaluations()
        return [
            Configuration.model_construct(selection=selection, split=split, users=users, **decided)
            for selection in self.selection
            for split in self.split
            for users in self.users
            for decided in legal
        ]

    def _evaluations(self) -> list[dict[str, Any]]:
        """Return the legal combinations of the decisions that may exclude each other."""
        return [
            dict(zip(DEPENDENT, decided, strict=True))
            for decided in self._combinations()
            if not refusals(*decided)
        ]

    def _combinations(self) -> Iterator[tuple[Any, ...]]:
        """Yield all combinations of these decisions, legal or not."""
        return product(*(getattr(self, decision) for decision in DEPENDENT))


def _printed(level: Any) -> str:
    if isinstance(level, SelectionSpec):
        return selection_label(level)
    if isinstance(level, MetricDecision):
        return level.short_label
    return level.label if isinstance(level, SplitDecision) else str(level)
