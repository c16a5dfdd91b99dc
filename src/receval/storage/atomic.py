"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: Path, content: bytes | str) -> None:
    """Replace a file in one step; its folder is made when missing.

    Parameters
    ----------
    path : Path
        Target. A reader sees the old content or the new, never a part of either.
    content : bytes or str
        Text is written as UTF-8 with the line ends it has.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Renaming is atomic only within one file system, hence a temporary file beside the target.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
