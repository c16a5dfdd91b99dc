# SPDX-License-Identifier: MIT
"""A copy of the repository's configuration that tests may change."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "config"

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""Those of libyaml, which are several times as fast, where PyYAML was built with it."""


class CopiedConfig:
    """The folder ``config``, copied."""

    def __init__(self, parent: Path) -> None:
        self.folder = parent / "config"
        shutil.copytree(CONFIG, self.folder)

    def change(self, file: str, *keys: str, value: Any) -> None:
        """Set the value below some keys of a file."""

        def set_value(content: Any) -> None:
            for key in keys[:-1]:
                content = content[key]
            content[keys[-1]] = value

        self.edit(file, set_value)

    def edit(self, file: str, edit: Callable[[Any], None]) -> None:
        """Change what a file holds."""
        path = self.folder / file
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
        edit(content)
        text = yaml.dump(content, Dumper=DUMPER, allow_unicode=True, sort_keys=False)
        path.write_text(text, encoding="utf-8")
