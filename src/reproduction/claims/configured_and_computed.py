# SPDX-License-Identifier: MIT
"""Numbers that no results hold: what was configured, and what the library works out by itself."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import numpy as np
from pydantic import AfterValidator

from receval.spec_types import Model, NonEmptyText
from reproduction.claims.cells import ClaimContext, Scalar
from reproduction.claims.sources import ClaimSources, LabelledValues, Reading
from reproduction.config.named_code import check_name


class Setting(Model):
    """What was configured: a number, or 1 where it is what it should be.

    Attributes
    ----------
    setting : str
        Keys of the study's ``provenance.json``, joined by slashes.
    equal : value or list, optional
        Take 1 if the setting is this, and 0 if not. Otherwise it must be a number.
    count : bool
        Take the number of entries.
    """

    setting: NonEmptyText
    equal: Scalar | tuple[Scalar, ...] | None = None
    count: bool = False

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return the number."""
        found = sources.setting(context.study, self.setting)
        if self.equal is not None:
            wanted = list(self.equal) if isinstance(self.equal, tuple) else self.equal
            number = float(found == wanted)
        elif self.count:
            number = float(len(found))
        elif isinstance(found, int | float):
            number = float(found)
        else:
            raise ValueError(
                f"The setting {self.setting} of {context.study} is no number: say what it is to "
                "equal, or that its entries are to be counted."
            )
        reading = Reading("", f"the setting {self.setting}")
        return LabelledValues.single(float(sources.read(reading, np.array([number]))[0]))


class Computed(Model):
    """A number that a function of the library works out, without any results.

    Attributes
    ----------
    computed : str
        The function, as ``module:name``; it takes nothing and returns a number.
    """

    computed: Annotated[str, AfterValidator(lambda name: _own(name))]

    def evaluate(self, sources: ClaimSources, context: ClaimContext) -> LabelledValues:
        """Return the number."""
        module, _, name = self.computed.partition(":")
        number = float(getattr(import_module(module), name)())
        reading = Reading("", f"computed by {self.computed.partition(':')[2]}")
        return LabelledValues.single(float(sources.read(reading, np.array([number]))[0]))


def _own(name: str) -> str:
    check_name(name, plugins=())
    return name
