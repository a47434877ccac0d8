// The answer in full, and the table of all verdicts.

import { $, element, shown } from "./tester_lines.js";
import { expected } from "./tester_state.js";

const WORDS = {
  start: "the path starts so",
  any: "any characters",
  part: "these, in this order",
  end: "the URL ends here",
};

const VERDICTS = { yes: ["✓", "allowed"], no: ["✕", "refused"], waits: ["…", "waits"] };

const kindOf = ({ allowed, waits }) => (waits ? "waits" : allowed ? "yes" : "no");

export function showAnswer(chosen) {
  $("full").classList.remove("yes", "no", "waits");
  if (chosen) $("full").classList.add(kindOf(chosen));
  showMatch(chosen);
  if (!chosen) {
    $("verdict").textContent = "Type a URL and a crawler";
    $("why").textContent = "";
    $("facts").replaceChildren();
    return;
  }
  const [mark, word] = VERDICTS[kindOf(chosen)];
  $("verdict").textContent = `${mark} ${capital(word)}`;
  if (chosen.allowed && chosen.refused_uses.length) {
    $("verdict").append(element("span", "", `; refused for ${chosen.refused_uses.join(", ")}`));
  }
  $("why").textContent = sentence(chosen.cause);
  const facts = [["URL", shown(chosen.url)], ["crawler", shown(chosen.agent)]];
  facts.push(["group", chosen.group ? `${chosen.group.name}, line ${chosen.group.lines.join(", ")}` : "none"]);
  const beaten = chosen.beaten.slice(0, 5);
  for (const rule of beaten) facts.push(["beats", `line ${rule.line}, ${rule.rule}`]);
  const more = chosen.beats - beaten.length;
  if (more) facts.push(["beats", `and ${more} more`]);
  if (chosen.delay !== null) facts.push(["crawl-delay", `${chosen.delay} s`]);
  facts.push(...chosen.use_facts);
  if (chosen.note) facts.push(["note", chosen.note]);
  if (chosen.options) facts.push([`not as ${chosen.standard}`, chosen.options]);
  $("facts").replaceChildren(
    ...facts.flatMap(([name, value]) => [element("dt", "", name), element("dd", "", value)]),
  );
}

function sentence(cause) {
  return /^line \d/.test(cause) ? `By ${cause}.` : `${capital(cause)}.`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// The rule in its parts, and below each part what it matches in the URL.
function showMatch(chosen) {
  const match = chosen?.match;
  if (!match) {
    $("match").replaceChildren();
    return;
  }
  const list = element("ol", "parts");
  for (const { kind, rule, path } of match.parts) {
    if (kind === "start" && !rule) continue;
    const item = element("li", kind);
    item.append(element("code", "rule", rule), element("span", "word", WORDS[kind]));
    item.append(element("code", "path", path || (kind === "any" ? "nothing" : "")));
    item.lastChild.classList.toggle("none", !path);
    list.append(item);
  }
  const url = element("p", "url");
  for (const { kind, path } of match.parts) if (path) url.append(element("mark", kind, path));
  if (match.rest) url.append(element("span", "rest", match.rest));
  $("match").replaceChildren(list, url);
}

// ---- the table

export function showTable(latest, state, on) {
  const columns = latest.questions.map((_, index) => index);
  const differs = (index) => new Set(latest.verdicts.map((row) => row[index].allowed)).size > 1;
  const visible = state.differences ? columns.filter(differs) : columns;
  const at = latest.dialects.indexOf(state.dialect);
  const alike = (row) => visible.every((index) => latest.verdicts[row][index].allowed === latest.verdicts[at][index].allowed);
  const hasAccess = latest.access.some(Boolean);
  const focused = document.activeElement?.dataset?.cell;
  const rows = latest.dialects.map((dialect, row) => {
    if (state.differences && row !== at && alike(row)) return null;
    const line = element("tr", dialect === state.dialect ? "chosen" : "");
    const name = element("th", "", dialect);
    name.scope = "row";
    line.append(name);
    if (hasAccess) line.append(element("td", "access", latest.access[row] || "its rules are obeyed"));
    line.append(...visible.map((index) => cellOf(latest, state, row, index, on)));
    return line;
  });
  $("table").tHead.replaceChildren(headOf(latest, state, visible, hasAccess, on));
  $("table").tBodies[0].replaceChildren(...rows.filter(Boolean));
  const none = state.differences && !visible.length;
  $("hint").textContent = none
    ? "All dialects give the same answers."
    : "Choose a cell to see its line. Arrow keys move between cells.";
  if (focused) document.querySelector(`[data-cell="${focused}"]`)?.focus({ preventScroll: true });
  showHeld(latest, state);
}

function headOf(latest, state, visible, hasAccess, on) {
  const head = element("tr");
  head.append(element("th", "", "dialect"));
  if (hasAccess) head.append(element("th", "", "what it makes of the answer"));
  for (const index of visible) {
    const question = latest.questions[index];
    const cell = element("th");
    cell.scope = "col";
    const [url, agent] = [shown(question.url), shown(question.agent)];
    cell.append(element("span", "url", url), element("span", "agent", agent));
    cell.title = `${url}\n${agent}`;
    const select = element("select", "expect");
    select.setAttribute("aria-label", `Expected for ${url}, ${agent}`);
    select.append(new Option("nothing expected", ""), new Option("expect allowed", "true"));
    select.append(new Option("expect refused", "false"));
    select.value = String(expected(state.expect, question) ?? "");
    select.addEventListener("change", () => {
      on.expect(question, select.value === "" ? undefined : select.value === "true");
    });
    cell.append(select);
    head.append(cell);
  }
  return head;
}

function cellOf(latest, state, row, index, on) {
  const verdict = latest.verdicts[row][index];
  const dialect = latest.dialects[row];
  const cell = element("td");
  const { url, agent } = latest.questions[index];
  cell.dataset.question = `${shown(agent)}\n${shown(url)}`;  // for paper, which cannot be scrolled
  const wanted = expected(state.expect, latest.questions[index], dialect);
  if (wanted !== undefined) cell.className = wanted === verdict.allowed ? "held" : "failed";
  const button = element("button", kindOf(verdict));
  const isChosen = dialect === state.dialect && index === state.question;
  button.type = "button";
  button.dataset.cell = `${row},${index}`;
  button.tabIndex = isChosen ? 0 : -1;
  button.setAttribute("aria-pressed", String(isChosen));
  button.append(element("span", "", VERDICTS[kindOf(verdict)].join(" ")));
  if (verdict.line) button.append(element("small", "", `line ${verdict.line}`));
  if (cell.className) button.append(element("span", "mark", cell.className === "held" ? "as expected" : "not expected"));
  button.addEventListener("click", () => on.choose(dialect, index));
  cell.append(button);
  return cell;
}

// How many expectations hold in the chosen dialect.
function showHeld(latest, state) {
  const row = latest.verdicts[latest.dialects.indexOf(state.dialect)];
  const wanted = latest.questions.map((question) => expected(state.expect, question, state.dialect));
  const count = wanted.filter((one) => one !== undefined).length;
  const held = wanted.filter((one, index) => one !== undefined && one === row[index].allowed).length;
  const all = count === held;
  $("held").textContent = count ? `${all ? "✓" : "✕"} ${held} of ${count} expectations hold as ${state.dialect} reads` : "";
  $("held").className = count ? (all ? "yes" : "no") : "";
}
