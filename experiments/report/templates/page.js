"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  // Dark or light: as the system has it, until the button says otherwise.
  const saved = (value) => {
    try {
      return value === undefined ? localStorage.getItem("theme") : localStorage.setItem("theme", value);
    } catch {
      return null; // a browser may keep nothing for files
    }
  };
  const isDark = () =>
    (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  if (saved()) root.dataset.theme = saved();
  const button = document.getElementById("theme");
  const name = () => (button.textContent = isDark() ? "Light" : "Dark");
  name();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    saved(root.dataset.theme);
    name();
  });

  // What a cell is sorted by: a number where it is one. Empty cells come last either way.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.key ?? cell.textContent.trim();
    const value = parseFloat(text);
    return { text, value, empty: text === "" || text === "nan", numeric: /^[-+[(]?[\d.]/.test(text) && !isNaN(value) };
  };
  const compare = (a, b) =>
    a.numeric && b.numeric ? a.value - b.value : a.text.localeCompare(b.text, undefined, { numeric: true });

  for (const box of document.querySelectorAll(".table")) {
    const table = box.querySelector("table");
    const body = table.tBodies[0];
    const rows = [...body.rows];

    for (const head of table.tHead.rows[0].cells) {
      if (rows[0]?.cells[head.cellIndex].classList.contains("number")) head.classList.add("number");
      if (!head.textContent.trim()) continue;
      const sorter = document.createElement("button");
      sorter.type = "button";
      sorter.append(...head.childNodes);
      head.append(sorter);
      sorter.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const found = rows.map((row) => [keyOf(row, head.cellIndex), row]);
        found.sort(([a], [b]) => a.empty - b.empty || (down ? compare(b, a) : compare(a, b)));
        body.append(...found.map(([, row]) => row));
      });
    }

    const controls = box.querySelector(".controls");
    const input = controls.querySelector("input");
    const choices = [...controls.querySelectorAll("[data-choice]")];
    const chosen = () => choices.filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => one.dataset.choice);
    const filter = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const kinds = chosen();
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word)) || (kinds.length > 0 && !kinds.includes(row.dataset.choice));
        shown += !row.hidden;
      }
      controls.querySelector("output").textContent = shown < rows.length ? `${shown} of ${rows.length} rows` : "";
    };
    input.addEventListener("input", filter);
    for (const one of choices) {
      one.addEventListener("click", () => {
        const turned = one.getAttribute("aria-pressed") !== "true";
        if ("single" in one.parentNode.dataset) for (const other of choices) other.setAttribute("aria-pressed", false);
        one.setAttribute("aria-pressed", turned);
        filter();
      });
      const first = one.parentNode.dataset.first;
      if (first && one.dataset.choice === first) one.setAttribute("aria-pressed", "true");
    }
    if (rows.length < 6 && !choices.length) controls.classList.add("few");
    filter();
  }

  // A claim that the address names is shown, whatever is filtered.
  const aim = () => {
    const row = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (row?.hidden) row.hidden = false;
    for (let at = row; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    row?.scrollIntoView();
  };
  addEventListener("hashchange", aim);
  if (location.hash) aim();
})();
