# SPDX-License-Identifier: MIT
"""Models of ``config/studies/<study>.yaml``: experiments, judgment samplings and artifacts.

At the end are the models of ``config/replications.yaml``: which studies are repeated with other
root seeds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from receval.multiverse.decisions import DecisionGrid
from receval.spec_types import ClaimId, Identifier, Model, NonEmptyText, Size
from receval.storage.messages import enumerated, quoted
from reproduction.config.systems import ProtocolSpec

Evaluation = Literal["observed", "real"]


def _is_no_page(name: str) -> str:
    if name == "index":
        raise ValueError("index.md is the page of the study. Give the artifact another name")
    return name


ArtifactName = Annotated[
    str, Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$"), AfterValidator(_is_no_page)
]

Edition = Literal["demo", "full"]


class ExperimentSpec(Model):
    """Systems compared on one split of one dataset under some protocols.

    - ``title``: Distinguishes it in figures from other experiments on the same dataset; may be
      empty.
    - ``dataset``, ``split``: Names in ``datasets.yaml`` and ``splits.yaml``.
    - ``fallback_splits``: Splits to use if ``split`` cannot be made because its file or the
      timestamps are missing. The first one that can be made is used.
    - ``systems``: Names in ``systems.yaml``, in the order of figures and tables.
    - ``extra_systems``: Systems that are not in the paper, shown separately.
    - ``evaluated_users``: The users that are averaged: see :mod:`receval.metrics.evaluation`.
    - ``relevance_threshold``: Ratings at or above it are relevant; the dataset's own by default.
    - ``evaluations``: The judgments that measure the lists: the test ratings give ``observed``
      values, which are biased if users chose what to rate, and the split's unbiased test gives
      ``real`` values.
    - ``released_real_threshold``: The threshold of the unbiased judgments in the released code, if
      it differs.
    """

    # Excluded because no number depends on it.
    title: str = Field(default="", exclude=True)
    dataset: Identifier
    split: Identifier
    fallback_splits: tuple[Identifier, ...] = ()
    systems: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    extra_systems: tuple[Identifier, ...] = ()
    protocols: Annotated[tuple[ProtocolSpec, ...], Field(min_length=1)]
    evaluated_users: Literal["all", "tested", "relevant", "covered"] = "tested"
    relevance_threshold: float | None = None
    evaluations: Annotated[tuple[Evaluation, ...], Field(min_length=1)] = ("observed",)
    released_real_threshold: float | None = None

    @property
    def all_splits(self) -> tuple[str, ...]:
        """The split, then the fallback splits."""
        return (self.split, *self.fallback_splits)

    @property
    def all_systems(self) -> tuple[str, ...]:
        """The paper's systems, then the extra ones."""
        return (*self.systems, *self.extra_systems)

    @model_validator(mode="after")
    def _systems_differ(self) -> Self:
        repeated = {name for name in self.all_systems if self.all_systems.count(name) > 1}
        if repeated:
            raise ValueError(
                f"systems and extra_systems name {', '.join(sorted(repeated))} more than once. "
                "Name each system once"
            )
        return self


class ArtifactSpec(Model):
    """One figure or table, made by the module of an artifact family.

    - ``code``: The family: ``<module>`` of the study's own folder in ``reproduction.studies``, or
      ``<folder>.<module>`` of another; by default the module named as the artifact. In a module
      with several families, ``<module>:<family>`` has the functions ``data_<family>`` and so on.
    - ``kind``: A figure is drawn as SVG and PDF, a table written as Markdown and TeX, a page of
      text as Markdown.
    - ``editions``: The editions that have the artifact; by default both.
    - ``note``: Added to the caption in one edition: what differs or cannot be seen there.
    - ``reading``: Of a figure: a sentence on how to read it: what a mark means, and where better
      values are.
    - ``shows``: Of a figure: what it shows, the most important first. A number such as ``V18-078``
      is a claim of the study's paper; a mapping is a statement of our own with its checks
      (:class:`reproduction.claims.ledger.OwnStatement`).
    - ``experiments``: Names of the study's experiments whose judged ranks it reads.
    - ``datasets``: Datasets whose ratings it reads.
    - ``user_features``: Name of the file with features of users that it reads: an auxiliary file of
      its datasets, or a member of their archives.
    - ``parameters``: Choices of the paper that are passed to the artifact's code.
    - ``splits``: Names of splits that it reads without any system's ranks, for all its datasets or
      by dataset.
    - ``judgment_samplings``: Names of the study's judgment samplings whose values it reads.
    - ``results_of``: Names of the study's artifacts whose CSV it reads. These must not read other
      artifacts.
    - ``only_experiments``: The experiments that it shows, of those behind the results it reads; all
      by default.
    - ``simulations``: Names of the simulations (``simulations.yaml``) whose values it reads.
    - ``published``: Name of a table of published values in ``config/published`` that it reads.
    - ``reads_models``: Whether it reads the models of the systems of its experiments, to know the
      items of lists, which judged ranks do not have.
    - ``reads_searches``: Whether it reads the traces of the searches for settings
      (``searches.yaml``).
    - ``reads_claims``: Whether it shows verdicts on the claims of the study (``config/claims``).
    - ``styled_as``: Systems (``systems.yaml``) with the colours and markers of those that it trains
      itself, in the same order.
    - ``grid``: Name of the study's grid of decisions whose combinations it uses.
    """

    kind: Literal["figure", "table", "page"]
    code: Annotated[str, Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)?(:[a-z0-9_]+)?$")] | None = None
    editions: Annotated[tuple[Edition, ...], Field(min_length=1)] = ("demo", "full")
    title: NonEmptyText
    caption: NonEmptyText
    note: str = Field(default="", exclude=True)
    # Excluded because it is only text for the study's page.
    reading: str = Field(default="", exclude=True)
    shows: Annotated[tuple[ClaimId | dict[str, Any], ...], Field(max_length=3)] = Field(
        default=(), exclude=True
    )
    experiments: tuple[Identifier, ...] = ()
    datasets: tuple[Identifier, ...] = ()
    splits: tuple[Identifier, ...] | dict[Identifier, tuple[Identifier, ...]] = ()
    results_of: tuple[ArtifactName, ...] = ()
    only_experiments: tuple[Identifier, ...] = ()
    judgment_samplings: tuple[Identifier, ...] = ()
    simulations: tuple[Identifier, ...] = ()
    # Excluded because the raw files are recorded.
    user_features: str | None = Field(default=None, exclude=True)
    parameters: dict[str, int | float | str | tuple[int, ...] | tuple[str, ...]] = Field(default={})
    published: Annotated[str, Field(pattern=r"^[a-z0-9_]+\.csv$")] | None = None
    reads_models: bool = False
    reads_searches: bool = False
    # Excluded because the record is written before claims are judged.
    reads_claims: bool = Field(default=False, exclude=True)
    # Excluded because it is only a display style.
    styled_as: tuple[Identifier, ...] = Field(default=(), exclude=True)
    grid: Identifier | None = None

    @model_validator(mode="after")
    def _figure_says_how_it_is_read_and_what_it_shows(self) -> Self:
        if self.kind == "figure" and not (self.reading and self.shows):
            raise ValueError(
                "this figure lacks reading or shows. Give it a sentence on how to read it, and "
                "the claims or its own statements that it shows"
            )
        return self

    @model_validator(mode="after")
    def _splits_are_those_of_its_datasets(self) -> Self:
        if isinstance(self.splits, dict) and (others := set(self.splits) - set(self.datasets)):
            raise ValueError(
                f"the splits are of {', '.join(sorted(others))}, but the datasets of the "
                f"artifact are {', '.join(self.datasets) or 'none'}"
            )
        return self

    @property
    def all_splits(self) -> tuple[str, ...]:
        """The splits that it names, each once."""
        if isinstance(self.splits, dict):
            return tuple(dict.fromkeys(name for names in self.splits.values() for name in names))
        return self.splits

    def splits_of(self, dataset: str) -> tuple[str, ...]:
        """Return the splits of a dataset that it reads."""
        if isinstance(self.splits, dict):
            return self.splits.get(dataset, ())
        return self.splits if dataset in self.datasets else ()


# Models of judgment sampling: what is removed, and what is measured with the rest.


class Levels(Model):
    """Percentages of judgments that are kept, from the highest down to the lowest.

    - ``highest``, ``lowest``, ``step``: In per cent.
    """

    highest: Annotated[float, Field(gt=0, le=100)] = 100
    lowest: Annotated[float, Field(gt=0, le=100)]
    step: Annotated[float, Field(gt=0)]

    @property
    def percents(self) -> list[float]:
        """The levels in decreasing order."""
        number = int((self.highest - self.lowest) / self.step + 1e-9) + 1
        return [round(self.highest - index * self.step, 9) for index in range(number)]

    @model_validator(mode="after")
    def _steps_end_at_the_lowest(self) -> Self:
        if self.lowest > self.highest:
            raise ValueError(
                f"the lowest level, {self.lowest:g}, is above the highest, {self.highest:g}"
            )
        if abs(self.percents[-1] - self.lowest) > 1e-6:
            raise ValueError(
                f"steps of {self.step:g} from {self.highest:g} end at {self.percents[-1]:g} and "
                f"do not reach the lowest level, {self.lowest:g}"
            )
        return self


class JudgmentSamplingSpec(Model):
    """Judgments removed step by step, and what is measured with the remaining ones.

    - ``experiments``: Names of the study's experiments whose judged ranks are measured.
    - ``unit``: See :func:`receval.missing_judgments.judgment_sampling.sampling_order`.
    - ``levels``: Shares of ratings, items or users that are kept.
    - ``samples``: Number of random sampling orders.
    - ``averages``: Labels of metrics, by the label of their average over users.
    """

    experiments: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    unit: Literal["ratings", "items", "users", "popular-items", "largest-users"]
    levels: Levels
    samples: Size = 1
    averages: Annotated[
        dict[str, Annotated[tuple[str, ...], Field(min_length=1)]], Field(min_length=1)
    ]


class StudySpec(Model):
    """One paper, or a study of our own.

    - ``title``, ``citation``: Of the paper.
    - ``editions``: The editions that have the study; by default both.
    - ``grids``: Levels of the decisions of offline experiments, to be combined.
    - ``findings``: Up to three figures. The page of the study begins with three of the statements
      on them, and with the first figure.
    """

    title: NonEmptyText
    citation: NonEmptyText
    findings: Annotated[tuple[ArtifactName, ...], Field(max_length=3)] = ()
    editions: Annotated[tuple[Edition, ...], Field(min_length=1)] = ("demo", "full")
    experiments: dict[Identifier, ExperimentSpec] = Field(default={})
    judgment_samplings: dict[Identifier, JudgmentSamplingSpec] = Field(default={})
    grids: dict[Identifier, DecisionGrid] = Field(default={})
    artifacts: Annotated[dict[ArtifactName, ArtifactSpec], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_are_those_of_the_study(self) -> Self:
        experiments, samplings = set(self.experiments), set(self.judgment_samplings)
        wanted: list[tuple[str, str, Iterable[str], set[str]]] = []
        for name, artifact in self.artifacts.items():
            grid = () if artifact.grid is None else (artifact.grid,)
            shown = (*artifact.experiments, *artifact.only_experiments)
            wanted += [
                (name, "experiment", shown, experiments),
                (name, "judgment sampling", artifact.judgment_samplings, samplings),
                (name, "grid of decisions", grid, set(self.grids)),
                (name, "artifact that reads no other", artifact.results_of, self._of_their_own),
            ]
        wanted += [
            (name, "experiment", sampling.experiments, experiments)
            for name, sampling in self.judgment_samplings.items()
        ]
        figures = {name for name, artifact in self.artifacts.items() if artifact.shows}
        wanted.append(("findings", "figure", self.findings, figures))
        for name, kind, names, known in wanted:
            if unknown := set(names) - known:
                raise ValueError(
                    f"{name} {'need' if name == 'findings' else 'needs'} the {kind} "
                    f"{', '.join(sorted(unknown))}, "
                    f"but the study has {', '.join(sorted(known)) or 'none'}"
                )
        return self

    @property
    def _of_their_own(self) -> set[str]:
        return {name for name, artifact in self.artifacts.items() if not artifact.results_of}

    def experiments_of(self, artifact: str) -> tuple[str, ...]:
        """Return the names of the experiments behind an artifact.

        It reads them directly, in judgment samplings, or (those that it shows) in the results of
        other artifacts.
        """
        spec = self.artifacts[artifact]
        sampled = (
            name
            for judgment_sampling in spec.judgment_samplings
            for name in self.judgment_samplings[judgment_sampling].experiments
        )
        others = (
            name
            for other in spec.results_of
            for name in self.experiments_of(other)
            if not spec.only_experiments or name in spec.only_experiments
        )
        return tuple(dict.fromkeys([*spec.experiments, *sampled, *others]))


CROSSED = "crossed"

RUNS = r"r\d{2,3}|s\d-t\d-c\d"
"""Pattern of the names of runs: replications, and runs of the crossed design."""

_RANGE = re.compile(r"^(r\d{2,3})\.\.(r\d{2,3})$")

Few = Annotated[int, Field(ge=2, le=9)]

NumberOfReplications = Annotated[int, Field(ge=2, le=999)]


class DepartureSpec(Model):
    """How the replications of a study differ from the edition, and why.

    - ``changes``: Merged into ``config/studies/<study>.yaml``.
    - ``beside``: Why splits of this design do not decide, if so; they are then told beside the
      verdict of the edition.
    """

    reason: NonEmptyText
    beside: NonEmptyText | None = None
    changes: dict[str, Any]


class RepeatedStudySpec(Model):
    """The parts of a study that are repeated.

    - ``artifacts``: The artifacts that decide claims that depend on a split or a seed, and the
      artifacts they read.
    - ``count``: The number of replications of this study, where more are affordable.
    - ``further``: By dataset, up to which number of replications the claims on it are repeated
      alone, where that is cheap.
    """

    count: NumberOfReplications | None = None
    further: dict[Identifier, NumberOfReplications] = Field(default_factory=dict)
    artifacts: Annotated[tuple[ArtifactName, ...], Field(min_length=1)]
    otherwise: tuple[DepartureSpec, ...] = ()

    @property
    def beside(self) -> str:
        """Why the splits of this study do not decide; empty if they do."""
        return "; ".join(filter(None, (departure.beside for departure in self.otherwise)))


class CrossedSpec(Model):
    """All combinations of root seeds of the three sources of chance.

    - ``artifacts``: Artifacts of the study. The variance of their deciding numbers is divided.
    - ``splits``, ``systems``, ``candidates``: Numbers of root seeds of splits, of systems and of
      candidate sampling.
    """

    study: Identifier
    datasets: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    artifacts: Annotated[tuple[ArtifactName, ...], Field(min_length=1)]
    splits: Few
    systems: Few
    candidates: Few

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs: ``s1-t1-c1`` and so on."""
        levels = (range(1, n + 1) for n in (self.splits, self.systems, self.candidates))
        return tuple(f"s{s}-t{t}-c{c}" for s, t, c in product(*levels))


class ReplicationsSpec(Model):
    """The replications of an edition.

    - ``count``: The number of replications of each study that names no number of its own.
    """

    count: NumberOfReplications
    datasets: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    studies: Annotated[dict[Identifier, RepeatedStudySpec], Field(min_length=1)]
    crossed: CrossedSpec

    @model_validator(mode="after")
    def _further_is_repeated(self) -> Self:
        for name, study in self.studies.items():
            if unknown := sorted(set(study.further) - set(self.datasets)):
                raise ValueError(
                    f"studies.{name}.further.{unknown[0]} is of a dataset that is not repeated. "
                    f"Use one of {enumerated(self.datasets)}"
                )
        return self

    def _whole(self, study: str) -> int:
        """Return the number of replications of a study with all datasets."""
        return self.studies[study].count or self.count

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the replications, ``r01`` and so on, of the study that has most."""
        return tuple(f"r{number:02}" for number in range(1, max(self.counts.values()) + 1))

    @property
    def counts(self) -> dict[str, int]:
        """The number of replications of each study, of one dataset at least."""
        return {
            name: max([self._whole(name), *study.further.values()])
            for name, study in self.studies.items()
        }

    def names_of(self, study: str) -> tuple[str, ...]:
        """Return the names of the replications of a study."""
        return self.names[: self.counts[study]]

    def datasets_of(self, study: str, name: str) -> tuple[str, ...]:
        """Return the datasets that a replication of a study has."""
        place = 1 + self.names.index(name)
        further, whole = self.studies[study].further, self._whole(study)
        return tuple(one for one in self.datasets if place <= max(whole, further.get(one, 0)))

    def datasets_in(self, name: str) -> tuple[str, ...]:
        """Return the datasets that a replication of some study has."""
        has = {one for study in self.studies for one in self.datasets_of(study, name)}
        return tuple(one for one in self.datasets if one in has)

    def chosen(self, wanted: Iterable[str]) -> RepeatedRuns:
        """Return the runs that the given words select."""
        replications: set[str] = set()
        crossed = False
        for word in wanted:
            ends = _RANGE.match(word)
            if word in ("all", CROSSED):
                crossed = True
            if word == "all":
                replications.update(self.names)
            elif between := self._between(*ends.groups()) if ends else ():
                replications.update(between)
            elif word in self.names:
                replications.add(word)
            elif word != CROSSED:
                raise ValueError(
                    f"repeat has {quoted(word)}, which is not a replication. Use names from "
                    f"{self.names[0]} to {self.names[-1]}, ranges such as "
                    f"{self.names[0]}..{self.names[1]}, {enumerated([CROSSED])} or all"
                )
        ordered = tuple(name for name in self.names if name in replications)
        return RepeatedRuns(ordered, self.crossed.names if crossed else ())

    def _between(self, first: str, last: str) -> tuple[str, ...]:
        """Return the names of a range; none if it begins after its end or beyond all names."""
        if not {first, last} <= set(self.names):
            return ()
        return self.names[self.names.index(first) : self.names.index(last) + 1]


def as_words(value: object) -> object:
    """Split a text into words, because the command line gives several words as one text."""
    return value.replace(",", " ").split() if isinstance(value, str) else value


@dataclass(frozen=True)
class RepeatedRuns:
    """The requested runs: replications, and runs of the crossed design."""

    replications: tuple[str, ...]
    crossed: tuple[str, ...]


def seed_names(run: str) -> Sequence[str]:
    """Return the names from which the seeds of splits, systems and candidates are derived.

    Examples
    --------
    >>> seed_names("r01"), seed_names("s1-t2-c3")
    (['r01', 'r01', 'r01'], ['s1', 't2', 'c3'])
    """
    return run.split("-") if "-" in run else [run] * 3
