// The page of a review. In: rows from the server, keys and clicks. Out: decisions, of which each is
// on disk before the next row shows. Rows come as HTML in which everything from data is escaped.
"use strict";

const byId = (id) => document.getElementById(id);
const form = byId("filter");
const field = (name) => form.elements.namedItem(name);
const otherTabs = new BroadcastChannel(location.pathname);
const MOST_DIGITS = 9;

let start = null; // what stays the same: classes and columns
let shown = null; // the row on the page
let filter = { state: "open" }; // what rows are chosen by: the form as it was last sent
let busy = false; // whether an answer is awaited: keys pressed meanwhile mean nothing
let over = false; // whether the review has ended

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refused(0, "weakforce does not answer: the review was ended. All decisions are on " +
      "disk; the same command goes on where it was.");
  }
  const found = await answer.json().catch(() => ({ error: "the answer cannot be read" }));
  if (!answer.ok) throw new Refused(answer.status, found.error);
  return found;
}

/* Runs one action at a time, and shows what goes wrong. */
async function run(action) {
  if (busy || over) return;
  busy = true;
  document.body.setAttribute("aria-busy", "true");
  try {
    await action();
  } catch (error) {
    if (error instanceof Refused && error.status === 409) {
      await show(await ask("api/next", asked()));
      say(`${error.message}; this is the next one.`);
    } else {
      say(error.message, true);
    }
  } finally {
    busy = false;
    document.body.removeAttribute("aria-busy");
  }
}

function say(text, isError = false) {
  const message = byId("message");
  message.textContent = text;
  message.classList.toggle("error", isError);
  message.hidden = !text;
}

function asked(more = {}) {
  return { filter, ...more };
}

function after() {
  return shown && filter.state !== "open" ? { after: shown.row } : {};
}

/* Shows the first row that the form lets through. */
function choose() {
  filter = Object.fromEntries(new FormData(form));
  run(async () => show(await ask("api/next", asked())));
}

function decide(decision, label = null) {
  if (!shown) return;
  const row = shown.row;
  run(async () => {
    const body = asked({ row, decision, label, seen: shown.seen, ...after() });
    const answer = await ask("api/decide", body);
    otherTabs.postMessage(row);
    show(answer);
  });
}

function undo() {
  run(async () => {
    const answer = await ask("api/undo", asked());
    otherTabs.postMessage(answer.row.row);
    show(answer);
    say(`Row ${count(answer.row.row)} is open again.`);
  });
}

function change() {
  if (shown && shown.suggested !== null) decide("change", shown.suggested);
}

function goOn() {
  run(async () => show(await ask("api/next", asked(shown ? { after: shown.row } : {}))));
}

function finish() {
  run(async () => {
    await ask("api/finish", {});
    over = true;
    shown = null;
    byId("row").replaceChildren(paragraph("The review is finished. This window can be closed."));
    byId("message").hidden = true;
    for (const button of document.querySelectorAll("button, select, input")) button.disabled = true;
  });
}

function count(number) {
  return number.toLocaleString("en");
}

function paragraph(text) {
  const made = document.createElement("p");
  made.className = "done";
  made.textContent = text;
  return made;
}

function show(answer) {
  shown = answer.row;
  say("");
  showProgress(answer.progress);
  byId("undo").disabled = answer.last === null;
  byId("undo").title = answer.last === null ? "" : `takes back: ${answer.last.decision}, row ${answer.last.row}`;
  byId("next").hidden = filter.state === "open";
  for (const id of ["keep", "skip"]) byId(id).disabled = !shown;
  byId("change").disabled = !shown || shown.suggested === null;
  byId("keep-label").textContent = shown ? start.classes[shown.given] : "";
  byId("change-label").textContent = shown && shown.suggested !== null ? start.classes[shown.suggested] : "…";
  const other = byId("other");
  if (other) other.disabled = !shown;
  if (!shown) {
    const isAll = describeFilter() === "";
    const text = isAll ? "Every row was looked at." : "No row is left that the filter lets through.";
    byId("row").replaceChildren(paragraph(text));
    return;
  }
  byId("row").innerHTML = shown.html;
  if (shown.decision !== null) {
    const now = shown.decision === "change" ? `changed to ${shown.label}` : shown.decision === "keep" ? "kept" : "skipped";
    say(`This row was ${now}.`);
  }
  window.scrollTo(0, 0);
}

function showProgress(progress) {
  byId("progress").max = Math.max(1, progress.n_looking_wrong);
  byId("progress").value = progress.n_looked_at;
  byId("counts").textContent =
    `${count(progress.n_looked_at)} of ${count(progress.n_looking_wrong)} rows that look wrong · ` +
    `${count(progress.n_kept)} kept, ${count(progress.n_changed)} changed, ` +
    `${count(progress.n_skipped)} skipped · ${count(progress.n_rows)} rows in all`;
  const [number, low, high] = progress.wrong_left.map((each) => count(Math.round(each)));
  byId("left").textContent = `about ${number} wrong labels left (${low} to ${high})`;
  const described = describeFilter();
  byId("filter-line").textContent =
    `Filter: ${described || "all open rows"} (${count(progress.n_matching)})`;
}

function describeFilter() {
  const parts = [];
  if (filter.state !== "open") parts.push(filter.state);
  if (filter.given) parts.push(`given ${start.classes[filter.given]}`);
  if (filter.suggested) parts.push(`suggested ${start.classes[filter.suggested]}`);
  if (filter.column) {
    const values = {
      is: `is ${filter.text}`,
      contains: `contains ${filter.text}`,
      between: `is between ${filter.low || "−∞"} and ${filter.high || "∞"}`,
      missing: "is missing",
    };
    parts.push(`${start.columns[filter.column].name} ${values[filter.condition]}`);
  }
  return parts.join(", ");
}

function showFields() {
  const column = field("column").value;
  const condition = field("condition");
  const isNumber = column !== "" && start.columns[column].is_number;
  condition.querySelector("[value=between]").disabled = !isNumber;
  if (!isNumber && condition.value === "between") condition.value = "is";
  byId("of-condition").hidden = column === "";
  byId("of-text").hidden = column === "" || !["is", "contains"].includes(condition.value);
  byId("of-low").hidden = byId("of-high").hidden = column === "" || condition.value !== "between";
}

function addOptions(select, texts, number = false) {
  texts.forEach((text, at) => {
    const option = document.createElement("option");
    option.value = at;
    option.textContent = number && at < MOST_DIGITS ? `${at + 1} · ${text}` : text;
    select.append(option);
  });
}

function addOthers() {
  if (start.classes.length < 3) return;
  const select = document.createElement("select");
  select.id = "other";
  select.setAttribute("aria-label", "change to another label");
  const first = document.createElement("option");
  first.value = "";
  first.textContent = "other label …";
  select.append(first);
  addOptions(select, start.classes, true);
  select.addEventListener("change", () => {
    const label = Number(select.value);
    const chosen = select.value !== "";
    select.value = "";
    select.blur();
    if (chosen) decide("change", label);
  });
  byId("others").append(select);
}

const KEYS = {
  k: () => decide("keep"),
  c: change,
  s: () => decide("skip"),
  u: undo,
  n: () => byId("next").hidden || goOn(),
};

function onKey(event) {
  if (event.repeat || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  const key = event.key.toLowerCase();
  if (event.ctrlKey) {
    if (key !== "z") return;
    event.preventDefault();
    undo();
    return;
  }
  const digit = Number(key);
  if (key in KEYS) KEYS[key]();
  else if (digit >= 1 && digit <= Math.min(MOST_DIGITS, start.classes.length)) decide("change", digit - 1);
  else return;
  event.preventDefault();
}

function listen() {
  document.addEventListener("keydown", onKey);
  byId("keep").addEventListener("click", () => decide("keep"));
  byId("change").addEventListener("click", change);
  byId("skip").addEventListener("click", () => decide("skip"));
  byId("undo").addEventListener("click", undo);
  byId("next").addEventListener("click", goOn);
  byId("finish").addEventListener("click", finish);
  form.addEventListener("change", showFields);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choose();
  });
  form.addEventListener("reset", () => setTimeout(() => {
    showFields();
    choose();
  }));
  otherTabs.addEventListener("message", (event) => {
    run(async () => {
      const isMine = shown !== null && shown.row === event.data;
      const answer = await ask("api/next", asked());
      if (isMine || shown === null) {
        show(answer);
        if (isMine) say(`Row ${count(event.data)} was decided in another window; this is the next one.`);
      } else {
        showProgress(answer.progress);
        byId("undo").disabled = answer.last === null;
      }
    });
  });
}

run(async () => {
  start = await ask("api/start");
  document.title = `${start.title} – review`;
  byId("title").textContent = start.title;
  addOptions(field("given"), start.classes);
  addOptions(field("suggested"), start.classes);
  addOptions(field("column"), start.columns.map((column) => column.name));
  addOthers();
  showFields();
  const digits = start.classes.length > 2 ? `1–${Math.min(MOST_DIGITS, start.classes.length)} another label, ` : "";
  byId("help").textContent =
    `Keys: K keep, C change to the suggested label, ${digits}S skip, U or Ctrl-Z undo. ` +
    `Every decision is on disk before the next row shows. In this table, ${start.judged_by}.`;
  listen();
  show(await ask("api/next", asked()));
});
