// SPDX-License-Identifier: MIT
"use strict";
// What the pages do beyond being read: colours, copying, and looking for claims.
// Without this file every other page is whole.

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

// Pages of old: the ledger was one table, and each of its rows had an anchor.
function goToClaim() {
  const [claim] = decodeURIComponent(location.hash).match(/(?<=^#)[A-Z]\d{0,2}-\d{3}(?=$|-)/) ?? [];
  if (claim && LEDGER.claims.some((one) => one.id === claim)) location.replace(`claims/${claim}.html`);
}

function startLedger(form) {
  const FEW = 50;
  const found = document.querySelector(".found");
  const list = document.getElementById("found");
  const more = document.querySelector(".more");
  const NAMES = ["q", "paper", "in_paper", "verdict", "dataset", "kind", "artifact"];
  const texts = new Map(LEDGER.claims.map((one) => [one, [one.id, one.label, one.where, one.says, one.more].join(" ").toLowerCase()]));

  function make(tag, text, className) {
    const element = document.createElement(tag);
    element.textContent = text;
    if (className) element.className = className;
    return element;
  }

  // On a chosen dataset a claim has the verdict that it has there, and else the one over all.
  function fits(one, asked, words) {
    const rows = one.rows.filter(([dataset]) => !asked.dataset || dataset === asked.dataset);
    return rows.length > 0
      && (!asked.paper || one.paper === asked.paper)
      && (!asked.in_paper || one.in_paper === asked.in_paper)
      && (!asked.kind || one.kind === asked.kind)
      && (!asked.artifact || one.artifacts.includes(asked.artifact))
      && (!asked.verdict || (asked.dataset ? rows.some((row) => row[2] === asked.verdict) : one.verdict === asked.verdict))
      && words.every((word) => texts.get(one).includes(word));
  }

  function entry(one) {
    const item = document.createElement("li");
    const link = make("a", one.id);
    link.href = `claims/${one.id}.html`;
    const [says, told] = [document.createElement("p"), document.createElement("p")];
    says.append(link, ` ${one.says} `, make("span", `${one.label}, ${one.where}`, "soft"));
    told.append(make("i", one.in_paper));
    item.append(says, told);
    for (const verdict of new Set(one.rows.map((row) => row[2]))) {
      const on = one.rows.filter((row) => row[2] === verdict).map(([, title, , splits]) => [title, splits && `(${splits})`].filter(Boolean).join(" "));
      if (told.lastChild.nodeName !== "I") told.append(document.createElement("br"));
      told.append(make("b", LEDGER.words[one.paper][verdict], LEDGER.styles[verdict]), ` ${on.filter(Boolean).join(", ")}`);
    }
    return item;
  }

  function update({ all = false, keepAddress = false } = {}) {
    const asked = Object.fromEntries(NAMES.map((name) => [name, form.elements[name].value]));
    const words = asked.q.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = LEDGER.claims.filter((one) => fits(one, asked, words));
    // Who has asked for nothing yet sees the counts first.
    const few = Object.values(asked).some(Boolean) ? FEW : 0;
    list.replaceChildren(...(all ? fitting : fitting.slice(0, few)).map(entry));
    more.hidden = all || fitting.length <= few;
    const total = LEDGER.claims.length;
    found.textContent = fitting.length === total ? `All ${total} claims` : `${fitting.length} of ${total} claims`;
    if (!keepAddress) keep(asked);
  }

  function keep(asked) {
    const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value));
    const search = query.toString();
    try { history.replaceState(null, "", search ? `?${search}` : location.pathname); } catch { /* a page opened as a file */ }
  }

  function read() {
    const query = new URLSearchParams(location.search);
    for (const name of NAMES) form.elements[name].value = query.get(name) ?? "";
    for (const one of form.querySelectorAll("select")) if (one.selectedIndex < 0) one.value = "";
  }

  form.hidden = found.hidden = list.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => update());
  form.addEventListener("reset", () => setTimeout(update));
  more.querySelector("button").addEventListener("click", () => {
    const shown = list.children.length;
    update({ all: true });
    list.children[shown].querySelector("a").focus();
  });
  addEventListener("popstate", () => { read(); update({ keepAddress: true }); });
  addEventListener("hashchange", goToClaim);
  read();
  update({ keepAddress: true });
  goToClaim();
}

// Names of the library that contain all words, wherever they are folded.
function startNames(input) {
  const said = document.querySelector(".found");
  const groups = [...document.querySelectorAll(".searched")];
  const texts = new Map(groups.flatMap((group) => [...group.querySelectorAll("dl > div")]).map((row) => [row, row.textContent.toLowerCase()]));
  input.parentElement.hidden = false;
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const [row, text] of texts) {
      row.hidden = !words.every((word) => text.includes(word));
      count += !row.hidden;
    }
    for (const group of groups) {
      group.hidden = !group.querySelector("dl > div:not([hidden])");
      if (group.tagName === "DETAILS") group.open = words.length > 0 && !group.hidden;
    }
    said.hidden = !words.length;
    said.textContent = `${count} ${count === 1 ? "entry" : "entries"}`;
  });
}

// What an address names is shown, also where it is folded.
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.tagName === "DETAILS") named.open = true;
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
  document.querySelectorAll(".filters").forEach(startLedger);
  document.querySelectorAll(".contents").forEach(startContents);
  document.querySelectorAll("#names").forEach(startNames);
  openNamed();
  addEventListener("hashchange", openNamed);
  markScrollers();
  addEventListener("resize", markScrollers);
  document.addEventListener("toggle", markScrollers, true);
});
