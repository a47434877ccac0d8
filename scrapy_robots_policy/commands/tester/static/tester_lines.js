// The file with its marks: the line that decides, the group, the rules that are beaten, findings.

export const $ = (id) => document.getElementById(id);

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const SEVERITIES = ["error", "warning", "note"];
const worst = (findings) =>
  SEVERITIES.find((severity) => findings.some((finding) => finding.severity === severity)) ?? "";

export function showLines(chosen, findings) {
  const marks = new Map();
  for (const finding of findings) {
    if (!marks.has(finding.line)) marks.set(finding.line, []);
    marks.get(finding.line).push(finding);
  }
  const beaten = new Set((chosen?.beaten ?? []).map((rule) => rule.line));
  const group = new Set(chosen?.group?.lines ?? []);
  const backdrop = document.createDocumentFragment();
  const gutter = document.createDocumentFragment();
  $("robots").value.split("\n").forEach((text, at) => {
    const number = at + 1;
    const line = element("div", "line");
    const own = marks.get(number) ?? [];
    underline(line, text, own[0]);
    line.classList.toggle("group", group.has(number));
    line.classList.toggle("beaten", beaten.has(number));
    if (chosen && chosen.line === number) line.classList.add("lit", chosen.allowed ? "yes" : "no");
    backdrop.append(line);
    const item = element("li", worst(own), String(number));
    if (chosen && chosen.line === number) item.classList.add("lit");
    if (own.length) item.title = own.map((finding) => `${finding.code} ${finding.message}`).join("\n");
    gutter.append(item);
  });
  $("backdrop").firstElementChild.replaceChildren(backdrop);
  $("gutter").firstElementChild.replaceChildren(gutter);
  follow();
}

function underline(line, text, finding) {
  if (!finding) {
    line.textContent = text || " ";
    return;
  }
  const characters = Array.from(text); // columns count characters, not UTF-16 units
  const part = (from, to) => characters.slice(from, to).join("");
  line.append(part(0, finding.column - 1));
  line.append(element("mark", finding.severity, part(finding.column - 1, finding.end - 1) || " "));
  line.append(part(finding.end - 1));
}

export function follow() {
  const { scrollLeft, scrollTop } = $("robots");
  $("backdrop").firstElementChild.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
  $("gutter").firstElementChild.style.transform = `translateY(${-scrollTop}px)`;
}

export function reveal(number) {
  const box = $("robots");
  const line = $("backdrop").querySelectorAll(".line")[number - 1];
  if (!line) return;
  const top = line.offsetTop;
  if (top < box.scrollTop || top + 40 > box.scrollTop + box.clientHeight) {
    box.scrollTop = Math.max(0, top - box.clientHeight / 3);
  }
  follow();
}

function edit(finding) {
  const lines = $("robots").value.split("\n");
  const before = lines.slice(0, finding.line - 1).join("\n").length + (finding.line > 1 ? 1 : 0);
  const characters = Array.from(lines[finding.line - 1] ?? "");
  const column = (count) => before + characters.slice(0, count - 1).join("").length;
  $("robots").focus();
  $("robots").setSelectionRange(column(finding.column), column(finding.end));
  reveal(finding.line);
}

// ---- the findings

export function showFindings({ findings, more_findings: more }) {
  const count = findings.length + more;
  const list = findings.map((finding) => {
    const item = element("li", finding.severity);
    const button = element("button");
    button.type = "button";
    button.append(element("span", "at", `line ${finding.line}`));
    button.append(element("span", "code", finding.code));
    button.append(element("span", "message", finding.message));
    if (finding.fix) button.append(element("span", "fix", `Fix: ${finding.fix}`));
    button.title = `${finding.severity}: ${finding.name}`;
    button.addEventListener("click", () => edit(finding));
    item.append(button);
    return item;
  });
  if (more) list.push(element("li", "", `and ${more} more`));
  if (!count) list.push(element("li", "", "Nothing found."));
  $("findings").replaceChildren(...list);
  titled(`${count} as ${$("dialect").value} reads`);
}

export function clearFindings() {
  $("findings").replaceChildren();
  titled("…");
}

function titled(note) {
  $("findings-title").replaceChildren("Findings ", element("small", "", note));
}
