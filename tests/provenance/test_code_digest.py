# SPDX-License-Identifier: MIT
"""The code digest changes with code that a result reaches, and with nothing else."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reproduction.workflow.provenance import source_file
from reproduction.workflow.provenance.code_digest import LENGTH, CodeSnapshot, ParsedSources
from reproduction.workflow.provenance.source_file import nodes_of

Edit = Callable[[str, str, str], None]

PLSA = "receval.systems.plsa"
PLSA_FILE = "src/receval/systems/plsa.py"
FIG02 = "reproduction.studies.fig02"
FIG02_FILE = "src/reproduction/studies/fig02.py"
BASE, STYLE, PALETTE = (f"src/receval/{name}.py" for name in ("base", "style", "palette"))

SPECIAL = {
    "lazy": "def f():\n    import receval.systems.topics as t\n\n    return t\n",
    "facade": "from math import log as log\n",
    "odd": "from receval import even\n\nX = even.Y\n",
    "even": "import receval.odd\n\nY = 2\n",
    "dispatched": "import math\n\n\n@math.dispatch\ndef f(n: int):\n    return n\n",
    "annotated": "from receval.palette import BLUE\n\n\ndef f(n: BLUE):\n    return n\n",
    "starred": "from receval.style import *\n\n\ndef f():\n    return 1\n",
}
"""Modules by their names, each with something that is easily overlooked."""


PARSED = ParsedSources()


def code_digest(*entries: str, root: Path | None = None) -> str:
    """Return a digest of the code as it is now."""
    return CodeSnapshot(root, PARSED).digest(*entries)


def changes(repository: Path, edit: Edit, entry: str, *change: str) -> bool:
    """Make an edit, and return whether it changes the digest of an entry."""
    before = code_digest(entry, root=repository)
    edit(*change)
    return code_digest(entry, root=repository) != before


@pytest.mark.parametrize("path", [__file__, source_file.__file__])
def test_the_nodes_of_a_tree_are_those_that_python_walks_through(path: str) -> None:
    tree = ast.parse(Path(path).read_bytes())
    assert list(map(id, nodes_of(tree))) == list(map(id, ast.walk(tree)))


def test_digest_is_short_hexadecimal_and_repeats(repository: Path) -> None:
    digest = code_digest(PLSA, root=repository)
    assert len(digest) == LENGTH
    int(digest, 16)
    assert code_digest(PLSA, root=repository) == digest


def test_digest_does_not_depend_on_the_order_of_entries(repository: Path) -> None:
    assert code_digest(PLSA, FIG02, root=repository) == code_digest(FIG02, PLSA, root=repository)
    assert code_digest(PLSA, FIG02, root=repository) != code_digest(PLSA, root=repository)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Rows are users.", "# Rows are users, columns are items."),
        ('"""A topic model."""', '"""A model of topics."""'),
        ('"""Fit."""\n        ', ""),
        ("SMOOTHING = 0.5", "\n\nSMOOTHING   =  (0.5)"),
        ("topics.expect(train, total)", "topics.expect(\n  train,\n  total,\n)"),
        ("total: float = SMOOTHING", "total = SMOOTHING"),
        ("train: np.ndarray) -> Plsa", "train) -> object"),
        ("    from receval.style import WIDTH", "    from receval.base import shared"),
        ("from typing import TYPE_CHECKING", "from typing import TYPE_CHECKING, Any"),
    ],
)
def test_edit_without_effect_keeps_the_digest(
    repository: Path, edit: Edit, old: str, new: str
) -> None:
    assert not changes(repository, edit, PLSA, PLSA_FILE, old, new)


@pytest.mark.parametrize(
    ("entry", "file", "old", "new"),
    [
        (PLSA, PLSA_FILE, "SMOOTHING = 0.5", "SMOOTHING = 0.25"),
        (PLSA, PLSA_FILE, "rank: int = 10", "rank: int = 20"),
        (PLSA, PLSA_FILE, "rank: int = 10", "rank: float = 10"),
        (PLSA, PLSA_FILE, "@dataclass\n", "@dataclass(frozen=True)\n"),
        (PLSA, PLSA_FILE, "class Plsa:", "class Plsa(dict):"),
        (PLSA, PLSA_FILE, "train: np.ndarray)", "train: np.ndarray = None)"),
        (PLSA, PLSA_FILE, "topics.expect(train, total)", "topics.expect(total, train)"),
        (PLSA, PLSA_FILE, "import numpy as np", "import scipy as np\n\nprint(np)"),
        # What functions and whole packages import.
        ("receval.systems.knn", BASE, "x + 1", "x + 2"),
        ("receval.lazy", BASE, "x + 1", "x + 2"),
        # A module that hands on a name, and modules that import each other.
        ("receval.facade", "src/receval/facade.py", "math import log as", "cmath import log as"),
        ("receval.odd", "src/receval/even.py", "2", "4"),
        ("receval.odd:X", "src/receval/even.py", "2", "4"),
        # Annotations of a decorated function, and a class named in one of a symbol.
        ("receval.dispatched", "src/receval/dispatched.py", "n: int", "n: float"),
        ("receval.annotated:f", PALETTE, "#0072B2", "#000000"),
        ("receval.starred:f", STYLE, "3.3", "3.4"),
    ],
)
def test_edit_with_effect_changes_the_digest(
    repository: Path, edit: Edit, entry: str, file: str, old: str, new: str
) -> None:
    for name, text in SPECIAL.items():
        (repository / "src" / "receval" / f"{name}.py").write_text(text)
    assert changes(repository, edit, entry, file, old, new)


@pytest.mark.parametrize(
    ("old", "new", "is_reached"),
    [
        ("x + 1", "x + 2", True),
        ("x - 1", "x - 2", False),
        ("TABLE = {}", "TABLE = {}\nTABLE[0] = 1", True),
    ],
)
def test_of_an_imported_file_count_the_names_that_are_used_and_what_it_does_when_it_is_imported(
    repository: Path, edit: Edit, old: str, new: str, is_reached: bool
) -> None:
    folder = repository / "src" / "receval"
    (folder / "two.py").write_text(
        "TABLE = {}\n\n\ndef up(x):\n    return x + 1\n\n\ndef down(x):\n    return x - 1\n"
    )
    (folder / "between.py").write_text(
        "from receval.two import down, up\n\n\ndef f():\n    return up(1)\n\n\n"
        "def g():\n    return down(1)\n"
    )
    (folder / "user.py").write_text("from receval.between import f\n\nX = f()\n")
    assert changes(repository, edit, "receval.user", "src/receval/two.py", old, new) == is_reached


def test_modules_that_import_each_other_are_one_closure(repository: Path) -> None:
    for name in ("odd", "even"):
        (repository / "src" / "receval" / f"{name}.py").write_text(SPECIAL[name])
    odd, even = (code_digest(f"receval.{name}", root=repository) for name in ("odd", "even"))
    assert odd == even


@pytest.mark.parametrize("entry", [PLSA, f"{PLSA}:Plsa"])
@pytest.mark.parametrize(
    ("name", "old", "new", "is_reached"),
    [
        ("src/receval/systems/topics.py", "+ total", "- total", True),
        (BASE, "x + 1", "x + 2", True),
        ("src/receval/__init__.py", '__version__ = "1.0"', "import os", False),
        ("src/receval/__init__.py", '__version__ = "1.0"', '__version__ = "1.1"', False),
        ("src/receval/__init__.py", '__version__ = "1.0"', "THREADS = 1", True),
        (
            "src/receval/__init__.py",
            '__version__ = "1.0"',
            "from receval.lazy_names import lazy_names\n\n"
            '__getattr__, __dir__, __all__ = lazy_names(__name__, {"f": "receval.x:f"})',
            False,
        ),
        ("src/receval/systems/__init__.py", '"""Systems."""', "print()", True),
        ("src/receval/systems/knn.py", "shared(1)", "shared(2)", False),
        (STYLE, "3.3", "3.4", False),
        ("src/reproduction/studies/fig02.py", "CUTOFF = 10", "CUTOFF = 5", False),
    ],
)
def test_closure_holds_what_is_imported_and_no_sibling(
    repository: Path, edit: Edit, entry: str, name: str, old: str, new: str, is_reached: bool
) -> None:
    assert changes(repository, edit, entry, name, old, new) is is_reached


@pytest.mark.parametrize(
    ("name", "old", "new", "changes_data", "changes_draw"),
    [
        (FIG02_FILE, "COLOUR, frame", "frame, COLOUR", False, True),
        (FIG02_FILE, "COLOUR = BLUE", 'COLOUR = "black"', False, True),
        (FIG02_FILE, "from receval.palette import BLUE\n", "BLUE = 1\n", False, True),
        (FIG02_FILE, "def draw(frame)", "def draw(frame, extra=None)", False, True),
        (FIG02_FILE, "import math\n", "import cmath as math\n", False, True),
        (FIG02_FILE, "[:cutoff]", "[cutoff:]", True, False),
        (FIG02_FILE, "CUTOFF = 10", "CUTOFF = 20", True, False),
        (FIG02_FILE, "def data(n)", "def data(n, m=0)", True, False),
        (FIG02_FILE, "def rows", "@math.cached\ndef rows", True, False),
        (FIG02_FILE, "CUTOFF = 10", "CUTOFF = 10\nSIDES = 4", False, False),
        (FIG02_FILE, "CUTOFF = 10", "CUTOFF = 10\nmath.seed(1)", True, True),
        (FIG02_FILE, "CUTOFF = 10", "CUTOFF = 10\nCUTOFF += 1", True, False),
        (STYLE, "3.3", "3.4", False, True),
        (PALETTE, "#0072B2", "#000000", False, True),
        (BASE, "x + 1", "x + 2", True, False),
        ("src/reproduction/studies/__init__.py", "", "print()", True, True),
    ],
)
def test_symbol_counts_what_it_reaches(
    repository: Path,
    edit: Edit,
    name: str,
    old: str,
    new: str,
    changes_data: bool,
    changes_draw: bool,
) -> None:
    data = code_digest(f"{FIG02}:data", root=repository)
    draw = code_digest(f"{FIG02}:draw", root=repository)
    edit(name, old, new)
    assert (code_digest(f"{FIG02}:data", root=repository) != data) is changes_data
    assert (code_digest(f"{FIG02}:draw", root=repository) != draw) is changes_draw


def test_new_submodule_takes_the_place_of_a_symbol(repository: Path) -> None:
    path = repository / "src/receval/systems/__init__.py"
    path.write_text("bpr = None\n")
    (repository / "src/receval/user.py").write_text("from receval.systems import bpr\n\nA = bpr\n")
    before = code_digest("receval.user", root=repository)
    (repository / "src/receval/systems/bpr.py").write_text("A = 1\n")
    assert code_digest("receval.user", root=repository) != before


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("receval.systems.slim", "There is no module receval.systems.slim"),
        ("receval.systems.slim:fit", "There is no module receval.systems.slim"),
        (f"{FIG02}:paint", "does not define paint at top level"),
        ("src/receval/base.py", "is neither a module of receval"),
        ("numpy.linalg", "is neither a module of receval"),
        (f"{FIG02}:", "is neither a module of receval"),
    ],
)
def test_unknown_entry_is_refused_by_name(repository: Path, entry: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        code_digest(entry, root=repository)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from . import plsa\n", "line 1: a relative import"),
        ("def f():\n    from ..base import shared\n", "line 2: a relative import"),
        ("import receval.nowhere\n", "no module receval.nowhere.*bad.py, line 1, names it"),
        ("\nfrom receval.systems import slim\n", "line 2, imports slim from receval.systems"),
        ("x = (\n", "line 1: the line is not valid Python"),
    ],
)
def test_bad_source_is_refused_with_file_and_line(
    repository: Path, text: str, message: str
) -> None:
    (repository / "src/receval/systems/bad.py").write_text(text)
    with pytest.raises(ValueError, match=message):
        code_digest("receval.systems.bad", root=repository)


def test_installed_package_is_the_default(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    entry = "reproduction.workflow.provenance.code_digest"
    assert code_digest(entry) == code_digest(entry, root=root)


@pytest.mark.processes
def test_digest_is_the_same_in_another_process(repository: Path) -> None:
    program = (
        "import sys; from pathlib import Path; "
        "from reproduction.workflow.provenance.code_digest import CodeSnapshot; "
        "print(CodeSnapshot(Path(sys.argv[1])).digest(*sys.argv[2:]))"
    )
    source = Path(__file__).resolve().parents[2] / "src"
    output = subprocess.run(
        [sys.executable, "-c", program, str(repository), f"{FIG02}:data", PLSA],
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert output.strip() == code_digest(f"{FIG02}:data", PLSA, root=repository)
