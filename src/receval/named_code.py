"""Code that configuration names as ``module:name``: checked before anything of it is imported.

To import a module is to run it. So a name is only followed into this package, and into packages
that were allowed: those that ``config/config.yaml`` lists under ``plugins``.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib import import_module
from typing import Any

from receval.messages import enumerated, shortened

OWN = "receval"

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(:[A-Za-z_]\w*)?", re.ASCII)

_plugins: set[str] = set()


def allow_plugins(packages: Collection[str]) -> None:
    """Let names lead into some packages too, from now on and in this process.

    Parameters
    ----------
    packages : collection of str
        Without dots: all modules of a package are allowed, or none.
    """
    _plugins.update(packages)


def check_name(name: str, plugins: Collection[str] = ()) -> None:
    """Refuse the name of a module, or of one thing in it, that must not be imported.

    Parameters
    ----------
    name : str
        ``module`` or ``module:name``.
    plugins : collection of str
        Packages allowed beside this one and those of :func:`allow_plugins`.

    Raises
    ------
    ValueError
        It is not such a name, or leads into another package.

    Examples
    --------
    >>> check_name("receval.recommenders.plsa:PLSA")
    >>> check_name("os:system")
    Traceback (most recent call last):
    ...
    ValueError: os:system is neither in receval nor in a plugin (there is none): ...
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{shortened(name)!r} does not name code: it must read 'package.module:name', for "
            "example 'receval.recommenders.plsa:PLSA'"
        )
    package = re.split("[.:]", name)[0]
    allowed = _plugins.union(plugins)
    if package != OWN and package not in allowed:
        plural = f"only {enumerated(sorted(allowed))}" if allowed else "there is none"
        raise ValueError(
            f"{shortened(name)} is neither in {OWN} nor in a plugin ({plural}): if it is yours, "
            f"list its package {shortened(package)} under plugins in config/config.yaml"
        )


def load_named(name: str) -> Any:
    """Import a module, or one thing of a module, by its name.

    Parameters
    ----------
    name : str
        ``module`` or ``module:name``.

    Raises
    ------
    ValueError
        The name is refused by :func:`check_name`, or there is nothing of this name.
    """
    check_name(name)
    module, _, symbol = name.partition(":")
    try:
        loaded = import_module(module)
        return getattr(loaded, symbol) if symbol else loaded
    except (ImportError, AttributeError) as error:
        raise ValueError(f"There is no {shortened(name)}: {shortened(str(error), 200)}.") from error
