# SPDX-License-Identifier: MIT
"""Base class and shared field types of all configuration models."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Duplicates = Literal["error", "first", "last", "sum", "mean"]


Identifier = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
NonEmptyText = Annotated[str, Field(min_length=1)]
ClaimId = Annotated[str, Field(pattern=r"^[A-Z]\d{0,2}-\d{3}$")]
Size = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]


class Model(BaseModel):
    """A configuration model that refuses unknown keys and whose values cannot be changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
