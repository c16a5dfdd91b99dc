# SPDX-License-Identifier: MIT
"""Code that configuration names as ``module:name``: checked before anything of it is imported.

To import a module is to run it. So configuration may only name code of our two packages, and of
packages that ``config/config.yaml`` lists under ``plugins``. Who calls the library from Python
names what they like: their own code runs already.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from receval.storage.messages import enumerated, shortened

OWN = ("receval", "reproduction")
"""The library, and the reproduction of papers."""

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


def check_name(name: str, plugins: Collection[str]) -> None:
    """Refuse the name of code that must not be imported.

    Examples
    --------
    >>> check_name("receval.recommenders.plsa:PLSA", plugins=())
    >>> check_name("os:system", plugins=())
    Traceback (most recent call last):
    ...
    ValueError: os:system is neither in receval nor in reproduction nor in a plugin (there is ...
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{shortened(name)!r} does not name code: it must read 'package.module:name', for "
            "example 'receval.recommenders.plsa:PLSA'"
        )
    package = package_of(name)
    if package not in OWN and package not in plugins:
        plural = f"only {enumerated(sorted(plugins))}" if plugins else "there is none"
        raise ValueError(
            f"{shortened(name)} is neither in {' nor in '.join(OWN)} nor in a plugin ({plural}): "
            f"if it is yours, list its package {shortened(package)} under plugins in "
            "config/config.yaml"
        )


def package_of(name: str) -> str:
    """Return the package in which a module, or something of a module, lies.

    Examples
    --------
    >>> package_of("receval.recommenders.plsa:PLSA")
    'receval'
    """
    return re.split("[.:]", name)[0]
