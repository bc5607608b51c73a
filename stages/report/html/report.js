"use strict";
// Sorting, filtering, downloads, tooltips and printing. The page is complete without it.

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const button = (text, action) => {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", action);
  return made;
};

// --- what a cell says -------------------------------------------------------------------------

const isShown = (node) => getComputedStyle(node).display !== "none";

// The words of a node, without buttons and symbols that are said in words beside them.
function wordsOf(node, keep = () => true) {
  const copy = node.cloneNode(true);
  const [originals, copies] = [all("*", node), all("*", copy)];
  copies.forEach((part, index) => {
    if (part.matches("button, [aria-hidden]") || !keep(originals[index])) part.remove();
  });
  return copy.textContent.replace(/\s+/g, " ").trim();
}

const textOf = (cell) => wordsOf(cell, isShown); // without what a switch hides

// The number of a cell; where a switch offers several, the one that is shown.
function numberOf(cell) {
  const offered = all("[data-value]", cell).filter(isShown);
  const text = (offered[0] ?? cell).dataset.value ?? "";
  return text === "" ? NaN : Number(text);
}

// --- sorting ----------------------------------------------------------------------------------

// Numbers by size, texts by letter, and what is missing always last.
function compare(a, b, down) {
  const [x, y] = [numberOf(a), numberOf(b)];
  const [noX, noY] = [Number.isNaN(x), Number.isNaN(y)];
  if (noX !== noY) return noX ? 1 : -1;
  const order = noX ? textOf(a).localeCompare(textOf(b), "en", { numeric: true }) : x - y;
  return down ? -order : order;
}

function sort(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const down = heads[column].getAttribute("aria-sort") === "ascending";
  const body = table.tBodies[0]; // reference and printed rows keep their place
  const rows = [...body.rows].sort((a, b) => compare(a.cells[column], b.cells[column], down));
  body.append(...rows);
  heads.forEach((head, index) => {
    const mine = index === column;
    if (mine) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
    head.querySelector("button").textContent = mine ? (down ? "▼" : "▲") : "↕";
  });
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const made = button("↕", () => sort(table, column));
    made.setAttribute("aria-label", `Sort by ${wordsOf(head)}`);
    head.append(made);
  });
}

// --- filtering --------------------------------------------------------------------------------

const nameOf = (node) => node.textContent.replace(/\s+/g, " ").toLowerCase();
const rowName = (row) => all("th", row).map(nameOf).join(" ");

// A word picks named columns if any column has it, else rows; a table that knows it not is whole.
function filterTable(table, words) {
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !row.matches(".heading"));
  const named = heads.map((head) => ("named" in head.dataset ? nameOf(head) : null));
  const forColumns = words.filter((word) => named.some((name) => name?.includes(word)));
  const names = rows.map(rowName);
  const forRows = words.filter((word) => !forColumns.includes(word) && names.some((name) => name.includes(word)));
  rows.forEach((row, index) => {
    row.hidden = !forRows.every((word) => names[index].includes(word));
    [...row.cells].forEach((cell, column) => {
      cell.hidden = named[column] !== null && !forColumns.every((word) => named[column].includes(word));
    });
  });
  heads.forEach((head, column) => {
    head.hidden = named[column] !== null && !forColumns.every((word) => named[column].includes(word));
  });
  return new Set([...forColumns, ...forRows]);
}

function filter(text) {
  const words = text.toLowerCase().split(/[\s,]+/).filter(Boolean);
  const known = new Set(all("table.filtered").flatMap((table) => [...filterTable(table, words)]));
  const unknown = words.filter((word) => !known.has(word));
  const said = unknown.length ? `nothing is called ${unknown.join(", ")}` : "the other rows are hidden";
  document.getElementById("filter-said").textContent = words.length ? said : "";
}

// --- downloads --------------------------------------------------------------------------------

// A spreadsheet runs text that looks like a formula; a quote in front keeps it text.
const harmless = (text) => (/^[=+@\t\r-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
const quoted = (text) => `"${harmless(text).replaceAll('"', '""')}"`;
const fieldsOf = (head) => (head.dataset.fields ? head.dataset.fields.split(" ") : null);

function titles(head) {
  const name = wordsOf(head);
  return fieldsOf(head)?.map((field) => `${name} ${field}`) ?? [name];
}

function values(cell, head) {
  const fields = fieldsOf(head);
  if (fields) return fields.map((field) => cell.getAttribute(`data-${field}`) ?? "");
  return [cell.dataset.value ?? textOf(cell)];
}

function csv(table) {
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies]
    .flatMap((body) => [...body.rows])
    .filter((row) => row.cells.length === heads.length)
    .map((row) => [...row.cells].flatMap((cell, column) => values(cell, heads[column])));
  return [heads.flatMap(titles), ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

function addDownload(table) {
  const made = button("Download this table as CSV", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", csv(table)], { type: "text/csv" }));
    link.download = `${table.dataset.file}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  made.className = "download";
  made.setAttribute("aria-label", `Download as CSV: ${wordsOf(table.caption)}`);
  table.closest(".scroll").after(made);
}

// --- tooltips ---------------------------------------------------------------------------------

// The browser's own tooltips come late and never by touch, so the page shows their text itself.
function makeTooltips() {
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  all("svg.fig title").filter((title) => !title.parentElement.matches("svg")).forEach((title) => {
    title.parentElement.dataset.tip = title.textContent;
    title.remove();
  });
  document.addEventListener("pointerover", (event) => {
    const target = event.target.closest?.("[data-tip]");
    tip.hidden = !target;
    if (!target) return;
    tip.textContent = target.dataset.tip;
    const [box, own] = [target.getBoundingClientRect(), tip.getBoundingClientRect()];
    const left = Math.max(4, Math.min(box.left + (box.width - own.width) / 2, innerWidth - own.width - 4));
    const top = box.top > own.height + 8 ? box.top - own.height - 6 : box.bottom + 6;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${top + scrollY}px`;
  });
}

// --- places -----------------------------------------------------------------------------------

function openTarget() {
  let node = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
}

all("table").forEach((table) => {
  addDownload(table);
  if (table.classList.contains("sortable")) makeSortable(table);
});
makeTooltips();
const field = document.getElementById("filter");
field.closest("[hidden]").hidden = false;
field.addEventListener("input", () => filter(field.value));
field.form.addEventListener("submit", (event) => event.preventDefault());
if (field.value) filter(field.value); // the browser may have kept it
addEventListener("hashchange", openTarget);
// A browser whose style sheets cannot unfold prints what is open.
const folded = all("details:not([open], .raw)");
const setOpen = (open) => folded.forEach((node) => (node.open = open));
if (!CSS.supports("selector(::details-content)")) {
  addEventListener("beforeprint", () => setOpen(true));
  addEventListener("afterprint", () => setOpen(false));
}
openTarget();
