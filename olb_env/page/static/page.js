"use strict";
// Shared by both pages: requests to the server, errors, small parts of the page.

const $ = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

async function request(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  };
  let response, content;
  try {
    response = await fetch(path, options);
    content = await response.json();
  } catch {
    throw new Error("the server does not respond: is olb still running?");
  }
  if (!response.ok) throw new Error(content.error);
  return content;
}

async function withWaitingNote(promise) { // shown if the answer takes long
  const hint = setTimeout(() => { $("waiting").hidden = false; }, 2500);
  try {
    return await promise;
  } finally {
    clearTimeout(hint);
    $("waiting").hidden = true;
  }
}

function showError(error) {
  $("error").textContent = error.message;
  $("error").hidden = false;
}

function hideError() {
  $("error").hidden = true;
}

function announce(text) { // to screen readers
  $("announcement").textContent = text;
}

function showRulesLinks(address) { // a game without written rules has none
  for (const link of document.querySelectorAll("[data-rules]")) {
    link.hidden = address === null;
    link.href = address ?? "";
  }
}

function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function seatBadge(seat) {
  const badge = make("span", { class: "seat" }, String(seat));
  badge.style.background = `var(--seat-${seat})`;
  return badge;
}

function seatLegend(seats, names) {
  return Array.from(seats, (seat) => make("span", { class: "player" }, seatBadge(seat), ` ${names[seat]}`));
}

function signed(value) {
  return (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);
}

function valueScale(utilities) {
  const ranks = ["1st", "2nd", "3rd"];
  return `Values: ${utilities.map((value, at) => `${ranks[at] ?? `${at + 1}th`} ${signed(value)}`).join(", ")}.`;
}

function drawBoard(svg) {
  $("board").innerHTML = svg;
  fadeBoard();
}

function overflowing(element) {
  return element.scrollWidth > element.clientWidth + 1;
}

function fadeBoard() { // at the right edge, if more of the picture is there
  const board = $("board");
  board.classList.toggle("faded", board.scrollLeft + board.clientWidth < board.scrollWidth - 1);
}

$("board").addEventListener("scroll", fadeBoard);
addEventListener("resize", fadeBoard);

function percent(value) {
  return value >= 0.995 && value < 1 ? "> 99%" : `${Math.round(100 * value)}%`;
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function isTyping(event) {
  return event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
}
