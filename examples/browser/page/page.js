// The page: it sends requests to the worker and shows the answers. All numbers, texts and
// pictures come from the program; see README.md.

import { Client } from "./client.js";

const $ = (id) => document.getElementById(id);
const begun = performance.now();
const rest = 250; // ms without a move of the slider before a fit starts

let client;
let table = null; // {name, file, set}: kept for a new worker
let columns = { names: [], text: [], roles: "", transpose: "auto", long: "auto" }; // of the table, as the program found them
let roles = ""; // of all columns, if they were chosen, a letter each; see read.go
let library = null; // {name, file}: the file of known prototypes
let wanted = null; // the table to read next
let opening = false;
let latest = 0; // the newest request for a fit or a table; older answers are dropped
let running = 0; // the request without an answer; 0: none
let asked = 0; // counts requests for fits and tables; a preview must be of the last one
let choice = 0; // counts the chosen tables, which may be loaded in another order
let shown = false; // a fit is on the page
let fresh = false; // the table has no fit yet; the page shows that of another
let pathDone = false;
let restTimer; // the slider's timer

// ---- choices

let ownSlack = false; // the slider was moved; until then the slack is by the noise of the table

// Small slacks have more space.
const slack = () => (Number($("slack").value) / 100) ** 2;
const chosen = (name) => document.querySelector(`[name=${name}]:checked`).value;
const method = () => chosen("method");

// options are lines of a name, a tab and a value.
function options() {
  const values = {
    method: method(),
    enclosure: $("enclosure").value,
    k: $("k").validity.badInput ? "no number" : $("k").value.trim(),
    slack: ownSlack ? slack() : "",
    standardize: $("standardize").value,
    ...Object.fromEntries(readers.map((id) => [id, $(id).value.trim()])),
    roles,
    ...looks(),
  };
  // The way round and the long form that were found hold also after columns are left out.
  for (const id of ["transpose", "long"]) {
    if (roles && values[id] === "auto") values[id] = columns[id];
  }
  return lines(values);
}

const lines = (values) => Object.entries(values).map((pair) => pair.join("\t")).join("\n");
const readers = ["delimiter", "decimal", "header", "transpose", "long", "words", "missing", "below", "na", "skip", "names"];

// Pictures are drawn as wide as they are shown, so that text keeps its size.
const figureWidth = () => Math.max(Math.floor(document.querySelector("[data-picture=scatter]").getBoundingClientRect().width - 22), 0);
const looks = () => ({
  width: figureWidth(),
  wide: Math.max($("pictures").clientWidth - 22, 0),
  color: chosen("color"),
  zoom: $("global").checked ? "no" : "yes",
});

function showSlack() {
  const percent = slack() * 100;
  const text = percent < 0.01 ? "0 %" : `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
  $("slack-value").textContent = text;
  $("slack").setAttribute("aria-valuetext", `slack ${text}`);
}

function showMethod() {
  $("enclosure-field").hidden = method() !== "global";
  $("known-field").hidden = method() !== "known";
  for (const id of ["k-field", "standardize-field"]) $(id).hidden = method() === "known";
  $("fit").textContent = method() === "known" ? "Compute" : "Fit";
  $("slider").hidden = method() !== "minvol" || !shown;
  $("looks").hidden = !shown;
}

// ---- messages

function say(text) {
  $("status").textContent = text;
}

// lose removes the results, which are of another file than the one that fails.
function lose(text) {
  hideResults();
  fail(text);
}

// fail shows an error and, as buttons, changes of options that may help: a line each with
// a text, an option and its value.
function fail(text, ways = "") {
  $("error").textContent = text;
  $("error").hidden = false;
  const buttons = ways.split("\n").filter(Boolean).map((line) => {
    const [words, option, value] = line.split("\t");
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: words });
    button.addEventListener("click", () => {
      $("reading").open = false; // it was opened by the error
      if (option === "roles") roles = value;
      else $(option).value = value;
      fit();
    });
    return button;
  });
  $("ways").replaceChildren(...buttons);
  $("ways").hidden = buttons.length === 0;
  $("error").scrollIntoView({ block: "nearest" });
}

// outdate dims the results: they are not those of the options any more.
let old = false;
function outdate(now = true) {
  old = now;
  for (const id of ["certificate", "pictures", "details"]) {
    $(id).classList.toggle("outdated", old);
    $(id).setAttribute("aria-busy", String(old));
  }
  showOutdated();
}

// While a fit is under way, progress is shown instead.
function showOutdated() {
  $("outdated").hidden = !old || running > 0 || opening || $("certificate").hidden;
}

function clearError() {
  $("error").hidden = true;
  $("error").textContent = "";
  $("ways").hidden = true;
}

let cancelling = false;
let slowly; // the timer that shows progress after 150 ms
function working(what) {
  cancelling = false;
  clearTimeout(slowly);
  $("cancel").disabled = !what;
  if (!what) {
    $("progress").hidden = true;
    return;
  }
  $("progress-text").textContent = `${what} …`;
  document.querySelector("#progress progress").removeAttribute("value");
  slowly = setTimeout(() => ($("progress").hidden = false), 150);
}

function showProgress(news) {
  $("progress-text").textContent = news.text;
  const bar = document.querySelector("#progress progress");
  if (news.share) bar.value = Number(news.share);
  else bar.removeAttribute("value");
}

// ---- answers

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

// Large pictures are inserted one a frame, so that the page answers in between. Newer
// pictures replace those that are not inserted yet.
let showing = 0;
async function showPictures(parts, stillWanted) {
  const mine = ++showing;
  if (parts.wide) document.querySelector("[data-picture=memberships]").classList.toggle("wide", parts.wide === "yes");
  let drawn = 0;
  for (const figure of document.querySelectorAll("[data-picture]")) {
    const picture = parts[`picture-${figure.dataset.picture}`];
    if (picture === undefined) continue;
    figure.hidden = picture === "";
    figure.innerHTML = picture;
    drawn += picture.length;
    if (drawn < 100_000) continue;
    drawn = 0;
    await nextFrame();
    if (mine !== showing || !stillWanted()) return;
  }
}

function showReport(parts) {
  for (const id of ["verdict", "objective", "floor", "above", "accuracy", "nmi", "proposal"]) {
    if (id in parts) $(id).textContent = parts[id];
  }
  const known = parts.proved === "known";
  for (const id of ["answer", "details"]) showAnswer($(id), parts[id]);
  for (const element of document.querySelectorAll("[data-fitted]")) element.hidden = known;
  $("certificate").hidden = false;
  $("certificate").dataset.proved = parts.proved;
  for (const element of document.querySelectorAll("[data-labels]")) element.hidden = !parts.accuracy;
  for (const element of document.querySelectorAll("[data-clusters]")) element.hidden = parts.clusters !== "yes";
}

// showAnswer shows a part of the answer. What was unfolded stays so.
function showAnswer(place, html) {
  const open = new Set([...place.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent));
  place.innerHTML = html;
  for (const summary of place.querySelectorAll("summary")) summary.parentElement.open = open.has(summary.textContent);
}

// showTable shows a table that was read.
function showTable(parts) {
  $("table").textContent = parts.table;
  $("source").textContent = parts.source ?? "";
  $("standardize").options[0].textContent = parts.standardized ? `auto: ${parts.standardized}` : "auto";
  $("notes").replaceChildren(...(parts.notes ?? "").split("\n").filter(Boolean).map((text) =>
    Object.assign(document.createElement("li"), { textContent: `${text[0].toUpperCase()}${text.slice(1)}.` })));
}

const kinds = [["d", "data"], ["i", "ids"], ["l", "labels"], ["w", "weights"], ["k", "carried along"], ["x", "left out"]];
const mostColumns = 100; // that are listed, besides those that are not data

// showFile shows how a file was read, also if it was read in part.
function showFile(parts) {
  columns = { names: parts.columns ? parts.columns.split("\n") : [], text: parts.text ? parts.text.split("\n") : [], roles: parts.roles, transpose: parts.transpose, long: parts.long };
  $("proposal").textContent = ""; // a fit has another
  $("propose").hidden = true;
  if (!("table" in parts)) showTable({ table: `${parts.file}: not read yet.` });
  $("reading").hidden = false;
  if (parts.ways) $("reading").open = true;
  const auto = { delimiter: columns.names.length > 1 ? parts.delimiter : "", decimal: parts.decimal, header: parts.header, transpose: parts.transpose, long: parts.long };
  for (const [id, found] of Object.entries(auto)) {
    $(id).options[0].textContent = found && found !== "auto" && columns.names.length ? `auto: ${found}` : "auto";
  }
  const listed = columns.names.map((_, j) => j).filter((j) => j < mostColumns || columns.roles[j] !== "d");
  $("columns").replaceChildren(...listed.map(columnItem));
  $("columns-field").hidden = listed.length === 0;
  const more = columns.names.length - listed.length;
  $("more").textContent = more > 0 ? `And ${more} more columns, all data.` : "";
  $("options").disabled = false;
  for (const button of document.querySelectorAll("[data-set]")) {
    button.setAttribute("aria-pressed", String(button.dataset.set === table.set));
  }
}

// columnItem is the check box of a column, and what it is taken for.
function columnItem(j) {
  const role = columns.roles[j];
  const label = Object.assign(document.createElement("label"), { className: "check" });
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: role === "d", indeterminate: role === "t" });
  label.append(box, columns.names[j]);
  const select = document.createElement("select");
  select.setAttribute("aria-label", `${columns.names[j]} is`);
  const isText = columns.text[j] === "yes";
  select.append(...kinds.map(([value, text]) => new Option(value === "d" && isText ? "0 and 1" : text, value)));
  if (role === "t") select.append(new Option("text: choose", "t"));
  select.value = role;
  box.addEventListener("change", () => setRole(j, box.checked ? "d" : "x"));
  select.addEventListener("change", () => setRole(j, select.value));
  const item = document.createElement("li");
  item.append(label, select);
  return item;
}

// setRole takes a column for something else. There is one column of ids, of labels and
// of weights.
function setRole(j, role) {
  roles = [...columns.roles].map((other, i) => (i === j ? role : "ilw".includes(role) && other === role ? "x" : other)).join("");
  columns.roles = roles;
  fit();
}

// hideResults removes the results of another table.
function hideResults() {
  showing++;
  shown = false;
  say("");
  $("certificate").hidden = true;
  $("details").replaceChildren();
  for (const figure of document.querySelectorAll("[data-picture]")) {
    figure.replaceChildren();
    figure.hidden = figure.dataset.picture !== "scatter"; // the place that tells how wide pictures are
  }
  showMethod();
}

// allowSave enables saving, but not while another fit is running or if it failed.
function allowSave() {
  showOutdated();
  $("downloads").disabled = !shown || old || running > 0 || opening;
}

// ---- requests

// begin drops the running request, shows the text `what` as progress, and returns the number of a new request.
function begin(what) {
  asked++;
  moved = false;
  clearTimeout(restTimer);
  clearError();
  outdate();
  drop();
  running = latest;
  working(what);
  allowSave();
  return latest;
}

// drop makes the page wait for no answer.
function drop() {
  latest++;
  running = 0;
  working("");
}

// Tables are read one at a time, the one that was chosen last as the next.
async function open(source) {
  wanted = source;
  if (opening) return;
  opening = true;
  begin("Reading");
  let opened = false;
  while (wanted) {
    const next = wanted;
    wanted = null;
    clearError();
    working("Reading");
    defaults();
    const answer = await client.request("open", { ...next, options: options() }, (news) => !wanted && !cancelling && showProgress(news));
    if (answer.kind === "lost") continue; // handled by lost()
    table = next;
    opened = answer.kind === "done";
    fresh = true;
    if (answer.parts?.file) showFile(answer.parts);
    if (opened) {
      showTable(answer.parts);
      $("k").value = answer.parts.k;
    } else {
      hideResults();
      fail(cancelling ? `Cancelled. ${next.name} has not been read.` : answer.text, answer.parts?.ways);
    }
  }
  opening = false;
  running = 0;
  const stopped = cancelling;
  working("");
  if (opened && stopped) {
    lose("Cancelled. The table has been read, but not fitted.");
  } else if (opened && $("error").hidden) {
    await fit();
    // On a narrow page the results are below all options.
    if (!table.set && matchMedia("(max-width: 60rem)").matches) $("certificate").scrollIntoView();
  }
  allowSave();
}

// defaults sets the options of a new table: no k, no slack, and all that is found out.
function defaults() {
  roles = "";
  ownSlack = false;
  for (const id of ["delimiter", "decimal", "header", "transpose", "long", "standardize"]) $(id).value = "auto";
  for (const id of ["words", "missing", "below"]) $(id).value = "error";
  for (const id of ["na", "skip", "names", "k"]) $(id).value = "";
}

// fit fits the table, or shows it with a model that was saved.
async function fit(model) {
  if (opening || !table && !model) return;
  const fits = $("k").value || method() === "known" ? "Fitting" : "Choosing the number of prototypes";
  const mine = begin(model ? "Reading" : fits);
  pathDone = Boolean(model); // there is no path to a model that was not fitted here
  document.body.dataset.path = "";
  const from = performance.now();
  const all = options();
  const drawnFor = lines(looks());
  const answer = await client.request(model ? "load" : "fit", { ...model, options: all }, (news) => mine === latest && !cancelling && showProgress(news));
  if (mine !== latest) return;
  running = 0;
  working("");
  if (answer.kind !== "done") {
    if (answer.kind === "error") { // the other kind is handled by lost()
      if (answer.parts?.file) showFile(answer.parts);
      fail(answer.text, answer.parts?.ways);
    }
    if (fresh) hideResults();
    allowSave();
    return;
  }
  const took = performance.now() - from;
  if ("file" in answer.parts) showFile(answer.parts); // it was read anew
  if ("table" in answer.parts) showTable(answer.parts);
  outdate(false);
  shown = true;
  fresh = false;
  showReport(answer.parts);
  if (!ownSlack && method() === "minvol") {
    $("slack").value = 100 * Math.sqrt(Number(answer.parts.slack));
    showSlack();
  }
  // A k that is there may be one that the user types.
  if (model || !$("k").value && !$("k").validity.badInput) $("k").value = answer.parts.k ?? "";
  $("time").textContent = `${took < 1000 ? `${took.toFixed(0)} ms` : `${(took / 1000).toFixed(2)} s`}`;
  const proposed = answer.parts.proposed;
  $("propose").hidden = !proposed || proposed === $("k").value;
  $("propose").textContent = `Take ${proposed}`;
  $("propose").value = proposed;
  allowSave();
  showMethod();
  say(`${model ? "The model is shown with this table. " : ""}${answer.parts.verdict}`);
  await showPictures(answer.parts, () => mine === latest);
  if (mine !== latest) return;
  document.body.dataset.fit = String(mine); // for the tests
  if (lines(looks()) !== drawnFor) await redraw(); // changed meanwhile
  if (!answer.cancelled) path();
}

// path compares the fit with fits of halves of the rows, and prepares the slider, while there is nothing else to do.
async function path() {
  if (pathDone || running || !table || method() !== "minvol") return;
  const mine = latest;
  const doubt = await client.request("doubt", {});
  if (mine !== latest) return;
  if (doubt.kind === "done" && doubt.parts.answer) showReport(doubt.parts);
  const answer = await client.request("path", {}, (news) => {
    if (mine === latest) $("path").textContent = `(Preparing: ${news.step}.)`;
  });
  $("path").textContent = "";
  if (mine !== latest) return;
  pathDone = answer.kind === "done" && !answer.cancelled;
  document.body.dataset.path = pathDone ? "done" : "";
}

// preview shows the prototypes for the slider's value. One preview runs at a time, then one
// for the latest value.
let previewing = false;
let moved = false;
async function preview() {
  moved = true;
  if (previewing) return;
  previewing = true;
  while (moved) { // a fit clears moved, because a request would cancel the fit
    moved = false;
    const before = asked;
    const answer = await client.request("preview", { options: options() });
    if (answer.kind === "done" && answer.parts.verdict && before === asked) {
      showReport(answer.parts);
      $("time").textContent = "";
      await showPictures(answer.parts, () => before === asked);
    }
    await nextFrame();
  }
  previewing = false;
}

// know takes a file of known prototypes, and computes the shares in them.
async function know(file) {
  if (!file || opening) return;
  clearError();
  fresh = true;
  library = { name: file.name, file };
  const answer = await client.request("know", library);
  if (answer.kind === "done") await fit();
  else if (answer.kind === "error") lose(answer.text);
}

async function redraw() {
  if (!shown || running) return;
  const mine = latest;
  const answer = await client.request("draw", { options: options() });
  if (answer.kind === "done" && answer.parts.verdict && mine === latest) {
    showReport(answer.parts);
    await showPictures(answer.parts, () => mine === latest);
  }
  path(); // it was interrupted
}

function cancel() {
  if (!running) return;
  cancelling = true;
  $("progress-text").textContent = "Cancelling …";
  client.cancel();
}

let restoring = false;
async function lost(text) {
  drop();
  asked++;
  $("path").textContent = "";
  shown = false;
  if (fresh) hideResults();
  allowSave();
  if (restoring) { // the table would fail again
    table = null;
    $("options").disabled = true;
  }
  const then = table ? "The table is still here; fit again, perhaps with fewer prototypes." : "Choose another table.";
  fail(`The worker was replaced: ${text}. ${then}`);
  if (!table) return;
  restoring = true;
  if (library) await client.request("know", library);
  await client.request("open", { ...table, options: options() });
  restoring = false;
}

async function save(what) {
  const answer = await client.request("save", { what });
  if (answer.kind !== "done") {
    fail(answer.text);
    return;
  }
  const { name, type, text } = answer.parts;
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  say(`${name} is saved.`);
  path(); // it was interrupted
}

// ---- tables

async function openSet(name) {
  const mine = ++choice;
  $("file").value = "";
  clearError();
  try {
    const response = await fetch(new URL(`data/${name}.csv`, import.meta.url));
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    const file = await response.blob();
    if (mine === choice) await open({ name: `${name}.csv`, file, set: name });
  } catch (error) {
    if (mine === choice) lose(`${name} could not be loaded: ${error.message}`);
  }
}

async function openFile(file) {
  if (!file) return;
  const mine = ++choice;
  clearError();
  try {
    const first = await file.slice(0, 1).text();
    if (mine !== choice) return;
    await (first === "{" ? fit : open)({ name: file.name, file, set: "" });
  } catch (error) {
    if (mine === choice) lose(`${file.name} could not be read: ${error.message}`);
  }
}

function listen() {
  for (const button of document.querySelectorAll("[data-set]")) button.addEventListener("click", () => openSet(button.dataset.set));
  for (const button of document.querySelectorAll("[data-save]")) button.addEventListener("click", () => save(button.dataset.save));
  $("file").addEventListener("click", () => ($("file").value = "")); // so that the same file can be read again
  $("file").addEventListener("change", () => openFile($("file").files[0]));
  $("paste").addEventListener("click", () => {
    choice++;
    $("file").value = "";
    open({ name: "pasted table", file: new Blob([$("text").value]), set: "" });
  });
  for (const button of document.querySelectorAll(".cancel")) button.addEventListener("click", cancel);
  $("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    fit();
  });
  $("propose").addEventListener("click", () => {
    $("k").value = $("propose").value;
    fit();
    $("k").focus();
  });
  for (const id of ["standardize", "enclosure", "k", "missing", "below", "na", "skip"]) $(id).addEventListener("change", () => fit());
  for (const id of ["delimiter", "decimal", "header", "transpose", "long", "words", "names"]) {
    $(id).addEventListener("change", () => {
      roles = ""; // the columns may be others
      fit();
    });
  }
  for (const id of ["k", "na", "skip", "names"]) {
    $(id).addEventListener("input", () => outdate());
    $(id).addEventListener("blur", () => old && !running && fit()); // what was typed may be what it was
  }
  $("known").addEventListener("click", () => ($("known").value = ""));
  $("known").addEventListener("change", () => know($("known").files[0]));
  for (const radio of document.querySelectorAll("[name=method]")) {
    radio.addEventListener("change", () => {
      showMethod();
      if (method() === "known" && !library) {
        drop(); // there is nothing to compute yet
        outdate();
        allowSave();
      } else fit();
    });
  }
  $("looks").addEventListener("change", redraw);
  let width = innerWidth;
  let resized;
  addEventListener("resize", () => {
    if (innerWidth === width) return; // a phone's address bar
    width = innerWidth;
    clearTimeout(resized);
    resized = setTimeout(redraw, rest);
  });
  $("slack").addEventListener("input", () => {
    ownSlack = true;
    showSlack();
    if (opening) return;
    drop(); // the running request is for the slider's former place
    $("downloads").disabled = true; // until the fit
    preview();
    clearTimeout(restTimer);
    restTimer = setTimeout(() => fit(), rest);
  });
  // Of the window: beside the page a file would be opened in its place.
  const over = (on) => $("drop").classList.toggle("over", on);
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return; // text may be dropped where it can be typed
    event.preventDefault();
    over(true);
  });
  addEventListener("dragleave", (event) => event.relatedTarget || over(false));
  addEventListener("drop", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    over(false);
    $("file").value = "";
    openFile(event.dataTransfer.files[0]);
  });
}

async function start() {
  listen();
  showSlack();
  showMethod();
  try {
    const program = fetch(new URL("softkmeans.wasm", import.meta.url));
    // Some servers do not know the type of .wasm files.
    const module = await WebAssembly.compileStreaming(program).catch(async () => {
      const response = await fetch(new URL("softkmeans.wasm", import.meta.url));
      if (!response.ok) throw new Error(`softkmeans.wasm: ${response.status} ${response.statusText}`);
      return WebAssembly.compile(await response.arrayBuffer());
    });
    client = new Client(module, lost);
    await client.ready;
  } catch (error) {
    fail(`The program could not be started: ${error.message}`);
    return;
  }
  const took = Math.round(performance.now() - begun);
  document.body.dataset.started = String(took);
  $("started").textContent = `It was ready after ${took} ms.`;
  await openSet("iris");
}

start();
