# SPDX-License-Identifier: MIT
"""Check names of code (``module:name``) in the configuration before it is imported.

Importing a module runs its code. So configuration may only name code of our two packages, and of
packages that ``config/config.yaml`` lists under ``plugins``. Calls of the library from Python are
not restricted, because the caller's own code already runs.
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
    """Return the package of a module, or of a name in a module.

    Examples
    --------
    >>> package_of("receval.recommenders.plsa:PLSA")
    'receval'
    """
    return re.split("[.:]", name)[0]
