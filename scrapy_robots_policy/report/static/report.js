"use strict";
// Sorts and filters the report's tables. Loads nothing. All data becomes text, never HTML.
(() => {
  const STEP = 200; // rows that are shown at a time
  const comma = (value) => value.toLocaleString("en-US");
  // Of two figures that are equally near it is the even one, as in Python; toFixed takes the larger.
  function rounded(value, digits) {
    const figure = value.toFixed(digits);
    const isHalf = (value * 2 ** (digits + 1)) % 2 === 1;
    return isHalf && figure.at(-1) % 2 ? (value - 0.5 / 10 ** digits).toFixed(digits) : figure;
  }
  function elapsed(seconds) {
    if (seconds < 59.95) return `${rounded(seconds, 1)} s`;
    const whole = Number(rounded(seconds, 0));
    const hours = Math.floor(whole / 3600);
    const minutes = Math.floor(whole / 60) % 60;
    return hours ? `${comma(hours)} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
  }
  function octets(count) {
    if (count < 1000) return `${count} B`;
    const thousands = count / 1000;
    return `${count >= 10000 ? comma(Number(rounded(thousands, 0))) : rounded(thousands, 1)} KB`;
  }
  const FORMATS = {
    count: comma,
    change: (value) => (value > 0 ? `+${comma(value)}` : comma(value)),
    time: (value) => (value ? elapsed(value) : ""),
    seconds: (value) => (value ? `${value} s` : ""),
    size: (value) => (value ? octets(value) : ""),
  };
  // A number with words after it is a pair.
  const bare = (cell) => (Array.isArray(cell) ? cell[0] : cell);
  const note = (cell) => (Array.isArray(cell) ? cell[1] : "");
  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }
  function grid(box) {
    const { label, kinds, names, rows, total } = JSON.parse(box.querySelector("script").textContent);
    const table = box.querySelector("table");
    const body = table.tBodies[0];
    let matching = rows;
    let shown = body.rows.length;
    let column = -1;
    let up = false;

    const bar = element("div", "tools");
    const field = element("label", "", `Filter ${label} `);
    const input = element("input");
    input.type = "search";
    input.autocomplete = "off";
    input.spellcheck = false;
    field.append(input);
    const count = element("span", "count");
    count.setAttribute("role", "status");
    bar.append(field, count);
    const more = element("button", "", "Show more");
    more.type = "button";

    function write(cell, at) {
      return typeof cell === "string" ? cell : FORMATS[kinds[at]](bare(cell)) + note(cell);
    }
    function draw() {
      const lines = matching.slice(0, shown).map((row) => {
        const line = element("tr");
        row.forEach((cell, at) => {
          const made = element("td", kinds[at] === "text" ? "" : "number", write(cell, at));
          made.dataset.name = names[at];
          line.append(made);
        });
        return line;
      });
      body.replaceChildren(...lines);
      more.hidden = shown >= matching.length;
      const beyond = total > rows.length ? `; ${comma(total - rows.length)} more in the data` : "";
      count.textContent = `${comma(Math.min(shown, matching.length))} of ${comma(matching.length)} shown${beyond}`;
    }
    function arrange() {
      const words = input.value.toLowerCase().split(" ").filter(Boolean);
      const has = (row) => {
        const text = row.map(write).join("\n").toLowerCase();
        return words.every((word) => text.includes(word));
      };
      matching = words.length ? rows.filter(has) : rows.slice();
      if (column >= 0) {
        const sign = up ? 1 : -1;
        matching.sort((a, b) => {
          const [x, y] = [bare(a[column]), bare(b[column])];
          return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)));
        });
      }
      draw();
    }
    function sortBy(at) {
      up = column === at ? !up : kinds[at] === "text";
      column = at;
      [...table.tHead.rows[0].cells].forEach((cell, index) => {
        if (index === at) cell.setAttribute("aria-sort", up ? "ascending" : "descending");
        else cell.removeAttribute("aria-sort");
      });
      arrange();
    }
    [...table.tHead.rows[0].cells].forEach((cell, at) => {
      const button = element("button", "", cell.textContent);
      button.type = "button";
      button.addEventListener("click", () => sortBy(at));
      cell.replaceChildren(button);
    });
    input.addEventListener("input", () => { shown = Math.max(shown, STEP); arrange(); });
    more.addEventListener("click", () => { shown += STEP; draw(); });
    if (rows.length > 8) box.prepend(bar);
    box.querySelector(".more")?.remove();
    table.after(more);
    draw();
  }
  document.querySelectorAll(".grid").forEach(grid);
})();
