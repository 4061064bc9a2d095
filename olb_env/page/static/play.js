"use strict";
// Playing: the form of a new game, or the table of one. The server says what may be done; the page only offers it.

const key = location.pathname.startsWith("/game/") ? location.pathname.slice("/game/".length) : null;
let told = null; // the game as it stands
let advice = null;
let advising = false;
let busy = false;
let skipping = false;

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
  for (const [name, help] of Object.entries(setup.options)) {
    const field = make("input", { type: "text", id: `option-${name}`, name: `option-${name}`, "aria-describedby": `help-${name}` });
    $("options").append(make("p", {}, make("label", { for: field.id }, name), field,
      make("br"), make("small", { id: `help-${name}`, class: "note" }, help)));
  }
  $("options").hidden = !Object.keys(setup.options).length;
  const first = $("players").querySelector("input");
  first.checked = true;
  offerSeats(setup, setup.players[0]);
  $("setup").hidden = false;
  $("new").addEventListener("submit", (event) => { event.preventDefault(); begin(setup).catch(complain); });
}

function offerSeats(setup, count) {
  $("seat").replaceChildren(make("option", { value: "random" }, "any"),
    ...Array.from({ length: count }, (_, seat) => make("option", { value: seat }, `seat ${seat}`)));
  const strongest = setup.agents.includes("champion") ? "champion" : setup.agents[0];
  $("opponents").replaceChildren(...Array.from({ length: count - 1 }, (_, at) => {
    const select = make("select", { id: `opponent-${at}` }, ...setup.agents.map((name) => make("option", {}, name)));
    select.value = strongest;
    return make("p", {}, make("label", { for: select.id }, `Opponent ${at + 1}`), select);
  }));
}

async function begin(setup) {
  const form = $("new").elements;
  const options = {};
  for (const name of Object.keys(setup.options)) {
    const text = form[`option-${name}`].value.trim();
    if (text) options[name] = text;
  }
  const seat = $("seat").value;
  const opponents = [...$("opponents").querySelectorAll("select")].map((select) => select.value);
  calm();
  const begun = await ask("/api/games", {
    players: Number(form.players.value), seat: seat === "random" ? seat : Number(seat), opponents, options,
  });
  location.assign(`/game/${begun.key}`);
}

// A table.

async function sitDown() {
  $("table").hidden = false;
  const setup = await ask("/api/setup");
  $("advise").hidden = !setup.advice;
  document.title = `${setup.title} · olb play`;
  show(await ask(`/api/games/${key}`));
}

function show(now) {
  told = now;
  $("table").dataset.after = now.after;
  $("table").setAttribute("aria-busy", "false");
  advice = null;
  drawBoard(now.svg);
  $("question").textContent = now.over ? "The game is over" : document.querySelector("#board svg > title").textContent.replace(/^[^,]*, /, "");
  $("undo").disabled = !now.undo;
  $("save").hidden = $("share").hidden = !now.over;
  $("save").href = `/api/games/${key}/record`;
  $("advise").disabled = now.over;
  listMoves(now.moves);
  listChoices();
  showEnd(now);
  if (advising && !now.over) fetchAdvice();
}

function drawBoard(svg) {
  $("board").innerHTML = svg;
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
  const legal = new Set(told.choices.map((choice) => choice.action));
  for (const place of $("board").querySelectorAll("[data-actions]")) {
    const actions = place.dataset.actions.split("|").filter((action) => legal.has(action));
    if (!actions.length) continue;
    place.classList.add("can");
    place.addEventListener("click", () => {
      if (actions.length === 1) choose(actions[0]);
      else $("choices").querySelector(`[data-action="${actions[0]}"]`).focus();
    });
  }
}

function light(action, lit) {
  for (const place of $("board").querySelectorAll("[data-actions]")) {
    if (place.dataset.actions.split("|").includes(action)) place.classList.toggle("lit", lit);
  }
}

function showEnd(now) {
  $("end").hidden = !now.over;
  if (!now.over) return;
  const { counted, ranks, scores, breakdown } = now.end;
  const seats = ranks.map((_, seat) => seat).sort((one, other) => ranks[one] - ranks[other]);
  const parts = breakdown ? Object.keys(breakdown[0]) : [];
  const head = ["place", counted, ...parts].map((name) => make("th", { scope: "col" }, name.replaceAll("_", " ")));
  const rows = seats.map((seat) => make("tr", seat === now.seat ? { class: "chosen" } : {},
    make("td", {}, `${ranks[seat]}. ${now.names[seat]}`), make("td", {}, String(scores[seat])),
    ...parts.map((part) => make("td", {}, String(breakdown[seat][part])))));
  $("end").replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
  say(`The game is over. You are number ${ranks[now.seat]} of ${seats.length}.`);
}

async function choose(action) {
  await change(() => ask(`/api/games/${key}/move`, { action, after: told.after }));
}

async function change(request) {
  if (busy) return;
  busy = true;
  $("table").setAttribute("aria-busy", "true");
  for (const button of $("choices").querySelectorAll("button")) button.disabled = true;
  const before = told.after;
  calm();
  try {
    const now = await request();
    await watch(before, now);
    busy = false;
    show(now);
    $("question").focus();
  } catch (error) {
    busy = false;
    complain(error);
    show(await ask(`/api/games/${key}`).catch(() => told));
  }
}

async function watch(before, now) {
  const pace = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : Number($("pace").value);
  skipping = false;
  for (let moves = before + 1; moves < now.after && pace && !skipping; moves++) {
    const passed = await ask(`/api/games/${key}/positions/${moves}`);
    drawBoard(passed.svg);
    say(passed.done);
    await wait(pace);
  }
  const others = now.moves.slice(before).filter((move) => move.seat !== now.seat);
  say(others.map((move) => `${now.names[move.seat]}: ${move.action ?? "has decided"}`).join("; "));
}

async function fetchAdvice() {
  const asked = told.after;
  const found = await ask(`/api/games/${key}/advice`).catch(complain);
  if (!found || !advising || told.after !== asked || found.after !== asked) return;
  const focused = document.activeElement?.dataset?.action;
  advice = found;
  listChoices();
  if (focused) $("choices").querySelector(`[data-action="${focused}"]`)?.focus();
}

function toggleAdvice() {
  advising = !advising;
  $("advise").setAttribute("aria-pressed", String(advising));
  if (advising) fetchAdvice();
  else { advice = null; listChoices(); }
}

async function share() {
  const record = await (await fetch(`/api/games/${key}/record`)).text();
  await navigator.clipboard.writeText(record);
  say("The record is copied.");
  $("share").textContent = "Copied";
}

function onKey(event) {
  if (event.key === "Escape") skipping = true;
  if (typing(event) || !told) return;
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
$("undo").addEventListener("click", () => change(() => ask(`/api/games/${key}/undo`, {})));
$("advise").addEventListener("click", toggleAdvice);
$("share").addEventListener("click", () => share().catch(() => complain(new Error("the browser does not allow copying: use Save record"))));
(key === null ? offerSetup() : sitDown()).catch((error) => {
  complain(error);
  if (key !== null) { $("table").hidden = true; $("error").append(" ", make("a", { href: "/", class: "button" }, "New game")); }
});
