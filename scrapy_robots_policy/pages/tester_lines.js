// The file with its marks: the line that decides, the group, the rules that are beaten, findings.

export const $ = (id) => document.getElementById(id);

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const MAX_SHOWN = 2000; // characters of a URL or a crawler

// The text as the terminal shows it: characters that are not seen, or that turn the text round,
// are escaped. A text that is too long to be read is cut.
export const shown = (text) => (text.length > MAX_SHOWN ? `${escaped(text.slice(0, MAX_SHOWN))}…` : escaped(text));

const escaped = (text) =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0);
    const [mark, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return `\\${mark}${code.toString(16).padStart(digits, "0")}`;
  });

const SEVERITIES = ["error", "warning", "note"];
const worst = (findings) =>
  SEVERITIES.find((severity) => findings.some((finding) => finding.severity === severity)) ?? "";

let built = null; // the text whose lines stand in the backdrop
let marked = new Set(); // the places of lines that have marks

const backdropLines = () => $("backdrop").firstElementChild.children;
const gutterLines = () => $("gutter").firstElementChild.children;

// A line for each line of the file. A large file is laid out only where its text is new.
function build(text) {
  const backdrop = document.createDocumentFragment();
  const gutter = document.createDocumentFragment();
  text.split("\n").forEach((line, at) => {
    backdrop.append(element("div", "line", line || " "));
    gutter.append(element("li", "", String(at + 1)));
  });
  $("backdrop").firstElementChild.replaceChildren(backdrop);
  $("gutter").firstElementChild.replaceChildren(gutter);
  built = text;
  marked = new Set();
}

export function showLines(chosen, findings) {
  const text = $("robots").value;
  if (text !== built) build(text);
  const texts = text.split("\n");
  for (const at of marked) {
    backdropLines()[at].className = "line";
    backdropLines()[at].textContent = texts[at] || " ";
    gutterLines()[at].className = "";
    gutterLines()[at].removeAttribute("title");
  }
  marked = new Set();
  const mark = (number, ...names) => {
    if (!backdropLines()[number - 1]) return;
    marked.add(number - 1);
    backdropLines()[number - 1].classList.add(...names);
  };
  for (const number of chosen?.group?.lines ?? []) mark(number, "group");
  for (const rule of chosen?.beaten ?? []) mark(rule.line, "beaten");
  if (chosen?.line) {
    mark(chosen.line, "lit", chosen.allowed ? "yes" : "no");
    gutterLines()[chosen.line - 1]?.classList.add("lit");
  }
  const byLine = new Map();
  for (const finding of findings) {
    byLine.set(finding.line, [...(byLine.get(finding.line) ?? []), finding]);
  }
  for (const [number, own] of byLine) {
    const line = backdropLines()[number - 1];
    if (!line) continue;
    mark(number, "found");
    underline(line, texts[number - 1], own[0]);
    gutterLines()[number - 1].classList.add(worst(own));
    gutterLines()[number - 1].title = own.map((finding) => `${finding.code} ${finding.message}`).join("\n");
  }
  follow();
}

function underline(line, text, finding) {
  line.textContent = "";
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
    if (!$("docs").hidden) item.append(why(finding));
    return item;
  });
  if (more) list.push(element("li", "", `and ${more} more`));
  if (!count) list.push(element("li", "", "Nothing found."));
  $("findings").replaceChildren(...list);
  titled(`${count} as ${$("dialect").value} reads`);
}

function why({ code, name, severity }) {
  const link = element("a", "why", "why");
  link.href = new URL(`lint.md#${code}-${name}-${severity}`.toLowerCase(), $("docs").href).href;
  link.target = "_blank";
  link.rel = "noreferrer";
  link.setAttribute("aria-label", `why ${code} ${name}`);
  return link;
}

export function clearFindings() {
  $("findings").replaceChildren();
  titled("…");
}

function titled(note) {
  $("findings-title").replaceChildren("Findings ", element("small", "", note));
}
