// The state of the page as a link, and its expectations as a suite for `scrapy robots test`.
// A link may come from anybody: what it holds is checked, and has a bound.

const MARK = "#1."; // the first version of packed links
const MAX_BYTES = 2_200_000; // of the state, unpacked, a little more than the server takes: a link may be made to burst
export const PAGE_FIELDS = ["headers", "html", "tdmrep"]; // what is said outside the robots.txt
export const FIELDS = ["robots", "answer", "urls", "agents", "dialect", "level", ...PAGE_FIELDS];

async function through(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MAX_BYTES) throw new Error("the link holds too much");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function base64url(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function bytesOf(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

export async function pack(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  return MARK + base64url(await through(new CompressionStream("deflate-raw"), bytes));
}

// The state in the fragment of a URL; null if it holds none.
export async function unpack(hash) {
  if (hash.startsWith(MARK)) {
    const bytes = bytesOf(hash.slice(MARK.length));
    const unpacked = await through(new DecompressionStream("deflate-raw"), bytes);
    return checked(JSON.parse(new TextDecoder().decode(unpacked)));
  }
  const old = new URLSearchParams(hash.slice(1)); // a link that somebody has written by hand
  if (!old.has("robots")) return null;
  const state = Object.fromEntries(old);
  state.agents = lines(state.agents ?? "", ",").join("\n");
  return checked(state);
}

function checked(state) {
  const made = Object.fromEntries(FIELDS.map((name) => [name, String(state[name] ?? "")]));
  made.question = Number(state.question) || 0;
  made.purposes = Array.isArray(state.purposes) ? state.purposes : null; // null: a link says nothing of them
  made.differences = state.differences === true;
  made.expect = Array.isArray(state.expect) ? state.expect.map(expectation).filter(Boolean) : [];
  return made;
}

export const lines = (text, mark = "\n") =>
  text.split(mark).map((piece) => piece.trim()).filter(Boolean);

const SENTENCE = /^(.+) may (not )?fetch (\S+)(?: in ([\w.-]+))?$/;

// {agent, url, allowed, dialect?}; null if it is none. A sentence of a suite is read too.
function expectation(value) {
  if (typeof value === "string") {
    const sentence = SENTENCE.exec(value.trim());
    if (!sentence) return null;
    const [, who, not, url, dialect] = sentence;
    const nobody = who.toLowerCase() === "nobody";
    const agent = nobody || who.toLowerCase() === "everybody" ? "*" : who;
    return { agent, url, allowed: !not && !nobody, ...(dialect ? { dialect } : {}) };
  }
  const { agent, url, allowed, dialect } = value ?? {};
  if (typeof agent !== "string" || typeof url !== "string" || typeof allowed !== "boolean") return null;
  return { agent, url, allowed, ...(typeof dialect === "string" ? { dialect } : {}) };
}

export const suiteText = (expect) => `${JSON.stringify({ expect }, null, 1)}\n`;

// The expectations of a suite. An error if the text is none.
export function readSuite(text) {
  const data = JSON.parse(text);
  if (!Array.isArray(data?.expect)) throw new Error("it is no suite");
  const expect = data.expect.map(expectation);
  if (expect.includes(null)) throw new Error("an expectation has another shape than the suite's");
  return expect;
}

// What is expected of a question in a dialect: true, false, or undefined.
export function expected(expect, { url, agent }, dialect) {
  const all = expect.filter((one) => one.url === url && one.agent === agent);
  const own = all.find((one) => one.dialect === dialect);
  return (own ?? all.find((one) => one.dialect === undefined))?.allowed;
}

// The expectations with another one for a question, in all dialects; undefined: with none.
export function withExpectation(expect, { url, agent }, allowed) {
  const others = expect.filter((one) => one.url !== url || one.agent !== agent);
  return allowed === undefined ? others : [...others, { agent, url, allowed }];
}
