# SPDX-License-Identifier: MIT
"""Show the progress of a command on one line of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from receval.storage.messages import shortened


@contextmanager
def progress_line(unit: str) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows progress; the line is cleared at the end.

    Nothing is written if standard error is not a terminal.

    Yields
    ------
    callable
        Takes the name of the next unit, the number done, and the total.

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
