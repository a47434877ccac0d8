// The page of `scrapy robots tester`. Its state is in the fields and in the fragment of the URL;
// the answers come from the server. Text of robots.txt files and URLs becomes text of the page,
// never HTML.

import { $, clearFindings, element, follow, reveal, showFindings, showLines } from "./tester_lines.js";
import {
  FIELDS, PAGE_FIELDS, lines, pack, readSuite, suiteText, unpack, withExpectation,
} from "./tester_state.js";
import { showAnswer, showTable } from "./tester_table.js";

const DELAY = 120; // ms without a key before a request
const EXAMPLE = {
  robots: [
    "User-agent: *", "Disallow: /private/", "Allow: /private/press/", "Disallow: .pdf$", "",
    "Disalow: /tmp", "Crawl-delay: 10", "", "User-agent: Googlebot", "Crawl-delay: 5",
    "User-agent: bingbot", "Disallow: /search", "Sitemap: /sitemap.xml", "",
  ].join("\n"),
  urls: "/private/press/2026\n/tmp/x\n/a.pdf",
};
let question = 0;
let expect = [];
let source = null; // what the last fetch brought
let number = 0; // of the last request: the response to an older one is dropped
let running = new AbortController();
let latest = null;
let linkFault = ""; // shown with the first answer, which is about the example
let shownFindings = { findings: [], more_findings: 0 };

function state() {
  const purposes = purposeBoxes().filter((box) => box.checked).map((box) => box.value);
  return { ...valuesOf(FIELDS), purposes, question, expect, differences: $("differences").checked };
}

const purposeBoxes = () => [...$("declared").querySelectorAll("input")];

const valuesOf = (names) => Object.fromEntries(names.map((name) => [name, $(name).value]));

function restore(given) {
  if (given.robots !== $("robots").value) $("source").textContent = "";
  if (given.tdmrep !== $("tdmrep").value) $("tdmrep-source").textContent = "";
  for (const name of FIELDS) $(name).value = given[name];
  for (const name of ["answer", "dialect", "level"]) if (!$(name).value) $(name).selectedIndex = 0;
  for (const box of purposeBoxes()) box.checked = given.purposes?.includes(box.value) ?? false;
  ({ question, expect } = given);
  $("differences").checked = given.differences;
  $("elsewhere").open = showFilled() > 0;
}

// Folded away, fields still count: the heading says how many do.
function showFilled() {
  const count = PAGE_FIELDS.filter((name) => $(name).value.trim()).length;
  $("elsewhere-note").textContent = count ? `${count} of ${PAGE_FIELDS.length} fields filled in` : "headers, HTML, tdmrep.json";
  return count;
}

function showState(text, bad = false) {
  $("state").textContent = text;
  $("state").classList.toggle("bad", bad);
}

// ---- requests

async function post(path, value, signal) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
    signal,
  });
  const data = await response.json();
  if (!response.ok) throw new Error(data.error);
  return data;
}

// The findings of a file in each dialect: other URLs change nothing about them.
const linted = { robots: null, byDialect: new Map() };

async function lint(query, signal) {
  if (linted.robots !== query.robots) {
    linted.robots = query.robots;
    linted.byDialect = new Map();
  }
  const { byDialect } = linted;
  if (!byDialect.has(query.dialect)) {
    byDialect.set(query.dialect, await post("/findings", query, signal));
  }
  return byDialect.get(query.dialect);
}

let timer;
function askSoon() {
  clearTimeout(timer);
  computing();
  timer = setTimeout(ask, DELAY);
}

// What is shown is no longer true: take the marks away, and say that an answer is on its way.
function computing() {
  running.abort();
  number += 1;
  shownFindings = { findings: [], more_findings: 0 };
  setOld(true);
  showLines(null, []);
  clearFindings();
  showState("Computing …");
}

function setOld(isOld) {
  for (const part of [$("table"), $("full")]) {
    part.classList.toggle("old", isOld);
    part.setAttribute("aria-busy", String(isOld));
  }
}

async function ask({ scroll = false } = {}) {
  clearTimeout(timer);
  computing();
  const mine = number;
  running = new AbortController();
  const { robots, answer, dialect, purposes, level } = state();
  $("unread").hidden = $("answer").selectedIndex === 0;
  const isFetched = source?.robots === robots && source.answer === answer;
  const why = isFetched ? source.why : "";
  const query = { robots, answer, why, dialect, question };
  query.urls = lines($("urls").value);
  query.agents = lines($("agents").value);
  try {
    const asked = { ...query, purposes, level, ...valuesOf(PAGE_FIELDS) };
    const answers = await post("/answers", asked, running.signal);
    if (mine !== number) return;
    latest = answers;
    question = Math.max(0, Math.min(question, answers.questions.length - 1));
    showLeftOut(query, answers.max, answers.faults);
    showVerdicts(scroll);
    showState("Looking for findings …");
    const findings = await lint(query, running.signal);
    if (mine !== number) return;
    shownFindings = findings;
    showLines(latest.chosen, shownFindings.findings);
    showFindings(shownFindings);
    showState(linkFault, linkFault !== "");
    linkFault = "";
    await keepLink();
    document.body.dataset.answered = mine;
  } catch (error) {
    if (mine === number) showState(`No answer: ${error.message}`, true);
  }
}

// Of more URLs and crawlers than the server answers at a time, the first ones are in the table.
function showLeftOut(query, max, faults) {
  const part = (name, what) => query[name].length > max[name]
    ? [`the first ${max[name]} of ${query[name].length.toLocaleString("en-US")} ${what}`] : [];
  const parts = [...part("urls", "URLs"), ...part("agents", "crawlers")];
  const tooMany = parts.length ? [`Only ${parts.join(" and ")} are answered.`] : [];
  $("left-out").textContent = [...faults.map((fault) => `${fault}.`), ...tooMany].join(" ");
}

function showVerdicts(scroll) {
  setOld(false);
  showLines(latest.chosen, shownFindings.findings);
  showAnswer(latest.chosen);
  draw();
  if (scroll && latest.chosen?.line) reveal(latest.chosen.line);
}

function draw() {
  if (latest) showTable(latest, state(), { choose, expect: setExpectation });
}

function choose(dialect, index) {
  $("dialect").value = dialect;
  question = index;
  return ask({ scroll: true });
}

async function fetchSite(event) {
  event.preventDefault();
  const site = $("site").value.trim();
  if (!site) return;
  showState(`Fetching from ${site} …`);
  try {
    const fetched = await post("/fetch", { site });
    showSource(fetched);
    showTdmrep(fetched.tdmrep);
    await ask();
  } catch (error) {
    showState(`Not fetched: ${error.message}`, true);
  }
}

// The file that was fetched, or that there is none: nothing else stands in its place.
function showSource(fetched) {
  source = fetched;
  const { url, why, robots, served, answer } = source;
  $("robots").value = robots;
  $("answer").value = answer;
  const what = served ? (robots ? `${why}, ${size(robots)}` : `${why}, an empty file`) : `${why}: there is no file to read`;
  $("source").replaceChildren(element("bdi", "", url), `: ${what}`);
  $("source").classList.toggle("bad", !served);
}

// That of another site stays no longer than its robots.txt.
function showTdmrep({ url, why, text }) {
  $("tdmrep").value = text;
  $("tdmrep-source").replaceChildren(element("bdi", "", url), `: ${why}`);
  showFilled();
}

function showEdited() {
  $("source").textContent = `edited here, ${size($("robots").value)}`;
  $("source").classList.remove("bad");
}

function size(text) {
  const count = new TextEncoder().encode(text).length;
  return `${count.toLocaleString("en-US")} byte${count === 1 ? "" : "s"}`;
}

// ---- links and suites

async function keepLink() {
  const link = await pack(state());
  if (link !== location.hash) history.replaceState(null, "", link);
}

async function copyLink() {
  await keepLink();
  try {
    await navigator.clipboard.writeText(location.href);
    showState("The link is copied; it has the whole state of this page.");
  } catch {
    showState("The link is the URL of this page.");
  }
}

async function setExpectation(pair, allowed) {
  expect = withExpectation(expect, pair, allowed);
  draw();
  await keepLink();
}

function saveSuite() {
  if (!expect.length) {
    showState("Nothing is expected yet: choose it below a URL in the table.", true);
    return;
  }
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([suiteText(expect)], { type: "application/json" }));
  link.download = "robots-suite.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  showState(`Saved: scrapy robots test ${link.download} --robots FILE`);
}

async function loadSuite() {
  const [file] = $("suite").files;
  if (!file) return;
  try {
    expect = readSuite(await file.text());
    const add = (name, values) => {
      $(name).value = [...new Set([...lines($(name).value), ...values])].join("\n");
    };
    add("urls", expect.map((one) => one.url));
    add("agents", expect.map((one) => one.agent));
    await ask();
  } catch (error) {
    showState(`Not loaded: ${error.message}`, true);
  }
  $("suite").value = "";
}

function addCrawler() {
  const name = $("picker").value;
  $("picker").value = "";
  if (!name || lines($("agents").value).includes(name)) return;
  $("agents").value = [...lines($("agents").value), name].join("\n");
  ask();
}

// ---- events

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function moveBetweenCells(event) {
  const step = STEPS[event.key];
  const cell = event.target.closest?.("tbody td");
  if (!step || !cell) return;
  const row = $("table").tBodies[0].rows[cell.parentNode.sectionRowIndex + step[0]];
  const next = row?.cells[cell.cellIndex + step[1]]?.querySelector("button");
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.click();
}

async function restoreLink() {
  try {
    const given = await unpack(location.hash);
    if (given) restore(given);
    return given !== null;
  } catch (error) {
    linkFault = `This link cannot be read: ${error.message}`;
    showState(linkFault, true);
    return false;
  }
}

// The uses that may be declared, as they are chosen at the start.
function showDocs({ docs, version }) {
  $("docs").title = `scrapy-robots-policy ${version}`;
  $("docs").hidden = !docs;
  if (docs) $("docs").href = `${docs}/commands.md`;
}

function addUses({ purposes, levels, level }) {
  const boxes = Object.entries(purposes).map(([name, isDeclared]) => {
    const label = element("label");
    const box = element("input");
    box.type = "checkbox";
    box.value = name;
    box.checked = isDeclared;
    label.append(box, ` ${name}`);
    return label;
  });
  $("declared").querySelector("legend").after(...boxes);
  $("level").append(...levels.map((name) => new Option(name, name, false, name === level)));
}

function begin(given) {
  $("urls").value = EXAMPLE.urls;
  $("agents").value = given.agent;
  $("dialect").value = given.dialect;
  if (given.source) showSource(given.source);
  else $("robots").value = EXAMPLE.robots;
}

async function start() {
  const given = await (await fetch("/given")).json();
  $("dialect").replaceChildren(...given.dialects.map((name) => new Option(name, name)));
  $("answer").replaceChildren(...given.answers.map((name) => new Option(name, name)));
  for (const [kind, names] of Object.entries(given.crawlers)) {
    const group = element("optgroup");
    group.label = kind;
    group.append(...names.map((name) => new Option(name, name)));
    $("picker").append(group);
  }
  addUses(given);
  showDocs(given);
  if (!(await restoreLink())) begin(given);
  $("robots").addEventListener("input", showEdited);
  showFilled();
  $("tdmrep").addEventListener("input", () => { $("tdmrep-source").textContent = ""; });
  for (const name of PAGE_FIELDS) $(name).addEventListener("input", showFilled);
  for (const name of ["robots", "urls", "agents", ...PAGE_FIELDS]) $(name).addEventListener("input", askSoon);
  $("dialect").addEventListener("change", () => ask({ scroll: true }));
  $("answer").addEventListener("change", () => ask());
  $("declared").addEventListener("change", () => ask());
  $("differences").addEventListener("change", () => { draw(); keepLink(); });
  $("picker").addEventListener("change", addCrawler);
  $("robots").addEventListener("scroll", follow);
  $("table").addEventListener("keydown", moveBetweenCells);
  $("fetch").addEventListener("submit", fetchSite);
  $("copy").addEventListener("click", copyLink);
  $("save").addEventListener("click", saveSuite);
  $("load").addEventListener("click", () => $("suite").click());
  $("suite").addEventListener("change", loadSuite);
  addEventListener("hashchange", async () => { if (await restoreLink()) ask(); });
  await ask();
}

start();
