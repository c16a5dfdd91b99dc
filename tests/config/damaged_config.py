# SPDX-License-Identifier: MIT
"""Configurations with something wrong in them: damaged text, and values that are not right."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import yaml
from config.copied_config import CONFIG, DUMPER, LOADER, CopiedConfig

from receval.recommenders.base import make
from receval.storage.messages import LONGEST
from reproduction.config.settings import EDITIONS, Settings, load_settings

FILES = sorted(path.relative_to(CONFIG).as_posix() for path in CONFIG.rglob("*.yaml"))

STRANGE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**70,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    "x" * 20_000,
    "../../etc",
    "os:system",
    "a\nb\x1b[31m",
    "\u202e\u0000",
    [],
    [None],
    [[[[]]]],
    {},
    {"a": None},
    {1: 2},
    {None: 3},
)

PIECES = (
    b"!!python/object/apply:os.system [x]",
    b"!!int x",
    b"!!timestamp 2001-99-99",
    b"!!binary =",
    b"!!set {a, b}",
    b"!!omap [a: 1]",
    b"&a [*a]",
    b"*nothing",
    b"? [a, b]\n: c\n",
    b"<<: 3\n",
    b"---\n",
    b"...\n",
    b"[" * 3000,
    b"[" * 3000 + b"]" * 3000,
    b"{a: " * 3000,
    b"- " * 3000,
    b"a: " + b"[']', " * 3000,
    b"a: " + b"[ # ]\n " * 3000,
    b"['], " * 3000 + b"]" * 3000,
    b"9" * 5000,
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\x00",
    b"\t",
    b"%YAML 9.9\n",
    b"'",
    b'"\\ud800"',
    b"x" * 20_000,
)


def damaged_text(content: bytes, rng: random.Random) -> bytes:
    """Return the bytes of a file with some of them changed, gone, repeated or put in."""
    spoilt = bytearray(content)
    start = rng.randrange(len(spoilt))
    end = min(len(spoilt), start + rng.choice((1, 2, 5, 20, 200)))
    kind = rng.randrange(6)
    if kind == 0:
        spoilt[start] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del spoilt[start:end]
    elif kind == 2:
        del spoilt[start:]
    elif kind == 3:
        spoilt[start:start] = rng.choice(PIECES)
    elif kind == 4:
        spoilt[start:end] = rng.choice(PIECES)
    else:
        other = rng.randrange(len(spoilt))
        spoilt[other:other] = spoilt[start:end]
    return bytes(spoilt)


def damaged_values(content: Any, rng: random.Random) -> Any:
    """Change, remove or add one value of a file, anywhere in it."""
    holder, key = None, None
    inside = content
    while isinstance(inside, dict | list) and inside and rng.random() < 0.85:
        keys = list(inside) if isinstance(inside, dict) else range(len(inside))
        holder, key = inside, rng.choice(list(keys))
        inside = inside[key]
    if holder is None:
        return rng.choice(STRANGE)
    kind = rng.randrange(4)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[rng.choice(("x", "", "x" * 20_000, 3, None, "Ü", "seed"))] = rng.choice(STRANGE)
    elif kind == 2 and isinstance(holder, dict):
        other = rng.choice(list(holder))
        holder[key], holder[other] = holder[other], holder[key]
    else:
        holder[key] = rng.choice(STRANGE)
    return content


def check_systems(settings: Settings) -> None:
    """Make all systems: what the models of configuration let pass is refused in sentences, too."""
    for system in settings.systems.values():
        refusals: list[ValueError] = []
        try:
            make(system.recommender, system.parameters, seed=1)
        except ValueError as error:
            refusals.append(error)
        assert all(type(e) is ValueError and len(str(e)) <= LONGEST for e in refusals)


def check_damaged_configurations(config: CopiedConfig, times: int, seed: int) -> int:
    """Damage the configuration again and again; return how often it was refused.

    It is refused in sentences that name a file, or the folder of a whole that does not fit
    together; nothing takes long.
    """
    rng = random.Random(seed)
    contents = {name: (CONFIG / name).read_bytes() for name in FILES}
    refused = 0
    for number in range(times):
        name = rng.choice(FILES)
        path: Path = config.folder / name
        if rng.random() < 0.5:
            path.write_bytes(damaged_text(contents[name], rng))
        else:
            own = yaml.load(contents[name], Loader=LOADER)
            text = yaml.dump(damaged_values(own, rng), Dumper=DUMPER, allow_unicode=True)
            path.write_bytes(text.encode("utf-8", errors="surrogatepass"))
        started = time.perf_counter()
        sentence = str(config.folder)
        kind: type[ValueError] = ValueError
        try:
            settings = load_settings(config.folder, rng.choice(EDITIONS))
        except ValueError as error:
            refused += 1
            sentence = str(error)
            kind = type(error)
        else:
            if name == "systems.yaml":
                check_systems(settings)
        # Exceptions of libraries may be ValueErrors, too.
        assert kind is ValueError, (number, name, sentence)
        assert str(config.folder) in sentence or "There is no edition" in sentence, sentence
        assert len(sentence) <= LONGEST, (number, name, sentence)
        assert sentence.isprintable() or "\n" in sentence
        assert time.perf_counter() - started < 5, (number, name)
        path.write_bytes(contents[name])
    return refused
