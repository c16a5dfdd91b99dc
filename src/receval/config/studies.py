"""Models of ``config/studies/<study>.yaml``: experiments, and the artifacts made from them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from receval.protocols.protocol import BaseCandidates, Protocol, RelevantSelection, TieOrder

Identifier = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Text = Annotated[str, Field(min_length=1)]
Size = Annotated[int, Field(ge=1)]
Edition = Literal["demo", "full"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProtocolSpec(_Model):
    """One protocol of an experiment, or several that differ in the size of the sample alone.

    Attributes
    ----------
    relevant, candidates, ties
        See :class:`receval.protocols.protocol.Protocol`.
    sampled : int or list of int, optional
        Numbers of non-relevant candidates; several are ranked in one pass.
    """

    relevant: RelevantSelection = "AR"
    candidates: BaseCandidates = "AI"
    sampled: Size | Annotated[tuple[Size, ...], Field(min_length=1)] | None = None
    ties: TieOrder = "random"

    def protocols(self, threshold: float) -> list[Protocol]:
        """Return the protocols for a relevance threshold."""
        sizes = self.sampled if isinstance(self.sampled, tuple) else (self.sampled,)
        decides = self.relevant == "1R" or self.sampled is not None
        return [
            Protocol(
                self.relevant,
                self.candidates,
                size,
                threshold if decides else None,
                self.ties,
            )
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
    artifacts : dict of str to ArtifactSpec
    """

    title: Text
    citation: Text
    editions: Annotated[tuple[Edition, ...], Field(min_length=1)] = ("demo", "full")
    experiments: dict[Identifier, ExperimentSpec] = {}
    artifacts: Annotated[dict[Identifier, ArtifactSpec], Field(min_length=1)]

    @model_validator(mode="after")
    def _artifacts_name_experiments(self) -> Self:
        for name, artifact in self.artifacts.items():
            unknown = set(artifact.experiments) - set(self.experiments)
            if unknown:
                raise ValueError(
                    f"the artifact {name} needs the experiment {', '.join(sorted(unknown))}, "
                    f"but the study has {', '.join(self.experiments) or 'none'}"
                )
        return self
