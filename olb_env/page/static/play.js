"use strict";
// The page for playing: the form of a new game, or a game. The server decides what is legal; the page only offers it.

const key = location.pathname.startsWith("/game/") ? location.pathname.slice("/game/".length) : null;
let game = null; // the latest snapshot from the server
let advice = null;
let adviceWanted = false;
let busy = false;
let skipping = false; // show the opponents' moves all at once
let skip = () => {}; // ends the wait for the next of them

// A new game.

async function showForm() {
  const setup = await request("/api/setup");
  document.title = `${setup.title} · olb play`;
  document.querySelector("#setup [data-title]").textContent = `${setup.title}: new game`;
  showRulesLinks(setup.rules);
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
  $("new").addEventListener("submit", (event) => { event.preventDefault(); start(setup); });
}

function selectField(id, label, words) {
  return make("p", {}, make("label", { for: id }, label), make("select", { id }, ...words.map((word) => make("option", {}, word))));
}

function optionField(name, { help, default: chosen, words, parts }) { // the server may have a default of its own
  const label = name.replaceAll("_", " ");
  const note = make("small", { id: `help-${name}`, class: "note" }, help);
  if (words === undefined) {
    const field = make("input", { type: "text", id: `option-${name}`, value: chosen ?? "", "aria-describedby": note.id });
    return make("p", {}, make("label", { for: field.id }, label), field, make("br"), note);
  }
  const listed = Object.entries(parts);
  const field = selectField(`option-${name}`, label, listed.length ? [...words, "custom"] : words);
  const select = field.querySelector("select");
  select.value = chosen ?? words[0];
  if (!listed.length) select.setAttribute("aria-describedby", note.id);
  const custom = make("div", { id: `parts-${name}`, class: "parts" },
    ...listed.map(([part, values]) => selectField(`option-${name}-${part}`, part, values)));
  custom.hidden = true;
  select.addEventListener("change", () => { custom.hidden = words.includes(select.value); });
  return make("div", {}, field, custom, ...(listed.length ? [] : [note]));
}

function optionText(name, { words, parts }) {
  const chosen = $(`option-${name}`).value.trim();
  if (words === undefined || words.includes(chosen)) return chosen;
  return Object.keys(parts).map((part) => `${part}=${$(`option-${name}-${part}`).value}`).join(",");
}

function offerSeats(setup, count) {
  const [seat, before] = [$("seat").value, [...$("opponents").querySelectorAll("select")].map((select) => select.value)];
  $("seat").replaceChildren(make("option", { value: "random" }, "random"),
    ...Array.from({ length: count }, (_, number) => make("option", { value: number }, `seat ${number}`)));
  if (seat !== "" && seat !== "random" && Number(seat) < count) $("seat").value = seat;
  const strongest = ["champion", "planner"].find((name) => setup.agents.includes(name)) ?? setup.agents[0];
  $("opponents").replaceChildren(...Array.from({ length: count - 1 }, (_, at) => {
    const field = selectField(`opponent-${at}`, `Opponent ${at + 1}`, setup.agents);
    field.querySelector("select").value = before[at] ?? strongest;
    return field;
  }));
}

async function start(setup) {
  const options = {};
  for (const [name, option] of Object.entries(setup.options)) {
    const text = optionText(name, option);
    if (text) options[name] = text;
  }
  const seat = $("seat").value;
  const opponents = [...$("opponents").querySelectorAll("select")].map((select) => select.value);
  const button = $("new").querySelector("button");
  hideError();
  button.disabled = true;
  try {
    const started = await withWaitingNote(request("/api/games", {
      players: Number($("new").elements.players.value), seat: seat === "random" ? seat : Number(seat), opponents, options,
    }));
    location.assign(`/game/${started.key}`);
  } catch (error) {
    showError(error);
  } finally {
    button.disabled = false;
  }
}

// A game.

async function openGame() {
  const setup = await request("/api/setup");
  $("advice").hidden = setup.adviser === null;
  document.title = `${setup.title} · olb play`;
  showRulesLinks(setup.rules);
  show(await withWaitingNote(request(`/api/games/${key}`)));
  $("table").hidden = false;
}

function show(snapshot) {
  game = snapshot;
  $("table").dataset.revision = game.revision;
  $("table").setAttribute("aria-busy", "false");
  advice = null;
  drawBoard(game.svg);
  $("as-text").textContent = game.text;
  $("situation").textContent = game.situation;
  $("private").hidden = !game.private || game.over;
  $("private").textContent = game.private;
  $("undo").disabled = !game.can_undo;
  $("save").hidden = $("copy").hidden = !game.over;
  $("save").href = `/api/games/${key}/record`;
  $("copy").textContent = "Copy record";
  $("advice").disabled = game.over;
  listMoves();
  listChoices();
  showEnd();
  if (adviceWanted && !game.over) fetchAdvice();
}

function moveText(move) {
  return move.action ?? "has decided"; // in secret
}

function listMoves() {
  const latest = game.moves.map((move) => move.seat).lastIndexOf(game.seat);
  $("moves").replaceChildren(...game.moves.map((move, at) => make("li", at >= latest && latest >= 0 ? { class: "new" } : {},
    seatBadge(move.seat), ` ${game.names[move.seat]}: ${moveText(move)}`)).reverse());
}

function listChoices() {
  const focused = document.activeElement?.dataset?.action;
  $("scale").hidden = advice === null;
  if (advice !== null) $("scale").textContent = valueScale(advice.utilities_by_rank);
  const highest = advice === null ? null : Math.max(...Object.values(advice.choices).map((choice) => choice.probability));
  $("choices").replaceChildren(...game.choices.map((choice, at) => {
    const button = make("button", { type: "button", "data-action": choice.action },
      at < 9 ? make("kbd", { "aria-hidden": "true" }, String(at + 1)) : "", make("b", {}, choice.action));
    if (choice.explanation) button.append(make("small", {}, choice.explanation));
    const opinion = advice === null ? undefined : advice.choices[choice.action];
    if (opinion !== undefined) {
      const filled = make("i");
      filled.style.width = `${100 * opinion.probability}%`;
      button.append(make("small", { class: "opinion" },
        `${advice.adviser}: ${percent(opinion.probability)}, value ${signed(opinion.value)}`),
      make("span", { class: "bar", "aria-hidden": "true" }, filled));
      if (opinion.probability === highest) button.classList.add("best");
    }
    button.disabled = busy;
    button.addEventListener("click", () => choose(choice.action));
    for (const [name, on] of [["mouseenter", true], ["focus", true], ["mouseleave", false], ["blur", false]]) {
      button.addEventListener(name, () => highlight(choice.action, on));
    }
    return button;
  }));
  for (const shape of $("board").querySelectorAll("[data-actions]")) {
    shape.classList.remove("highlighted");
    shape.classList.toggle("legal", legalActions(shape).length > 0);
  }
  if (focused) $("choices").querySelector(`[data-action="${focused}"]`)?.focus();
}

function legalActions(shape) {
  const legal = new Set(game.choices.map((choice) => choice.action));
  return shape.dataset.actions.split("|").filter((action) => legal.has(action));
}

function clickBoard(event) {
  const shape = event.target.closest("[data-actions]");
  if (shape === null || game === null || busy) return;
  const actions = legalActions(shape);
  if (actions.length === 1) choose(actions[0]);
  else if (actions.length) $("choices").querySelector(`[data-action="${actions[0]}"]`).focus();
}

function highlight(action, on) {
  for (const shape of $("board").querySelectorAll("[data-actions]")) {
    if (shape.dataset.actions.split("|").includes(action)) shape.classList.toggle("highlighted", on);
  }
}

function showEnd() {
  $("end").hidden = !game.over;
  if (!game.over) return;
  const { score_title: scoreTitle, ranks, scores, breakdown } = game.end;
  const seats = ranks.map((_, seat) => seat).sort((one, other) => ranks[one] - ranks[other]);
  const own = (seat) => (seat === game.seat ? { class: "own" } : {});
  const row = (name, value) => make("tr", {}, make("th", { scope: "row" }, name),
    ...seats.map((seat) => make("td", own(seat), String(value(seat)))));
  const head = make("tr", {}, make("td"), ...seats.map((seat) => make("th", { scope: "col", ...own(seat) },
    `${ranks[seat]}. `, seatBadge(seat), make("span", { class: "visually-hidden" }, game.names[seat]))));
  $("end").replaceChildren(
    make("p", { class: "note" }, ...seatLegend(seats, game.names)),
    make("table", {}, make("caption", { class: "visually-hidden" }, "Final scores"), make("thead", {}, head),
      make("tbody", {}, ...Object.keys(breakdown[0]).map((part) => row(part, (seat) => breakdown[seat][part]))),
      make("tfoot", {}, row(scoreTitle, (seat) => scores[seat]))));
  announce(`The game is over. Your rank is ${ranks[game.seat]} of ${seats.length}.`);
}

async function choose(action) {
  await change("move", { action });
}

async function change(what, body) {
  if (busy || game === null) return;
  busy = true;
  skipping = false;
  $("table").setAttribute("aria-busy", "true");
  for (const button of $("choices").querySelectorAll("button")) button.disabled = true;
  const [before, revision] = [game.moves.length, game.revision];
  hideError();
  let snapshot = game;
  try {
    snapshot = await withWaitingNote(request(`/api/games/${key}/${what}`, { ...body, revision }));
    await showMoves(before, snapshot);
  } catch (error) {
    showError(error);
    snapshot = await request(`/api/games/${key}`).catch(() => snapshot);
  } finally {
    busy = false;
    show(snapshot);
    $("situation").focus({ preventScroll: true });
  }
}

async function showMoves(before, snapshot) {
  const pace = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : Number($("pace").value);
  for (let moves = before + 1; moves < snapshot.moves.length && pace && !skipping; moves++) {
    const position = await request(`/api/games/${key}/positions/${moves}`);
    drawBoard(position.svg);
    announce(position.last_move);
    await Promise.race([wait(pace), new Promise((resolve) => { skip = resolve; })]);
  }
  const others = snapshot.moves.slice(before).filter((move) => move.seat !== snapshot.seat);
  announce(others.map((move) => `seat ${move.seat}, ${snapshot.names[move.seat]}: ${moveText(move)}`).join("; "));
}

async function fetchAdvice() {
  const { revision } = game;
  const found = await request(`/api/games/${key}/advice`).catch(showError);
  if (!found || !adviceWanted || busy || game.revision !== revision || found.revision !== revision) return;
  advice = found;
  listChoices();
}

function toggleAdvice() {
  if (game === null) return;
  adviceWanted = !adviceWanted;
  $("advice").setAttribute("aria-pressed", String(adviceWanted));
  if (adviceWanted) fetchAdvice();
  else { advice = null; listChoices(); }
}

async function copyRecord() {
  const response = await fetch(`/api/games/${key}/record`);
  if (!response.ok) throw new Error("there is no record to copy");
  await navigator.clipboard.writeText(await response.text());
  announce("The record is copied.");
  $("copy").textContent = "Copied";
}

function onKey(event) {
  if (event.key === "Escape") {
    skipping = true;
    skip();
  }
  if (isTyping(event) || !game) return;
  const vertical = event.key === "ArrowDown" || event.key === "ArrowUp";
  if (event.repeat && !vertical) return; // a key that is held down makes one move
  if (vertical && event.target.closest("#moves, #board")) return; // there it scrolls
  const buttons = [...$("choices").querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  if (/^[1-9]$/.test(event.key) && buttons[Number(event.key) - 1]) buttons[Number(event.key) - 1].click();
  else if (event.key === "ArrowDown" && buttons.length) buttons[(at + 1) % buttons.length].focus();
  else if (event.key === "ArrowUp" && buttons.length) buttons[(at + buttons.length - (at < 0 ? 0 : 1)) % buttons.length].focus();
  else if (event.key === "u" && !$("undo").disabled) $("undo").click();
  else if (event.key === "a" && !$("advice").disabled && !$("advice").hidden) $("advice").click();
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", onKey);
$("board").addEventListener("click", clickBoard);
$("undo").addEventListener("click", () => change("undo", {}));
$("advice").addEventListener("click", toggleAdvice);
$("copy").addEventListener("click", () => copyRecord().catch(() => showError(new Error("the browser does not allow copying: use Save record"))));
(key === null ? showForm() : openGame()).catch((error) => {
  showError(error);
  if (key !== null) $("error").append(" ", make("a", { href: "/", class: "button" }, "New game"));
});
