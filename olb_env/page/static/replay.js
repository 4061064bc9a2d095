"use strict";
// Recorded games: step, play, jump; what else could have been done, and what the critic expected all along.

let shown = null; // the game
let at = 0; // moves made
let judged = null;
let playing = null;
let asking = 0; // so that answers that come late are dropped
let opening = 0;
let critic = false; // whether anybody can be asked for opinions
const WIDTH = 360, HEIGHT = 150, EDGE = 32;

async function start() {
  const setup = await ask("/api/setup");
  critic = setup.advice;
  document.title = `${setup.title} · olb replay`;
  document.querySelector("[data-title]").textContent = `${setup.title}: replay`;
  const { games, of } = await ask("/api/replays");
  $("more").hidden = of <= games.length;
  $("more").textContent = `The first ${games.length} of ${of} games are listed; #game=${of} in the address opens any.`;
  $("games").append(...games.map((game) => {
    const who = game.agents ? game.agents.join(", ") : `${game.players} players`;
    return make("option", { value: game.number }, `${game.number}: ${who}`);
  }));
  addEventListener("hashchange", () => openAddress(of).catch(complain));
  await openAddress(of);
}

function openAddress(of) {
  const asked = new URLSearchParams(location.hash.slice(1));
  const whole = (name, least, most) => {
    const value = Math.trunc(Number(asked.get(name) ?? least));
    return value >= least && value <= most ? value : least;
  };
  return open(whole("game", 1, of), whole("move", 0, Infinity));
}

async function open(number, moves) {
  pause();
  const mine = ++opening;
  const found = await ask(`/api/replays/${number}`);
  if (mine !== opening) return;
  shown = found;
  judged = null;
  if (![...$("games").options].some((option) => option.value === String(number))) {
    $("games").append(make("option", { value: number }, String(number)));
  }
  $("games").value = number;
  $("save").href = `/api/replays/${number}/record`;
  $("move").max = shown.moves.length;
  const rounds = [...new Set(shown.moves.map((move) => move.round))].filter((round) => round !== null);
  $("round").replaceChildren(...rounds.map((round) => make("option", { value: round }, String(round))));
  $("round").disabled = !rounds.length;
  $("legend").replaceChildren(...seatLegend(shown.names.keys(), shown.names));
  $("chart").replaceChildren();
  $("blunders").replaceChildren();
  $("judged").hidden = !critic;
  await go(moves);
  if (critic) judge(number, mine).catch(complain);
  else $("judging").textContent = "Nobody was asked what to think of the moves.";
}

async function go(moves) {
  at = Math.max(0, Math.min(moves, shown.moves.length));
  const mine = ++asking;
  const now = await ask(`/api/replays/${shown.number}/positions/${at}`);
  if (mine !== asking) return;
  calm();
  drawBoard(now.svg);
  $("move").value = at;
  $("where").textContent = `move ${at} of ${shown.moves.length}`;
  const round = (shown.moves[at] ?? shown.moves.at(-1))?.round;
  if (round !== null && round !== undefined) $("round").value = round;
  history.replaceState(null, "", `#game=${shown.number}&move=${at}`);
  showChoices(now);
  drawChart();
  say(now.done);
}

function showChoices(now) {
  const mover = shown.moves[at];
  $("question").textContent = mover !== undefined ? "" : shown.over ? "The end" : "Here the record stops";
  if (mover !== undefined) $("question").append(seatBadge(mover.seat), ` ${shown.names[mover.seat]} chose ${now.chosen}`);
  if (now.verdict) $("question").append(" ", make("span", { class: "blunder" }, now.verdict));
  const thoughts = now.choices.some((choice) => "likely" in choice);
  const caption = $("choices").querySelector("caption");
  const head = make("tr", {}, ...["choice", ...(thoughts ? ["likely", "expected"] : [])].map((name) => make("th", { scope: "col" }, name)));
  const rows = now.choices.map((choice) => {
    const words = make("td", {}, choice.action);
    if (choice.words) words.append(make("br"), make("small", { class: "note" }, choice.words));
    const row = make("tr", choice.action === now.chosen ? { class: "chosen" } : {}, words);
    if (thoughts) row.append(make("td", {}, percent(choice.likely)), make("td", {}, signed(choice.expected)));
    return row;
  });
  $("choices").replaceChildren(caption, make("thead", {}, ...(rows.length ? [head] : [])), make("tbody", {}, ...rows));
}

async function judge(number, mine) {
  const found = { expected: [], verdicts: [] };
  for (let done = false; !done;) {
    const share = Math.round(100 * found.verdicts.length / Math.max(1, shown.moves.length));
    $("judging").textContent = `The critic thinks about every move: ${share}%`;
    let part;
    try {
      part = await ask(`/api/replays/${number}/judged/${found.verdicts.length}`);
    } catch (error) {
      if (mine === opening) $("judging").textContent = error.message;
      return;
    }
    if (mine !== opening) return;
    found.expected.push(...part.expected);
    found.verdicts.push(...part.verdicts);
    ({ by: found.by, results: found.results, done } = part);
  }
  judged = found;
  const bad = found.verdicts.map((verdict, move) => ({ ...verdict, move })).filter((verdict) => verdict.verdict);
  const blunders = bad.filter((verdict) => verdict.verdict === "blunder").length;
  $("judging").textContent = `${found.by} finds ${blunders} blunders and ${bad.length - blunders} mistakes. `
    + resultWords(found.results);
  bad.sort((one, other) => other.loss - one.loss);
  $("blunders").replaceChildren(...bad.slice(0, 12).map(({ move, verdict, loss }) => {
    const made = shown.moves[move];
    const link = make("button", { type: "button" }, `move ${move + 1}: ${made.action}`);
    link.addEventListener("click", () => go(move).catch(complain));
    return make("li", {}, seatBadge(made.seat), " ", link, ` ${verdict}, costs ${loss.toFixed(2)}`);
  }));
  drawChart();
}

function drawChart() {
  if (judged === null || !judged.expected.length) return;
  const space = "http://www.w3.org/2000/svg";
  const draw = (tag, attributes, text) => {
    const made = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const x = (move) => EDGE + (WIDTH - EDGE - 8) * move / Math.max(1, shown.moves.length);
  const lowest = judged.results.at(-1);
  const y = (value) => 8 + (HEIGHT - 16) * (1 - Math.max(value, lowest)) / (1 - lowest);
  const chart = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-labelledby": "charted" });
  for (const value of judged.results) {
    chart.append(draw("line", { x1: EDGE, x2: WIDTH - 8, y1: y(value), y2: y(value), style: "stroke:var(--line)" }),
      draw("text", { x: EDGE - 4, y: y(value) + 4, "font-size": 10, "text-anchor": "end", style: "fill:var(--faint)" }, signed(value)));
  }
  const dashes = ["", "6 3", "2 3", "8 3 2 3", "1 2", "10 4"];
  for (let seat = 0; seat < shown.players; seat++) {
    const points = judged.expected.map((row, move) => `${x(move).toFixed(1)},${y(row[seat]).toFixed(1)}`).join(" ");
    chart.append(draw("polyline", { points, fill: "none", style: `stroke:var(--seat-${seat})`, "stroke-width": 1.8, "stroke-dasharray": dashes[seat] }));
    const end = judged.expected.at(-1)[seat];
    chart.append(draw("text", { x: WIDTH - 8, y: y(end) + (end > 0 ? 10 : -3), "font-size": 10, "text-anchor": "end", "font-weight": 700, style: `fill:var(--seat-${seat})` }, String(seat)));
  }
  judged.verdicts.forEach((verdict, move) => {
    if (!verdict.verdict) return;
    const { seat } = shown.moves[move];
    chart.append(draw("circle", { cx: x(move), cy: y(judged.expected[move][seat]), r: verdict.verdict === "blunder" ? 4.5 : 3, style: `fill:var(--seat-${seat})`, stroke: "#fff", class: verdict.verdict }));
  });
  chart.append(draw("line", { x1: x(at), x2: x(at), y1: 4, y2: HEIGHT - 4, style: "stroke:var(--ink)", "stroke-dasharray": "3 2" }));
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const place = ((event.clientX - box.left) * WIDTH / box.width - EDGE) / (WIDTH - EDGE - 8);
    go(Math.round(place * shown.moves.length)).catch(complain);
  });
  $("chart").replaceChildren(chart);
}

function jumpRound(step) {
  const now = (shown.moves[at] ?? shown.moves.at(-1))?.round;
  const rounds = [...new Set(shown.moves.map((move) => move.round))];
  const next = rounds[rounds.indexOf(now) + step];
  if (next !== undefined) return go(shown.moves.findIndex((move) => move.round === next));
  return go(step > 0 ? shown.moves.length : 0);
}

function pause() {
  clearTimeout(playing);
  playing = null;
  $("play").setAttribute("aria-pressed", "false");
}

async function playOn() {
  const mine = playing;
  await go(at + 1).catch((error) => { complain(error); pause(); });
  if (at >= shown.moves.length) pause();
  if (playing === mine && playing !== null) playing = setTimeout(playOn, 700);
}

function togglePlay() {
  if (playing !== null) { pause(); return; }
  $("play").setAttribute("aria-pressed", "true");
  if (at >= shown.moves.length) at = -1; // once more from the beginning
  playing = setTimeout(playOn, 0);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || ["SELECT", "BUTTON"].includes(event.target.tagName) && event.key === " ") return;
  if (event.target.tagName === "SELECT") return;
  if (event.target.closest("#board") && overflowing($("board")) && event.key.startsWith("Arrow")) return; // there it scrolls
  const steps = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(shown.moves.length),
    PageUp: () => jumpRound(-1), PageDown: () => jumpRound(1), " ": togglePlay };
  if (!(event.key in steps) || shown === null) return;
  event.preventDefault();
  if (event.key !== " ") pause();
  Promise.resolve(steps[event.key]()).catch(complain);
}

const step = (act) => () => { pause(); Promise.resolve(act()).catch(complain); };
$("first").addEventListener("click", step(() => go(0)));
$("back").addEventListener("click", step(() => go(at - 1)));
$("on").addEventListener("click", step(() => go(at + 1)));
$("last").addEventListener("click", step(() => go(shown.moves.length)));
$("play").addEventListener("click", togglePlay);
$("move").addEventListener("input", step(() => go(Number($("move").value))));
$("round").addEventListener("change", step(() => go(shown.moves.findIndex((move) => String(move.round) === $("round").value))));
$("games").addEventListener("change", step(() => open(Number($("games").value), 0)));
document.addEventListener("keydown", onKey);
start().catch(complain);
