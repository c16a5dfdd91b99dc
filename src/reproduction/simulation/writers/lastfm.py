# SPDX-License-Identifier: MIT
"""Last.fm 1K users: ``lastfm-dataset-1K.tar.gz`` with one line per play."""

from __future__ import annotations

import uuid
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from receval.storage.files import replacing
from reproduction.simulation.observation import Observation
from reproduction.simulation.writers.raw_files import (
    GzipWriter,
    Ids,
    invent_names,
    join_columns,
    to_bytes,
    write_tar,
)

ODD_NAMES = (
    '"Weird" Wolves',
    'The "Quoted',
    "O'Brothers & Søns",
    "坂道オルゴール",
    "Мир и Тишина",
    "Artist, The",
    "#1 Riders / Live",
    "12",
)
"""Names with paired and single quotes, other scripts, separators, or the form of an id."""

WITHOUT_IDENTIFIER = 0.4
"""Share of the artists without a MusicBrainz id; .392 in the original."""

TRACKS_PER_ARTIST = 12

MEMBER = "lastfm-dataset-1K/userid-timestamp-artid-artname-traid-traname.tsv"
"""The file of the archive that has the plays."""

_BLOCK_PLAYS = 2**20
"""Number of plays that are held as lines of text at once."""


def identifiers(n_users: int, n_items: int, rng: Generator) -> tuple[Ids, Ids]:
    """Return raw user ids (``user_000001``, ...) and artist names, all distinct, by index."""
    users = np.char.add("user_", np.char.zfill(np.arange(1, n_users + 1).astype(np.str_), 6))
    odd = list(ODD_NAMES)[:n_items]
    names = np.array(odd + invent_names(n_items - len(odd), rng), dtype=np.str_)
    return users, names[rng.permutation(n_items)]


def write(
    folder: Path, seen: Observation, user_ids: Ids, item_ids: Ids, rng: Generator
) -> list[str]:
    """Write the raw file and return its name.

    Lines are ordered by user, the latest play first, as in the original. Some artists never have
    a MusicBrainz id, the others always; every fourth track has none.
    """
    if seen.timestamps is None:
        raise ValueError("Plays have times. Give the synthetic twin a period.")
    order = np.lexsort((-seen.timestamps, seen.users))
    tracks = rng.integers(0, TRACKS_PER_ARTIST, len(order))
    artist_mbids = np.where(
        rng.random(len(item_ids)) < WITHOUT_IDENTIFIER, "", _mbids(len(item_ids), rng)
    )
    track_mbids = _mbids(len(item_ids) * TRACKS_PER_ARTIST, rng)
    track_mbids[::4] = ""
    # Arrow columns take a tenth of the memory of numpy's fixed-width texts.
    listeners, artists, artist_ids, track_ids, track_names = map(
        pa.array,
        (
            user_ids,
            item_ids,
            artist_mbids,
            track_mbids,
            [f'Song "No. {i + 1}"' for i in range(TRACKS_PER_ARTIST)],
        ),
    )
    target = folder / "lastfm-dataset-1K.tar.gz"
    # A tar stores a member's size before its content, so all lines are made first.
    with replacing(target) as archive, TemporaryDirectory(dir=folder) as parts:
        plays = Path(parts) / "plays.tsv"
        with plays.open("wb") as file:
            for first in range(0, len(order), _BLOCK_PLAYS):
                block = slice(first, first + _BLOCK_PLAYS)
                rows = order[block]
                items = seen.items[rows].astype(np.int64)
                seconds = seen.timestamps[rows].astype("datetime64[s]")
                lines = join_columns(
                    [
                        listeners.take(pa.array(seen.users[rows])),
                        np.datetime_as_string(seconds, timezone="UTC"),
                        artist_ids.take(pa.array(items)),
                        artists.take(pa.array(items)),
                        track_ids.take(pa.array(items * TRACKS_PER_ARTIST + tracks[block])),
                        track_names.take(pa.array(tracks[block])),
                    ],
                    "\t",
                )
                file.write(to_bytes(lines))
        with archive.open("wb") as below, GzipWriter(below) as compressed:
            write_tar(compressed, [(MEMBER, plays)])
    return [target.name]


def _mbids(n_ids: int, rng: Generator) -> Ids:
    """Return random UUIDs like those of MusicBrainz."""
    content = rng.bytes(16 * n_ids)
    return np.array(
        [str(uuid.UUID(bytes=content[i : i + 16], version=4)) for i in range(0, len(content), 16)]
    )
