# SPDX-License-Identifier: MIT
"""A real browser for the tests of the site, and a server beside it."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")

LOOKS = {
    "desktop": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "color_scheme": "light"},
}
"""How readers look at pages."""


TWO_FRAMES = "() => new Promise(d => requestAnimationFrame(() => requestAnimationFrame(d)))"
"""Waits until a page has answered to another size of its window."""

NOT_SERIOUS = ("minor", "moderate")

MAY_DIFFER: dict[str, dict[str, Any]] = {
    "desktop": {},
    "dark": {"runOnly": ["color-contrast", "link-in-text-block"]},
    "phone": {"rules": {"color-contrast": {"enabled": False}}},
}
"""Options of axe-core by look. Contrasts take most of its time, and do not depend on the width."""

REQUIRED = "RECEVAL_BROWSER"
"""A variable of the environment: where it is ``required``, tests without a browser fail."""


def do_without(reason: str) -> NoReturn:
    """Skip a test that has no browser, or fail it where one is required."""
    if os.environ.get(REQUIRED) == "required":
        pytest.fail(f"{reason} ({REQUIRED} says that it is required.)")
    pytest.skip(reason)


def _installed(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        do_without(f"No {module.partition('.')[0]} here: `make browser` installs it.")


@contextmanager
def started_browser() -> Iterator[Any]:
    """Start Chromium; skip where it, or what drives it, is not installed."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        do_without("No Chromium here: install the system's package chromium.")
    driver = _installed("playwright.sync_api")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a site on this machine, and give its address."""
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class Visit:
    """One reader's way through a site, in one of :data:`LOOKS`, with all that went wrong on it."""

    def __init__(self, browser: Any, address: str, look: str = "desktop", **options: Any) -> None:
        self.address = address
        self.context = browser.new_context(**LOOKS[look], **options)
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("console", lambda said: self._note(said.type, said.text))
        self.page.on("pageerror", lambda error: self._note("error", str(error)))
        self.page.on("request", lambda asked: self._ask(asked.url))
        self.page.on("response", lambda got: self._answer(got.status, got.url))

    def go(self, address: str) -> Any:
        """Open a page of the site."""
        self.page.goto(self.address + address)
        return self.page

    def serious(self, address: str) -> list[str]:
        """Open a page, and return what axe-core finds in each look."""
        found = []
        self.look("desktop")
        self.go(address)
        for look, options in MAY_DIFFER.items():
            self.look(look)
            found += [f"{address}, {look}: {fault}" for fault in serious(self.page, options)]
        return found

    def look(self, look: str) -> None:
        """Show the open page in one of :data:`LOOKS`, and wait for what follows from its size."""
        self.page.set_viewport_size(LOOKS[look]["viewport"])
        self.page.emulate_media(color_scheme=LOOKS[look]["color_scheme"])
        self.page.evaluate(TWO_FRAMES)

    def shown_claims(self) -> list[str]:
        """Return the claims that the ledger has found, in their order."""
        return self.page.evaluate(
            "[...document.querySelectorAll('#found li a')].map(link => link.textContent)"
        )

    def _note(self, kind: str, text: str) -> None:
        self.problems.append(f"{kind}: {text}")

    def _answer(self, status: int, url: str) -> None:
        # A file that is already there has been asked about, and is not sent again.
        if status >= 400:
            self._note("response", url)

    def _ask(self, url: str) -> None:
        if not url.startswith(self.address):
            self._note("request elsewhere", url)


def serious(page: Any, options: dict[str, Any]) -> list[str]:
    """Return what axe-core finds serious or critical on a page, folded parts opened."""
    axe = _installed("axe_playwright_python.sync_playwright")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    # Only what it finds is brought over: all that it has looked at is a hundred times as much.
    run = axe.Axe().run(page, options={"resultTypes": ["violations"], **options})
    return [
        f"{found['id']}: {node['html'][:200]}"
        for found in run.response["violations"]
        if found["impact"] not in NOT_SERIOUS
        for node in found["nodes"]
    ]


def is_too_wide(page: Any) -> bool:
    """Tell whether a page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")
