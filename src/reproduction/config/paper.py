# SPDX-License-Identifier: MIT
"""Model of ``paper/sources.yaml``: what the paper is made from beside all results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from receval.spec_types import Identifier, Model, NonEmptyText
from receval.storage.messages import joined
from reproduction.config.reading import read_yaml, sentences


class PaperSources(Model):
    """What must be there for the paper to be made.

    Attributes
    ----------
    splits : dict of str to tuple of str
        By dataset: without one of them there is no paper of the full edition.
    figures : dict of str to str
        Drawn artifacts, as ``study/artifact``, by the names that the text has for them.
    documents : tuple of str
        Documents of the repository in which numbers of the text are written.
    """

    splits: dict[Identifier, tuple[Identifier, ...]]
    figures: dict[Identifier, Annotated[str, Field(pattern=r"^[a-z0-9]+/[a-z0-9_]+$")]]
    documents: tuple[NonEmptyText, ...] = ()


def read_paper_sources(path: Path) -> PaperSources:
    """Read and check ``paper/sources.yaml``.

    Raises
    ------
    ValueError
        It cannot be read; the message has one sentence a problem, which names the key.
    """
    try:
        return PaperSources.model_validate(read_yaml(path))
    except ValidationError as error:
        raise ValueError(joined(f"{path} cannot be used:", sentences(error))) from error
