"use strict";
// The page of `scrapy robots tester`. Its state is in the fields and in the fragment of the URL;
// the answers come from the server. Text of robots.txt files and URLs becomes text of the page,
// never HTML.

const $ = (id) => document.getElementById(id);
const DELAY = 120; // ms without a key before a request
const STATE = ["robots", "urls", "agents", "dialect"];
const EXAMPLE = {
  robots: [
    "User-agent: *", "Disallow: /private/", "Allow: /private/press/", "Disallow: .pdf$", "",
    "Disalow: /tmp", "Crawl-delay: 10", "", "User-agent: Googlebot", "Crawl-delay: 5",
    "User-agent: bingbot", "Disallow: /search", "Sitemap: /sitemap.xml", "",
  ].join("\n"),
  urls: "/private/press/2026\n/tmp/x\n/a.pdf",
};
let question = 0;
let sent = 0; // the number of the last request: the response to an older one is dropped
let latest = null;

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function showState(text, bad = false) {
  $("state").textContent = text;
  $("state").classList.toggle("bad", bad);
}

async function post(path, value) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
  });
  const data = await response.json();
  if (!response.ok) throw new Error(data.error);
  return data;
}

const pieces = (text, mark) => text.split(mark).map((piece) => piece.trim()).filter(Boolean);

// ---- the state, and the link with it

function link() {
  const state = new URLSearchParams();
  for (const name of STATE) state.set(name, $(name).value);
  state.set("question", question);
  return `#${state}`;
}

function restore() {
  const state = new URLSearchParams(location.hash.slice(1));
  if (!state.has("robots")) return false;
  for (const name of STATE) $(name).value = state.get(name) ?? "";
  if (!$("dialect").value) $("dialect").selectedIndex = 0;
  question = Number(state.get("question")) || 0;
  return true;
}

// ---- requests

let timer;
function askSoon() {
  clearTimeout(timer);
  timer = setTimeout(ask, DELAY);
}

async function ask({ scroll = false } = {}) {
  const number = ++sent;
  const hash = link();
  if (hash !== location.hash) history.replaceState(null, "", hash);
  try {
    const answers = await post("/answers", {
      robots: $("robots").value,
      urls: pieces($("urls").value, "\n"),
      agents: pieces($("agents").value, ","),
      dialect: $("dialect").value,
      question,
    });
    if (number !== sent) return;
    latest = answers;
    question = Math.max(0, Math.min(question, answers.questions.length - 1));
    show(scroll);
    showState("");
  } catch (error) {
    if (number === sent) showState(`No answer: ${error.message}`, true);
  }
}

function choose(dialect, index) {
  $("dialect").value = dialect;
  question = index;
  return ask({ scroll: true });
}

// ---- output

function show(scroll) {
  showLines(latest.chosen, latest.findings);
  showFindings();
  showAnswer(latest.chosen);
  showTable();
  document.body.dataset.answered = sent;
  if (scroll && latest.chosen?.line) reveal(latest.chosen.line);
}

function showLines(chosen, findings) {
  const lines = $("robots").value.split("\n");
  const marks = new Map();
  for (const finding of findings) {
    if (!marks.has(finding.line)) marks.set(finding.line, []);
    marks.get(finding.line).push(finding);
  }
  const beaten = new Set((chosen?.beaten ?? []).map((rule) => rule.line));
  const group = new Set(chosen?.group?.lines ?? []);
  const backdrop = document.createDocumentFragment();
  const gutter = document.createDocumentFragment();
  lines.forEach((text, at) => {
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

const SEVERITIES = ["error", "warning", "note"];
const worst = (findings) =>
  SEVERITIES.find((severity) => findings.some((finding) => finding.severity === severity)) ?? "";

function showFindings() {
  const count = latest.findings.length + latest.more_findings;
  const list = latest.findings.map((finding) => {
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
  if (latest.more_findings) list.push(element("li", "", `and ${latest.more_findings} more`));
  if (!count) list.push(element("li", "", "Nothing found."));
  $("findings").replaceChildren(...list);
  $("findings-title").replaceChildren("Findings ", element("small", "", `${count} as ${$("dialect").value} reads`));
}

function showAnswer(chosen) {
  $("answer").classList.toggle("yes", Boolean(chosen?.allowed));
  $("answer").classList.toggle("no", Boolean(chosen && !chosen.allowed));
  if (!chosen) {
    $("verdict").textContent = "Type a URL and a crawler";
    $("why").textContent = "";
    $("facts").replaceChildren();
    return;
  }
  $("verdict").textContent = chosen.allowed ? "✓ Allowed" : "✕ Disallowed";
  $("why").textContent = `By ${chosen.cause}.`;
  const facts = [["URL", chosen.url], ["crawler", chosen.agent]];
  facts.push(["group", chosen.group ? `${chosen.group.name}, line ${chosen.group.lines.join(", ")}` : "none"]);
  for (const rule of chosen.beaten.slice(0, 5)) facts.push(["beats", `line ${rule.line}, ${rule.rule}`]);
  if (chosen.delay !== null) facts.push(["crawl-delay", `${chosen.delay} s`]);
  for (const { line, label, key, value } of chosen.usage) {
    facts.push(["use", `line ${line}, ${label}: ${key ? `${key}=${value}` : value}`]);
  }
  if (chosen.note) facts.push(["note", chosen.note]);
  if (chosen.options) facts.push([`not as ${chosen.standard}`, chosen.options]);
  $("facts").replaceChildren(
    ...facts.flatMap(([name, value]) => [element("dt", "", name), element("dd", "", value)]),
  );
}

function showTable() {
  const head = element("tr");
  head.append(element("th", "", "dialect"));
  for (const { url, agent } of latest.questions) {
    const cell = element("th");
    cell.append(element("span", "url", url), element("span", "agent", agent));
    cell.title = `${url}\n${agent}`;
    head.append(cell);
  }
  const focused = document.activeElement?.dataset?.cell;
  const rows = latest.dialects.map((dialect, row) => {
    const line = element("tr", dialect === $("dialect").value ? "chosen" : "");
    const name = element("th", "", dialect);
    name.scope = "row";
    const cells = latest.verdicts[row].map((verdict, index) => cellOf(dialect, row, index, verdict));
    line.append(name, ...cells);
    return line;
  });
  $("table").tHead.replaceChildren(head);
  $("table").tBodies[0].replaceChildren(...rows);
  if (focused) document.querySelector(`[data-cell="${focused}"]`)?.focus({ preventScroll: true });
}

function cellOf(dialect, row, index, verdict) {
  const cell = element("td");
  const button = element("button", verdict.allowed ? "yes" : "no");
  const isChosen = dialect === $("dialect").value && index === question;
  button.type = "button";
  button.dataset.cell = `${row},${index}`;
  button.tabIndex = isChosen ? 0 : -1;
  button.setAttribute("aria-pressed", String(isChosen));
  button.append(element("span", "", verdict.allowed ? "✓ allowed" : "✕ disallowed"));
  if (verdict.line) button.append(element("small", "", `line ${verdict.line}`));
  button.addEventListener("click", () => choose(dialect, index));
  cell.append(button);
  return cell;
}

// ---- the editor

function follow() {
  const { scrollLeft, scrollTop } = $("robots");
  $("backdrop").firstElementChild.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
  $("gutter").firstElementChild.style.transform = `translateY(${-scrollTop}px)`;
}

function reveal(number) {
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

// ---- events

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function moveBetweenCells(event) {
  const step = STEPS[event.key];
  const at = event.target.dataset?.cell?.split(",").map(Number);
  if (!step || !at) return;
  const next = document.querySelector(`[data-cell="${at[0] + step[0]},${at[1] + step[1]}"]`);
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.click();
}

async function fetchSite(event) {
  event.preventDefault();
  const site = $("site").value.trim();
  if (!site) return;
  showState(`Fetching from ${site} …`);
  try {
    const fetched = await post("/fetch", { site });
    if (!fetched.served) {
      showState(`${fetched.url}: ${fetched.why}. There is no file to read.`, true);
      return;
    }
    $("robots").value = fetched.robots;
    await ask();
    showState(`${fetched.url}: ${fetched.why}`);
  } catch (error) {
    showState(`Not fetched: ${error.message}`, true);
  }
}

async function copyLink() {
  history.replaceState(null, "", link());
  try {
    await navigator.clipboard.writeText(location.href);
    showState("The link is copied; it has the whole state of this page.");
  } catch {
    showState("The link is the URL of this page.");
  }
}

async function start() {
  const first = await (await fetch("/given")).json();
  $("dialect").replaceChildren(...first.dialects.map((name) => new Option(name, name)));
  if (!restore()) {
    $("robots").value = first.robots || EXAMPLE.robots;
    $("urls").value = EXAMPLE.urls;
    $("agents").value = first.agent;
    $("dialect").value = first.dialect;
  }
  for (const name of ["robots", "urls", "agents"]) $(name).addEventListener("input", askSoon);
  $("dialect").addEventListener("change", () => ask({ scroll: true }));
  $("robots").addEventListener("scroll", follow);
  $("table").addEventListener("keydown", moveBetweenCells);
  $("fetch").addEventListener("submit", fetchSite);
  $("copy").addEventListener("click", copyLink);
  addEventListener("hashchange", () => restore() && ask());
  await ask();
}

start();
