"""Models of ``config/studies/<study>.yaml``: experiments, and the artifacts made from them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from receval.protocols.protocol import BaseCandidates, Protocol, RelevantSelection, TieOrder

Identifier = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
ArtifactName = Annotated[str, Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]
Text = Annotated[str, Field(min_length=1)]
Size = Annotated[int, Field(ge=1)]
Edition = Literal["demo", "full"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProtocolSpec(_Model):
    """One protocol of an experiment, or several that differ in the size of the sample alone.

    Attributes
    ----------
    relevant, candidates, ties, percentiles, head_removed
        See :class:`receval.protocols.protocol.Protocol`.
    sampled : int or list of int, optional
        Numbers of non-relevant candidates; several are ranked in one pass.
    """

    relevant: RelevantSelection = "AR"
    candidates: BaseCandidates = "AI"
    sampled: Size | Annotated[tuple[Size, ...], Field(min_length=1)] | None = None
    ties: TieOrder = "random"
    percentiles: Annotated[int, Field(ge=2)] | None = None
    head_removed: Annotated[float, Field(gt=0, lt=1)] | None = None

    @model_validator(mode="after")
    def _can_be_formed(self) -> Self:
        self.protocols(0.0)
        return self

    def protocols(self, threshold: float) -> list[Protocol]:
        """Return the protocols for a relevance threshold."""
        sizes = self.sampled if isinstance(self.sampled, tuple) else (self.sampled,)
        return [
            Protocol(
                self.relevant,
                self.candidates,
                size,
                ties=self.ties,
                percentiles=self.percentiles,
                head_removed=self.head_removed,
            ).with_threshold(threshold)
            for size in sizes
        ]


class ExperimentSpec(_Model):
    """Systems compared on one split of one dataset under some protocols.

    Attributes
    ----------
    dataset, split : str
        Names in ``datasets.yaml`` and ``splits.yaml``.
    systems : tuple of str
        Names in ``systems.yaml``, in the order of figures and tables.
    extra_systems : tuple of str
        Systems that the paper does not have, shown apart from the others.
    protocols : tuple of ProtocolSpec
    averaged : {"all", "tested", "relevant", "covered"}
        Who is averaged: see :mod:`receval.metrics.aggregation`.
    relevance_threshold : float, optional
        Ratings at or above it are relevant; the dataset's own by default.
    """

    dataset: Identifier
    split: Identifier
    systems: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    extra_systems: tuple[Identifier, ...] = ()
    protocols: Annotated[tuple[ProtocolSpec, ...], Field(min_length=1)]
    averaged: Literal["all", "tested", "relevant", "covered"] = "tested"
    relevance_threshold: float | None = None

    @property
    def all_systems(self) -> tuple[str, ...]:
        """The paper's systems, then the extra ones."""
        return (*self.systems, *self.extra_systems)

    @model_validator(mode="after")
    def _systems_differ(self) -> Self:
        repeated = {name for name in self.all_systems if self.all_systems.count(name) > 1}
        if repeated:
            raise ValueError(f"named twice among the systems: {', '.join(sorted(repeated))}")
        return self


class Levels(_Model):
    """Percentages of what is kept, from the highest down to the lowest.

    Attributes
    ----------
    highest, lowest, step : float
        In per cent.
    """

    highest: Annotated[float, Field(gt=0, le=100)] = 100
    lowest: Annotated[float, Field(gt=0, le=100)]
    step: Annotated[float, Field(gt=0)]

    @property
    def percents(self) -> list[float]:
        """The levels, falling."""
        number = int((self.highest - self.lowest) / self.step + 1e-9) + 1
        return [round(self.highest - place * self.step, 9) for place in range(number)]

    @model_validator(mode="after")
    def _steps_end_at_the_lowest(self) -> Self:
        if self.lowest > self.highest:
            raise ValueError(
                f"the lowest level, {self.lowest:g}, is above the highest, {self.highest:g}"
            )
        if abs(self.percents[-1] - self.lowest) > 1e-6:
            raise ValueError(
                f"steps of {self.step:g} from {self.highest:g} end at {self.percents[-1]:g} and "
                f"miss the lowest level, {self.lowest:g}"
            )
        return self


class RemovalSpec(_Model):
    """Judgments removed step by step, and what is measured by those that are left.

    Attributes
    ----------
    experiments : tuple of str
        Names of the study's experiments whose judged ranks are measured.
    removed : {"ratings", "items", "users", "popular-items", "largest-users"}
        See :func:`receval.statistics.removal.removal_turns`.
    levels : Levels
        Shares of ratings, items or users that are kept.
    samples : int
        Number of random orders of removal.
    averages : dict of str to tuple of str
        Labels of metrics by the label of the average over users that they get.
    """

    experiments: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    removed: Literal["ratings", "items", "users", "popular-items", "largest-users"]
    levels: Levels
    samples: Size = 1
    averages: Annotated[
        dict[str, Annotated[tuple[str, ...], Field(min_length=1)]], Field(min_length=1)
    ]


class ArtifactSpec(_Model):
    """One figure or table. Its code is the module ``receval.studies.<study>.<artifact>``.

    Attributes
    ----------
    kind : {"figure", "table"}
        A figure is drawn as SVG and PDF, a table written as Markdown and TeX.
    title, caption : str
    experiments : tuple of str
        Names of the study's experiments whose judged ranks it reads.
    datasets : tuple of str
        Datasets whose ratings it reads.
    parameters : dict
        Choices of the paper that the artifact's code takes as they are.
    splits : tuple of str
        Names of splits of those datasets that it reads, without any system's ranks.
    removals : tuple of str
        Names of the study's removals of judgments whose values it reads.
    numbers_of : tuple of str
        Names of the study's artifacts whose CSV it reads; they read no other artifact's.
    simulations : tuple of str
        Names of the simulations (``simulations.yaml``) whose values it reads.
    published : str, optional
        Name of a table of published values in ``config/published`` that it reads.
    reads_searches : bool
        Whether it reads the traces of the searches for settings (``searches.yaml``).
    """

    kind: Literal["figure", "table"]
    title: Text
    caption: Text
    experiments: tuple[Identifier, ...] = ()
    datasets: tuple[Identifier, ...] = ()
    splits: tuple[Identifier, ...] = ()
    numbers_of: tuple[ArtifactName, ...] = ()
    removals: tuple[Identifier, ...] = ()
    simulations: tuple[Identifier, ...] = ()
    parameters: dict[str, int | float | str | tuple[int, ...] | tuple[str, ...]] = {}
    published: Annotated[str, Field(pattern=r"^[a-z0-9_]+\.csv$")] | None = None
    reads_searches: bool = False


class StudySpec(_Model):
    """One paper, or a study of our own.

    Attributes
    ----------
    title, citation : str
        Of the paper.
    editions : tuple of {"demo", "full"}
        The editions that have the study; by default both.
    experiments : dict of str to ExperimentSpec
    removals : dict of str to RemovalSpec
    artifacts : dict of str to ArtifactSpec
    """

    title: Text
    citation: Text
    editions: Annotated[tuple[Edition, ...], Field(min_length=1)] = ("demo", "full")
    experiments: dict[Identifier, ExperimentSpec] = {}
    removals: dict[Identifier, RemovalSpec] = {}
    artifacts: Annotated[dict[ArtifactName, ArtifactSpec], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_are_those_of_the_study(self) -> Self:
        wanted = [
            *(
                (n, "experiment", a.experiments, set(self.experiments))
                for n, a in self.artifacts.items()
            ),
            *(
                (n, "experiment", r.experiments, set(self.experiments))
                for n, r in self.removals.items()
            ),
            *((n, "removal", a.removals, set(self.removals)) for n, a in self.artifacts.items()),
            *(
                (n, "artifact that reads no other", a.numbers_of, self._of_their_own)
                for n, a in self.artifacts.items()
            ),
        ]
        for name, kind, names, known in wanted:
            if unknown := set(names) - known:
                raise ValueError(
                    f"{name} needs the {kind} {', '.join(sorted(unknown))}, "
                    f"but the study has {', '.join(sorted(known)) or 'none'}"
                )
        return self

    @property
    def _of_their_own(self) -> set[str]:
        return {name for name, artifact in self.artifacts.items() if not artifact.numbers_of}

    def experiments_of(self, artifact: str) -> tuple[str, ...]:
        """Return the names of the experiments behind an artifact.

        It reads them itself, in removals, or in the numbers of other artifacts.
        """
        spec = self.artifacts[artifact]
        removed = (name for removal in spec.removals for name in self.removals[removal].experiments)
        others = (name for other in spec.numbers_of for name in self.experiments_of(other))
        return tuple(dict.fromkeys([*spec.experiments, *removed, *others]))
