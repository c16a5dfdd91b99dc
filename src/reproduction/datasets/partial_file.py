# SPDX-License-Identifier: MIT
"""A file under transfer, which another process can continue."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import BinaryIO

from receval.storage.files import write_atomically

# Anything longer is none of ours, nor is what cannot be sent in a header.
_LONGEST_ORIGIN = 1 << 16
_SENDABLE = re.compile("[ -~]*")


@dataclass(frozen=True)
class Version:
    """What a server calls the version of a file: its ETag, its time of last modification."""

    etag: str | None = None
    modified: str | None = None

    @classmethod
    def read(cls, get: Callable[[str], object]) -> Version:
        """Return the version that headers, or what was kept of them, tell."""
        found = [get("ETag"), get("Last-Modified")]
        return cls(*(v if isinstance(v, str) and _SENDABLE.fullmatch(v) else None for v in found))

    @property
    def condition(self) -> str | None:
        """What a Range may be conditional on: a weak ETag does not promise equal bytes."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.modified

    def contradicts(self, other: Version) -> bool:
        """Return whether the two cannot be of the same bytes."""
        pairs = ((self.etag, other.etag), (self.modified, other.modified))
        return any(mine and its and mine != its for mine, its in pairs)

    def is_confirmed_by(self, other: Version) -> bool:
        """Return whether the other names what a Range was conditional on."""
        return (
            self.condition is not None
            and self.condition in (other.etag, other.modified)
            and not self.contradicts(other)
        )


@dataclass(frozen=True)
class PartialFile:
    """A file under transfer: ``<target>.part``, and beside it where its bytes came from."""

    path: Path

    @classmethod
    def of(cls, target: Path) -> PartialFile:
        """Return the partial file that belongs to a target."""
        return cls(target.with_name(target.name + ".part"))

    @property
    def size(self) -> int:
        """Bytes transferred so far."""
        return 0 if self.path.is_symlink() or not self.path.is_file() else self.path.stat().st_size

    def opened(self, *, anew: bool) -> BinaryIO:
        """Open it to write at its end.

        Parameters
        ----------
        anew : bool
            Whether to begin with an empty file. A link that somebody has put there goes; nothing is
            written where it leads.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if anew:
            self.path.unlink(missing_ok=True)
        return open(self.path, "ab", opener=_without_following)

    @property
    def origin(self) -> Path:
        """The file that tells where the bytes came from."""
        return self.path.with_name(self.path.name + ".json")

    def version(self, url: str) -> Version:
        """Return the version begun, nameless if it did not come from ``url`` or nobody knows."""
        try:
            with self.origin.open("rb") as file:
                origin = json.loads(file.read(_LONGEST_ORIGIN).decode("utf-8"))
            return Version.read(origin.get) if origin["url"] == url else Version()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            # A note that is damaged is as good as none: the transfer starts anew.
            return Version()

    def note_origin(self, url: str, headers: Message) -> None:
        """Record where the bytes come from, so that another process can continue."""
        version = Version.read(headers.get)
        origin = {"url": url, "ETag": version.etag, "Last-Modified": version.modified}
        write_atomically(self.origin, json.dumps(origin))

    def delete(self) -> None:
        """Remove the partial file and its origin."""
        self.path.unlink(missing_ok=True)
        self.origin.unlink(missing_ok=True)

    def finish(self, target: Path) -> None:
        """Give the finished file its final name, in one step."""
        self.path.replace(target)
        self.origin.unlink(missing_ok=True)


def _without_following(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
