# SPDX-License-Identifier: MIT
"""How far a command is, on one line of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from receval.storage.messages import shortened


@contextmanager
def progress_line(unit: str) -> Iterator[Callable[[str, int, int], None]]:
    """Give what shows how much is done; the line goes when the work has ended.

    Nothing is written where standard error is no terminal.

    Yields
    ------
    callable
        Takes the name of what is done next, how many are done, and how many there are.

    Examples
    --------
    >>> with progress_line("system") as show:
    ...     show("Pop", 0, 2)
    """
    from tqdm import tqdm

    with tqdm(unit=f" {unit}", leave=False, disable=None, dynamic_ncols=True) as bar:

        def show(name: str, done: int, total: int) -> None:
            bar.total, bar.n = total, done
            bar.set_postfix_str(shortened(name), refresh=False)
            bar.refresh()

        yield show
