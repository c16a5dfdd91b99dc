"""The log of one job: what it says goes to its file as well as to the terminal."""

from __future__ import annotations

import logging
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def job_log(path: str | Path) -> Iterator[logging.Logger]:
    """Log a job into a file; an exception is logged in full and raised again.

    Parameters
    ----------
    path : str or Path
        The file, begun anew.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(target, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    terminal = logging.StreamHandler()
    terminal.setFormatter(logging.Formatter(f"{target.stem}: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.addHandler(terminal)
    level = root.level
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        with warnings.catch_warnings():
            yield logging.getLogger("receval")
    except Exception:
        logging.getLogger("receval").error("%s", traceback.format_exc())
        raise
    finally:
        logging.captureWarnings(False)
        root.setLevel(level)
        root.removeHandler(handler)
        root.removeHandler(terminal)
        handler.close()
