"use strict";
// Sorting, CSV downloads and printing. The page is complete without it.

const number = (cell) => {
  const text = cell.dataset.value ?? cell.dataset.mean ?? "";
  return text === "" ? NaN : Number(text);
};

const textOf = (cell) => {
  const copy = cell.cloneNode(true);
  copy.querySelectorAll("button, [aria-hidden]").forEach((node) => node.remove());
  return copy.textContent.replace(/\s+/g, " ").trim();
};

function compare(a, b) {
  const [x, y] = [number(a), number(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  if (!Number.isNaN(x) || !Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return textOf(a).localeCompare(textOf(b), "en", { numeric: true });
}

function sort(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const down = heads[column].getAttribute("aria-sort") === "ascending";
  const body = table.tBodies[0]; // reference and printed rows keep their place
  const rows = [...body.rows].sort((a, b) => compare(a.cells[column], b.cells[column]));
  body.append(...(down ? rows.reverse() : rows));
  heads.forEach((head, index) => {
    const mine = index === column;
    if (mine) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
    head.querySelector("button").textContent = mine ? (down ? "▼" : "▲") : "↕";
  });
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "↕";
    button.setAttribute("aria-label", `Sort by ${textOf(head)}`);
    button.addEventListener("click", () => sort(table, column));
    head.append(button);
  });
}

// A spreadsheet runs text that looks like a formula; a quote in front keeps it text.
const harmless = (text) => (/^[=+@\t\r-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
const quoted = (text) => `"${harmless(text).replaceAll('"', '""')}"`;

function fields(head) {
  const name = textOf(head);
  return head.dataset.fields ? head.dataset.fields.split(" ").map((field) => `${name} ${field}`) : [name];
}

function values(cell, head) {
  if (head.dataset.fields) return head.dataset.fields.split(" ").map((field) => cell.dataset[field] ?? "");
  return [cell.dataset.value ?? textOf(cell)];
}

function csv(table) {
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies]
    .flatMap((body) => [...body.rows])
    .filter((row) => row.cells.length === heads.length)
    .map((row) => [...row.cells].flatMap((cell, column) => values(cell, heads[column])));
  return [heads.flatMap(fields), ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

function addDownload(table) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "download";
  button.textContent = "Download this table as CSV";
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", csv(table)], { type: "text/csv" }));
    link.download = `${table.dataset.file}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  table.closest(".scroll").after(button);
}

function openTarget() {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === "DETAILS") target.open = true;
}

document.querySelectorAll("table").forEach((table) => {
  addDownload(table);
  if (table.classList.contains("sortable")) makeSortable(table);
});
addEventListener("hashchange", openTarget);
addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((node) => (node.open = true));
});
openTarget();
