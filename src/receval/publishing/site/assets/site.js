// SPDX-License-Identifier: MIT
"use strict";
// What the pages do beyond being read: colours, copying, and the filters of the ledger.
// Without this file every page is whole.

const root = document.documentElement;
const stored = {
  get() { try { return localStorage.getItem("receval-theme"); } catch { return null; } },
  set(value) { try { localStorage.setItem("receval-theme", value); } catch { /* kept for this page alone */ } },
};
// At once, or a dark page would flash.
if (stored.get()) root.dataset.theme = stored.get();

function isDark() {
  return (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

function startTheme(button) {
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  button.hidden = false;
  button.querySelector(".unseen").textContent = "Dark colours";
  show();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    stored.set(root.dataset.theme);
    show();
  });
}

function startCopying(button) {
  if (!navigator.clipboard) return;
  const label = button.firstChild;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent.trim());
    label.data = "Copied";
    setTimeout(() => { label.data = "Copy"; }, 1500);
  });
}

// What scrolls must be reached by keys; what does not would only be in the way.
function markScrollers() {
  for (const box of document.querySelectorAll(".box, pre.code")) {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    if (scrolls) box.tabIndex = 0; else box.removeAttribute("tabindex");
    if (box.matches(".box")) {
      if (scrolls) {
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", box.dataset.label || "Table");
      } else {
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
      }
    }
  }
}

function startLedger(table) {
  const form = document.querySelector(".filters");
  const found = document.querySelector(".found");
  const none = document.querySelector(".none");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const columns = heads.map((head) => head.dataset.sort);
  const at = (name) => columns.indexOf(name);
  const rows = [...body.rows].map((row, index) => ({
    row,
    index,
    text: row.textContent.toLowerCase(),
    value: (name) => name === "form" ? row.dataset.form ?? "own" : row.cells[at(name)].dataset.value ?? row.cells[at(name)].textContent.trim(),
  }));
  const FILTERS = ["paper", "dataset", "kind", "verdict", "form"].filter((name) => form.elements[name]);
  const VERDICTS = [...form.elements.verdict.options].map((option) => option.value);

  heads.forEach((head, number) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const [name, direction] = order();
      const down = name === columns[number] && direction > 0;
      form.elements.sort.value = (down ? "-" : "") + columns[number];
      update();
    });
    for (const sign of ["", "-"]) {
      const label = `${button.textContent}, ${sign ? "descending" : "ascending"}`;
      form.elements.sort.add(new Option(label, sign + columns[number]));
    }
  });

  function order() {
    const value = form.elements.sort.value || "claim";
    return value.startsWith("-") ? [value.slice(1), -1] : [value, 1];
  }

  function compare(name) {
    // Numbers stand before words, and an empty cell last.
    const key = (one) => {
      const text = one.value(name);
      if (name === "verdict") return [0, VERDICTS.indexOf(text), ""];
      if (name === "claim") return [0, one.index, ""];
      const number = Number(text.replace("−", "-").replaceAll(",", ""));
      if (text === "" || text === "–") return [2, 0, ""];
      return Number.isNaN(number) ? [1, 0, text.toLowerCase()] : [0, number, ""];
    };
    const keys = new Map(rows.map((one) => [one, key(one)]));
    return (a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      return x[0] - y[0] || x[1] - y[1] || x[2].localeCompare(y[2], "en");
    };
  }

  function update({ keepAddress = false } = {}) {
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = FILTERS.map((name) => [name, form.elements[name].value]).filter(([, value]) => value);
    const claims = new Set();
    let shown = 0;
    for (const one of rows) {
      const fits = wanted.every(([name, value]) => one.value(name) === value) && words.every((word) => one.text.includes(word));
      one.row.hidden = !fits;
      if (fits) { shown += 1; claims.add(one.value("claim")); }
    }
    const [name, direction] = order();
    const by = compare(name);
    const sorted = [...rows].sort((a, b) => direction * by(a, b) || a.index - b.index);
    body.append(...sorted.map((one) => one.row));
    heads.forEach((head, number) => {
      if (columns[number] === name) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    found.textContent = shown === rows.length
      ? `All ${rows.length} rows on ${claims.size} claims`
      : `${shown} of ${rows.length} rows, on ${claims.size} ${claims.size === 1 ? "claim" : "claims"}`;
    none.hidden = shown > 0;
    markScrollers();
    if (!keepAddress) keep();
  }

  function keep() {
    const query = new URLSearchParams();
    for (const element of form.elements) {
      if (element.name && element.value && !(element.name === "sort" && element.value === "claim")) {
        query.set(element.name, element.value);
      }
    }
    const search = query.toString();
    try { history.replaceState(null, "", (search ? `?${search}` : location.pathname) + location.hash); } catch { /* a page opened as a file */ }
  }

  function read() {
    const query = new URLSearchParams(location.search);
    for (const name of ["q", ...FILTERS, "sort"]) form.elements[name].value = query.get(name) ?? (name === "sort" ? "claim" : "");
    if (form.elements.sort.selectedIndex < 0) form.elements.sort.value = "claim";
  }

  // A claim that is asked for is shown, whatever the filters say, with all its datasets.
  function showNamed() {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (const one of rows) one.row.classList.remove("named");
    if (!row || row.tagName !== "TR" || row.closest("table") !== table) return;
    const claim = row.cells[0].textContent;
    if (row.hidden) { form.reset(); form.elements.sort.value = "claim"; update(); }
    for (const one of rows) one.row.classList.toggle("named", one.row.cells[0].textContent === claim);
    row.scrollIntoView({ block: "center" });
  }

  // Rows laid out as cards on phones would be no table any more to some screen readers.
  table.setAttribute("role", "table");
  for (const part of [table.tHead, body]) part.setAttribute("role", "rowgroup");
  for (const row of table.rows) {
    row.setAttribute("role", "row");
    for (const cell of row.cells) cell.setAttribute("role", cell.tagName === "TD" ? "cell" : cell.scope === "row" ? "rowheader" : "columnheader");
  }

  form.hidden = found.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => update());
  form.addEventListener("reset", () => setTimeout(() => { form.elements.sort.value = "claim"; update(); }));
  none.querySelector("button").addEventListener("click", () => { form.reset(); form.elements.q.focus(); });
  addEventListener("hashchange", showNamed);
  addEventListener("popstate", () => { read(); update({ keepAddress: true }); });
  read();
  update({ keepAddress: true });
  showNamed();
}

function startContents(navigation) {
  // On a phone the contents would push the page down.
  if (matchMedia("(max-width: 67.99rem)").matches) {
    for (const details of navigation.querySelectorAll("details")) details.open = false;
  }
  const links = new Map([...navigation.querySelectorAll('a[href^="#"]')].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(entry.target.id).setAttribute("aria-current", "location");
    }
  }, { rootMargin: "0px 0px -75% 0px" });
  for (const anchor of links.keys()) {
    const heading = document.getElementById(anchor);
    if (heading) observer.observe(heading);
  }
}

addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".theme").forEach(startTheme);
  document.querySelectorAll(".copy").forEach(startCopying);
  document.querySelectorAll("table.ledger").forEach(startLedger);
  document.querySelectorAll(".contents").forEach(startContents);
  markScrollers();
  addEventListener("resize", markScrollers);
  document.addEventListener("toggle", markScrollers, true);
});
