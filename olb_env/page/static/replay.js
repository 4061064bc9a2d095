"use strict";
// The page for recorded games: step through them, see the choices at each move and what the adviser thinks of them.

let game = null;
let at = 0; // the number of moves before the position shown
let evaluation = null; // of all moves, once it is complete
let playing = null; // the timer of the next move
let positionRequest = 0; // counts requests, so that a late answer to an old one is dropped
let gameRequest = 0;
let hasAdviser = false;
const WIDTH = 360, HEIGHT = 150, MARGIN = 32; // of the chart

async function start() {
  const setup = await request("/api/setup");
  hasAdviser = setup.adviser !== null;
  showRulesLinks(setup.rules);
  document.title = `${setup.title} · olb replay`;
  document.querySelector("[data-title]").textContent = `${setup.title}: replay`;
  const { games, total } = await request("/api/replays");
  $("more").hidden = total <= games.length;
  $("more").textContent = `The list has the first ${counted(games.length, "game")} of ${total}; add #game=${total} to the address to open another.`;
  $("games").append(...games.map(({ number, agents, players }) => {
    return make("option", { value: number }, `${number}: ${agents ? agents.join(", ") : `${players} players`}`);
  }));
  addEventListener("hashchange", () => openAddress(total).catch(showError));
  await openAddress(total);
}

function openAddress(total) {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const read = (name, least, most) => {
    const value = Math.trunc(Number(parameters.get(name) ?? least));
    return value >= least && value <= most ? value : least;
  };
  return openGame(read("game", 1, total), read("move", 0, Infinity));
}

async function openGame(number, moves) {
  pause();
  const id = ++gameRequest;
  const found = await request(`/api/replays/${number}`);
  if (id !== gameRequest) return;
  game = found;
  evaluation = null;
  if (![...$("games").options].some((option) => option.value === String(number))) {
    $("games").append(make("option", { value: number }, String(number)));
  }
  $("games").value = number;
  $("save").href = `/api/replays/${number}/record`;
  $("move").max = game.moves.length;
  const rounds = [...new Set(game.moves.map((move) => move.round))].filter((round) => round !== null);
  $("round").replaceChildren(...rounds.map((round) => make("option", { value: round }, String(round))));
  $("round").disabled = !rounds.length;
  $("legend").replaceChildren(...seatLegend(game.names.keys(), game.names));
  $("chart").replaceChildren();
  $("blunders").replaceChildren();
  $("evaluation").hidden = !hasAdviser;
  await go(moves);
  if (hasAdviser) evaluate(number, id).catch(showError);
  else $("progress").textContent = "There is no adviser to evaluate the moves.";
}

async function go(moves) {
  at = Math.max(0, Math.min(moves, game.moves.length));
  const id = ++positionRequest;
  const position = await request(`/api/replays/${game.number}/positions/${at}`);
  if (id !== positionRequest) return;
  hideError();
  drawBoard(position.svg);
  $("move").value = at;
  $("place").textContent = `move ${at} of ${game.moves.length}`;
  const round = (game.moves[at] ?? game.moves.at(-1))?.round;
  if (round !== null && round !== undefined) $("round").value = round;
  history.replaceState(null, "", `#game=${game.number}&move=${at}`);
  showChoices(position);
  drawChart();
  announce(position.last_move);
}

function showChoices(position) {
  const move = game.moves[at];
  $("situation").textContent = move !== undefined ? "" : game.over ? "The game is over" : "The record ends here";
  if (move !== undefined) $("situation").append(seatBadge(move.seat), ` ${game.names[move.seat]} chose ${position.chosen}`);
  if (position.verdict) $("situation").append(" ", make("span", { class: "blunder" }, position.verdict));
  const evaluated = position.choices.some((choice) => "value" in choice);
  const caption = $("choices").querySelector("caption");
  const titles = ["choice", ...(evaluated ? ["probability", "value"] : [])];
  const head = make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title)));
  const rows = position.choices.map((choice) => {
    const cell = make("td", {}, choice.action);
    if (choice.explanation) cell.append(make("br"), make("small", { class: "note" }, choice.explanation));
    const row = make("tr", choice.action === position.chosen ? { class: "chosen" } : {}, cell);
    if (evaluated) row.append(make("td", {}, percent(choice.probability)), make("td", {}, signed(choice.value)));
    return row;
  });
  $("choices").replaceChildren(caption, make("thead", {}, ...(rows.length ? [head] : [])), make("tbody", {}, ...rows));
}

async function evaluate(number, id) {
  const found = { values: [], verdicts: [] };
  for (let done = false; !done;) {
    const share = Math.round(100 * found.verdicts.length / Math.max(1, game.moves.length));
    $("progress").textContent = `Evaluating the moves: ${share}%`;
    let part;
    try {
      part = await request(`/api/replays/${number}/evaluations/${found.verdicts.length}`);
    } catch (error) {
      if (id === gameRequest) $("progress").textContent = error.message;
      return;
    }
    if (id !== gameRequest) return;
    found.values.push(...part.values);
    found.verdicts.push(...part.verdicts);
    ({ adviser: found.adviser, utilities_by_rank: found.utilities, done } = part);
  }
  evaluation = found;
  const bad = found.verdicts.map((verdict, move) => ({ ...verdict, move })).filter((verdict) => verdict.verdict);
  const blunders = bad.filter((verdict) => verdict.verdict === "blunder").length;
  $("progress").textContent = `${found.adviser} finds ${counted(blunders, "blunder")} and ${counted(bad.length - blunders, "mistake")}. `
    + valueScale(found.utilities);
  bad.sort((one, other) => other.loss - one.loss);
  $("blunders").replaceChildren(...bad.slice(0, 12).map(({ move, verdict, loss }) => {
    const { action, seat } = game.moves[move];
    const link = make("button", { type: "button" }, `move ${move + 1}: ${action}`);
    link.addEventListener("click", () => go(move).catch(showError));
    return make("li", {}, seatBadge(seat), " ", link, ` ${verdict}, loses ${loss.toFixed(2)}`);
  }));
  drawChart();
}

function drawChart() {
  if (evaluation === null || !evaluation.values.length) return;
  const { values, verdicts, utilities } = evaluation;
  const draw = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const x = (move) => MARGIN + (WIDTH - MARGIN - 8) * move / Math.max(1, game.moves.length);
  const lowest = utilities.at(-1);
  const y = (value) => 8 + (HEIGHT - 16) * (1 - Math.max(value, lowest)) / (1 - lowest);
  const chart = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-labelledby": "chart-title" });
  for (const value of utilities) {
    chart.append(draw("line", { x1: MARGIN, x2: WIDTH - 8, y1: y(value), y2: y(value), style: "stroke:var(--line)" }),
      draw("text", { x: MARGIN - 4, y: y(value) + 4, "font-size": 10, "text-anchor": "end", style: "fill:var(--faint)" }, signed(value)));
  }
  const dashes = ["", "6 3", "2 3", "8 3 2 3", "1 2", "10 4"];
  for (let seat = 0; seat < game.players; seat++) {
    const points = values.map((row, move) => `${x(move).toFixed(1)},${y(row[seat]).toFixed(1)}`).join(" ");
    chart.append(draw("polyline", { points, fill: "none", style: `stroke:var(--seat-${seat})`, "stroke-width": 1.8, "stroke-dasharray": dashes[seat] }));
    const end = values.at(-1)[seat];
    chart.append(draw("text", { x: WIDTH - 8, y: y(end) + (end > 0 ? 10 : -3), "font-size": 10, "text-anchor": "end", "font-weight": 700, style: `fill:var(--seat-${seat})` }, String(seat)));
  }
  verdicts.forEach((verdict, move) => {
    if (!verdict.verdict) return;
    const { seat } = game.moves[move];
    chart.append(draw("circle", { cx: x(move), cy: y(values[move][seat]), r: verdict.verdict === "blunder" ? 4.5 : 3, style: `fill:var(--seat-${seat})`, stroke: "#fff", class: verdict.verdict }));
  });
  chart.append(draw("line", { x1: x(at), x2: x(at), y1: 4, y2: HEIGHT - 4, style: "stroke:var(--ink)", "stroke-dasharray": "3 2" }));
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const place = ((event.clientX - box.left) * WIDTH / box.width - MARGIN) / (WIDTH - MARGIN - 8);
    go(Math.round(place * game.moves.length)).catch(showError);
  });
  $("chart").replaceChildren(chart);
}

function jumpRound(step) {
  const now = (game.moves[at] ?? game.moves.at(-1))?.round;
  const rounds = [...new Set(game.moves.map((move) => move.round))];
  const next = rounds[rounds.indexOf(now) + step];
  if (next !== undefined) return go(game.moves.findIndex((move) => move.round === next));
  return go(step > 0 ? game.moves.length : 0);
}

function pause() {
  clearTimeout(playing);
  playing = null;
  $("play").setAttribute("aria-pressed", "false");
}

async function playNext() {
  const timer = playing;
  await go(at + 1).catch((error) => { showError(error); pause(); });
  if (at >= game.moves.length) pause();
  if (playing === timer && playing !== null) playing = setTimeout(playNext, 700);
}

function togglePlay() {
  if (playing !== null) { pause(); return; }
  $("play").setAttribute("aria-pressed", "true");
  if (at >= game.moves.length) at = -1; // again from the beginning
  playing = setTimeout(playNext, 0);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || ["SELECT", "BUTTON"].includes(event.target.tagName) && event.key === " ") return;
  if (event.target.tagName === "SELECT") return;
  if (event.target.closest("#board") && overflowing($("board")) && event.key.startsWith("Arrow")) return; // there it scrolls
  const steps = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(game.moves.length),
    PageUp: () => jumpRound(-1), PageDown: () => jumpRound(1), " ": togglePlay };
  if (!(event.key in steps) || game === null) return;
  event.preventDefault();
  if (event.key !== " ") pause();
  Promise.resolve(steps[event.key]()).catch(showError);
}

const step = (act) => () => { pause(); Promise.resolve(act()).catch(showError); };
$("first").addEventListener("click", step(() => go(0)));
$("back").addEventListener("click", step(() => go(at - 1)));
$("next").addEventListener("click", step(() => go(at + 1)));
$("last").addEventListener("click", step(() => go(game.moves.length)));
$("play").addEventListener("click", togglePlay);
$("move").addEventListener("input", step(() => go(Number($("move").value))));
$("round").addEventListener("change", step(() => go(game.moves.findIndex((move) => String(move.round) === $("round").value))));
$("games").addEventListener("change", step(() => openGame(Number($("games").value), 0)));
document.addEventListener("keydown", onKey);
start().catch(showError);
