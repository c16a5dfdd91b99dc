"""The log of one job: a file with all that it says."""

from __future__ import annotations

import logging
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TALKATIVE = ("fontTools",)
"""Libraries that say more than anybody wants to know of their work."""


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
    target.write_bytes(b"")
    # Appending, so that others can write to the same file.
    handler = logging.FileHandler(target, mode="a", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
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
        handler.close()
