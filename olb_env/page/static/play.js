"use strict";
// Playing: the form of a new game, or the table of one. The server says what may be done; the page only offers it.

const key = location.pathname.startsWith("/game/") ? location.pathname.slice("/game/".length) : null;
let told = null; // the game as it stands
let advice = null;
let advising = false;
let busy = false;
let skipping = false; // all moves of the others at once
let skip = () => {}; // ends the wait for the next of them

// A new game.

async function offerSetup() {
  const setup = await ask("/api/setup");
  document.title = `${setup.title} · olb play`;
  document.querySelector("#setup [data-title]").textContent = `${setup.title}: a new game`;
  for (const count of setup.players) {
    const radio = make("input", { type: "radio", name: "players", value: count, id: `players-${count}` });
    radio.addEventListener("change", () => offerSeats(setup, count));
    $("players").append(radio, make("label", { for: radio.id }, String(count)));
  }
  for (const [name, option] of Object.entries(setup.options)) $("options").append(optionField(name, option));
  $("options").hidden = !Object.keys(setup.options).length;
  const first = $("players").querySelector("input");
  first.checked = true;
  offerSeats(setup, setup.players[0]);
  $("setup").hidden = false;
  $("new").addEventListener("submit", (event) => { event.preventDefault(); begin(setup); });
}

function choiceOf(id, label, words) {
  return make("p", {}, make("label", { for: id }, label), make("select", { id }, ...words.map((word) => make("option", {}, word))));
}

function optionField(name, { help, words, parts }) {
  const label = name.replaceAll("_", " ");
  const note = make("small", { id: `help-${name}`, class: "note" }, help);
  if (words === undefined) {
    const field = make("input", { type: "text", id: `option-${name}`, "aria-describedby": note.id });
    return make("p", {}, make("label", { for: field.id }, label), field, make("br"), note);
  }
  const listed = Object.entries(parts);
  const field = choiceOf(`option-${name}`, label, listed.length ? [...words, "chosen one by one"] : words);
  const select = field.querySelector("select");
  if (!listed.length) select.setAttribute("aria-describedby", note.id);
  const inside = make("div", { id: `parts-${name}`, class: "parts" },
    ...listed.map(([part, values]) => choiceOf(`option-${name}-${part}`, part, values)));
  inside.hidden = true;
  select.addEventListener("change", () => { inside.hidden = words.includes(select.value); });
  return make("div", {}, field, inside, ...(listed.length ? [] : [note]));
}

function optionText(name, { words, parts }) {
  const chosen = $(`option-${name}`).value.trim();
  if (words === undefined || words.includes(chosen)) return chosen;
  return Object.keys(parts).map((part) => `${part}=${$(`option-${name}-${part}`).value}`).join(",");
}

function offerSeats(setup, count) {
  const [seat, before] = [$("seat").value, [...$("opponents").querySelectorAll("select")].map((select) => select.value)];
  $("seat").replaceChildren(make("option", { value: "random" }, "any"),
    ...Array.from({ length: count }, (_, number) => make("option", { value: number }, `seat ${number}`)));
  if (seat !== "" && seat !== "random" && Number(seat) < count) $("seat").value = seat;
  const strongest = ["champion", "planner"].find((name) => setup.agents.includes(name)) ?? setup.agents[0];
  $("opponents").replaceChildren(...Array.from({ length: count - 1 }, (_, at) => {
    const field = choiceOf(`opponent-${at}`, `Opponent ${at + 1}`, setup.agents);
    field.querySelector("select").value = before[at] ?? strongest;
    return field;
  }));
}

async function begin(setup) {
  const options = {};
  for (const [name, option] of Object.entries(setup.options)) {
    const text = optionText(name, option);
    if (text) options[name] = text;
  }
  const seat = $("seat").value;
  const opponents = [...$("opponents").querySelectorAll("select")].map((select) => select.value);
  const button = $("new").querySelector("button");
  calm();
  button.disabled = true;
  try {
    const begun = await patiently(ask("/api/games", {
      players: Number($("new").elements.players.value), seat: seat === "random" ? seat : Number(seat), opponents, options,
    }));
    location.assign(`/game/${begun.key}`);
  } catch (error) {
    complain(error);
  } finally {
    button.disabled = false;
  }
}

// A table.

async function sitDown() {
  const setup = await ask("/api/setup");
  $("advise").hidden = !setup.advice;
  document.title = `${setup.title} · olb play`;
  show(await patiently(ask(`/api/games/${key}`)));
  $("table").hidden = false;
}

function show(now) {
  told = now;
  $("table").dataset.revision = now.revision;
  $("table").setAttribute("aria-busy", "false");
  advice = null;
  drawBoard(now.svg);
  $("as-text").textContent = now.text;
  $("question").textContent = now.question;
  $("private").hidden = !now.private || now.over;
  $("private").textContent = now.private;
  $("undo").disabled = !now.undo;
  $("save").hidden = $("share").hidden = !now.over;
  $("save").href = `/api/games/${key}/record`;
  $("share").textContent = "Copy record";
  $("advise").disabled = now.over;
  listMoves(now.moves);
  listChoices();
  showEnd(now);
  if (advising && !now.over) fetchAdvice();
}

function listMoves(moves) {
  const since = moves.map((move) => move.seat).lastIndexOf(told.seat);
  $("moves").replaceChildren(...moves.map((move, at) => {
    const words = move.action === null ? "has decided" : move.action;
    return make("li", at >= since && since >= 0 ? { class: "new" } : {},
      seatBadge(move.seat), ` ${told.names[move.seat]}: ${words}`);
  }).reverse());
}

function listChoices() {
  const focused = document.activeElement?.dataset?.action;
  $("scale").hidden = advice === null;
  if (advice !== null) $("scale").textContent = resultWords(advice.results);
  const best = advice === null ? null : Math.max(...Object.values(advice.choices).map((choice) => choice.likely));
  $("choices").replaceChildren(...told.choices.map((choice, at) => {
    const button = make("button", { type: "button", "data-action": choice.action },
      at < 9 ? make("kbd", { "aria-hidden": "true" }, String(at + 1)) : "", make("b", {}, choice.action));
    if (choice.words) button.append(make("small", {}, choice.words));
    const thought = advice === null ? undefined : advice.choices[choice.action];
    if (thought !== undefined) {
      const filled = make("i");
      filled.style.width = `${100 * thought.likely}%`;
      button.append(make("small", { class: "thought" },
        `${advice.by}: ${percent(thought.likely)}, expects ${signed(thought.expected)}`),
      make("span", { class: "bar", "aria-hidden": "true" }, filled));
      if (thought.likely === best) button.classList.add("best");
    }
    button.disabled = busy;
    button.addEventListener("click", () => choose(choice.action));
    for (const [name, lit] of [["mouseenter", true], ["focus", true], ["mouseleave", false], ["blur", false]]) {
      button.addEventListener(name, () => light(choice.action, lit));
    }
    return button;
  }));
  for (const place of $("board").querySelectorAll("[data-actions]")) {
    place.classList.remove("lit");
    place.classList.toggle("can", choicesAt(place).length > 0);
  }
  if (focused) $("choices").querySelector(`[data-action="${focused}"]`)?.focus();
}

function choicesAt(place) {
  const legal = new Set(told.choices.map((choice) => choice.action));
  return place.dataset.actions.split("|").filter((action) => legal.has(action));
}

function clickBoard(event) {
  const place = event.target.closest("[data-actions]");
  if (place === null || told === null || busy) return;
  const actions = choicesAt(place);
  if (actions.length === 1) choose(actions[0]);
  else if (actions.length) $("choices").querySelector(`[data-action="${actions[0]}"]`).focus();
}

function light(action, lit) {
  for (const place of $("board").querySelectorAll("[data-actions]")) {
    if (place.dataset.actions.split("|").includes(action)) place.classList.toggle("lit", lit);
  }
}

function showEnd(now) {
  $("end").hidden = !now.over;
  if (!now.over) return;
  const { counted, ranks, scores, account } = now.end;
  const seats = ranks.map((_, seat) => seat).sort((one, other) => ranks[one] - ranks[other]);
  const mine = (seat) => (seat === now.seat ? { class: "mine" } : {});
  const row = (name, value) => make("tr", {}, make("th", { scope: "row" }, name),
    ...seats.map((seat) => make("td", mine(seat), String(value(seat)))));
  const head = make("tr", {}, make("td"), ...seats.map((seat) => make("th", { scope: "col", ...mine(seat) },
    `${ranks[seat]}. `, seatBadge(seat), make("span", { class: "unseen" }, now.names[seat]))));
  $("end").replaceChildren(
    make("p", { class: "note" }, ...seatLegend(seats, now.names)),
    make("table", {}, make("caption", { class: "unseen" }, "How the game ended"), make("thead", {}, head),
      make("tbody", {}, ...Object.keys(account[0]).map((part) => row(part, (seat) => account[seat][part]))),
      make("tfoot", {}, row(counted, (seat) => scores[seat]))));
  say(`The game is over. You are number ${ranks[now.seat]} of ${seats.length}.`);
}

async function choose(action) {
  await change("move", { action });
}

async function change(what, asked) {
  if (busy || told === null) return;
  busy = true;
  skipping = false;
  $("table").setAttribute("aria-busy", "true");
  for (const button of $("choices").querySelectorAll("button")) button.disabled = true;
  const [before, revision] = [told.moves.length, told.revision];
  calm();
  let now = told;
  try {
    now = await patiently(ask(`/api/games/${key}/${what}`, { ...asked, revision }));
    await watch(before, now);
  } catch (error) {
    complain(error);
    now = await ask(`/api/games/${key}`).catch(() => now);
  } finally {
    busy = false;
    show(now);
    $("question").focus({ preventScroll: true });
  }
}

async function watch(before, now) {
  const pace = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : Number($("pace").value);
  for (let moves = before + 1; moves < now.moves.length && pace && !skipping; moves++) {
    const passed = await ask(`/api/games/${key}/positions/${moves}`);
    drawBoard(passed.svg);
    say(passed.done);
    await Promise.race([wait(pace), new Promise((resolve) => { skip = resolve; })]);
  }
  const others = now.moves.slice(before).filter((move) => move.seat !== now.seat);
  say(others.map((move) => `seat ${move.seat}, ${now.names[move.seat]}: ${move.action ?? "has decided"}`).join("; "));
}

async function fetchAdvice() {
  const asked = told.revision;
  const found = await ask(`/api/games/${key}/advice`).catch(complain);
  if (!found || !advising || busy || told.revision !== asked || found.revision !== asked) return;
  advice = found;
  listChoices();
}

function toggleAdvice() {
  if (told === null) return;
  advising = !advising;
  $("advise").setAttribute("aria-pressed", String(advising));
  if (advising) fetchAdvice();
  else { advice = null; listChoices(); }
}

async function share() {
  const answer = await fetch(`/api/games/${key}/record`);
  if (!answer.ok) throw new Error("there is no record to copy");
  await navigator.clipboard.writeText(await answer.text());
  say("The record is copied.");
  $("share").textContent = "Copied";
}

function onKey(event) {
  if (event.key === "Escape") {
    skipping = true;
    skip();
  }
  if (typing(event) || !told) return;
  const walking = event.key === "ArrowDown" || event.key === "ArrowUp";
  if (event.repeat && !walking) return; // a key that is held down answers one question
  if (walking && event.target.closest("#moves, #board")) return; // there it scrolls
  const buttons = [...$("choices").querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  if (/^[1-9]$/.test(event.key) && buttons[Number(event.key) - 1]) buttons[Number(event.key) - 1].click();
  else if (event.key === "ArrowDown" && buttons.length) buttons[(at + 1) % buttons.length].focus();
  else if (event.key === "ArrowUp" && buttons.length) buttons[(at + buttons.length - (at < 0 ? 0 : 1)) % buttons.length].focus();
  else if (event.key === "u" && !$("undo").disabled) $("undo").click();
  else if (event.key === "a" && !$("advise").disabled && !$("advise").hidden) $("advise").click();
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", onKey);
$("board").addEventListener("click", clickBoard);
$("undo").addEventListener("click", () => change("undo", {}));
$("advise").addEventListener("click", toggleAdvice);
$("share").addEventListener("click", () => share().catch(() => complain(new Error("the browser does not allow copying: use Save record"))));
(key === null ? offerSetup() : sitDown()).catch((error) => {
  complain(error);
  if (key !== null) $("error").append(" ", make("a", { href: "/", class: "button" }, "New game"));
});
