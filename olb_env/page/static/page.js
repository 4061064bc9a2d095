"use strict";
// What both pages share: asking the server, saying what went wrong, small pieces of the page.

const $ = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  };
  let answer, told;
  try {
    answer = await fetch(path, options);
    told = await answer.json();
  } catch {
    throw new Error("the server does not answer: is olb still running?");
  }
  if (!answer.ok) throw new Error(told.error);
  return told;
}

async function patiently(asked) {
  const hint = setTimeout(() => { $("waiting").hidden = false; }, 2500);
  try {
    return await asked;
  } finally {
    clearTimeout(hint);
    $("waiting").hidden = true;
  }
}

function complain(error) {
  $("error").textContent = error.message;
  $("error").hidden = false;
}

function calm() {
  $("error").hidden = true;
}

function say(words) {
  $("spoken").textContent = words;
}

function seatBadge(seat) {
  const badge = make("span", { class: "seat" }, String(seat));
  badge.style.background = `var(--seat-${seat})`;
  return badge;
}

function seatLegend(seats, names) {
  return Array.from(seats, (seat) => make("span", { class: "who" }, seatBadge(seat), ` ${names[seat]}`));
}

function signed(value) {
  return (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);
}

function resultWords(results) {
  const places = ["1st", "2nd", "3rd"];
  return `Results: ${results.map((value, at) => `${places[at] ?? `${at + 1}th`} ${signed(value)}`).join(", ")}.`;
}

function drawBoard(svg) {
  $("board").innerHTML = svg;
  showEdge();
}

function overflowing(element) {
  return element.scrollWidth > element.clientWidth + 1;
}

function showEdge() { // where there is more of the picture to the right, it fades
  const board = $("board");
  board.classList.toggle("more", board.scrollLeft + board.clientWidth < board.scrollWidth - 1);
}

$("board").addEventListener("scroll", showEdge);
addEventListener("resize", showEdge);

function percent(value) {
  return value >= 0.995 && value < 1 ? "> 99%" : `${Math.round(100 * value)}%`;
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function typing(event) {
  return event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
}
