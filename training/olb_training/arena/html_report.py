"""The result of a tournament as one page that needs nothing else: tables, and plots drawn into it."""

from __future__ import annotations

import html
import io
import math
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from olb_training.arena.console_report import HEADINGS, cell, standing, title
from olb_training.arena.schedule import Plan
from olb_training.arena.statistics import Estimate, Row

INK, PALE, COLOURS = "#1f2a36", "#d9dee4", ("#0b6e99", "#c2571a", "#5b7f2b", "#7a4fa3", "#9a7b00", "#b03060")
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2a36; background: #fcfbf8; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p { max-width: 46rem; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #d9dee4; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
svg { max-width: 100%; height: auto; } code { background: #eef0f2; padding: .1rem .3rem; }
"""

SHARED = (
    "Every lineup played the same deals in all seats. ± is the wider side of the 95% interval, bootstrapped over deals."
)
RATED = (
    "Plackett–Luce strengths on the scale of Elo, with a mean of 1500: 400 points more are ten times the chance to "
    "come first of two."
)
AHEAD = "How often the row came before the column, in % of the games in which both sat."


def page(plan: Plan, rows: list[Row], deals: int) -> str:
    """The whole page."""
    rules = plan.rules()
    score, start = rules.score, rules.records.start_name
    begun = sorted({name for row in rows for name in row.by_start})
    agents = [row.agent for row in rows]
    parts = [
        f"<h1>Who is stronger?</h1><p>{html.escape(title(plan, deals))}. {SHARED}</p>",
        _table(["agent", *HEADINGS[:3], score, *HEADINGS[3:]], [standing(row) for row in rows]),
        *(
            f"<p><strong>{html.escape(row.agent)}</strong> forfeited {row.faults:,} games: "
            f"{html.escape(row.first_fault)}</p>"
            for row in rows
            if row.first_fault is not None
        ),
        "<h2>Wins</h2>",
        _whiskers(agents, [row.win_rate for row in rows], "games won, %", 100, par=100 / plan.players),
        f"<h2>Rating</h2><p>{RATED}</p>",
        _whiskers(agents, [row.rating for row in rows], "rating", 1),
        f"<h2>{html.escape(score.capitalize())}</h2>",
        _whiskers(agents, [row.score for row in rows], f"{score} at the end, mean", 1),
    ]
    if len(rows) > 1:
        parts += [
            f"<h2>Head to head</h2><p>{AHEAD}</p>",
            _matrix(rows),
            _table(
                ["", *agents],
                [[row.agent, *(cell(row.ahead_of.get(other), 100) for other in agents)] for row in rows],
            ),
        ]
    parts += [
        f"<h2>Wins by {html.escape(start)}</h2>",
        _bars(rows, begun, start, 100 / plan.players),
        _table(
            ["agent", *(f"{start} {name}" for name in begun)],
            [[row.agent, *(cell(row.by_start.get(name), 100) for name in begun)] for row in rows],
        ),
    ]
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(', '.join(agents))}</title><style>{STYLE}</style><body>{''.join(parts)}</body></html>\n"
    )


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    rest = "".join(f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in line)}</tr>" for line in lines)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{rest}</tbody></table></div>'


def _figure(height: float) -> tuple[Figure, Any]:
    figure = Figure(figsize=(8.6, height), layout="constrained", facecolor="none")
    axes = figure.add_subplot(facecolor="none")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, colors=INK)
    axes.set_axisbelow(True)
    return figure, axes


def _plain(name: str) -> str:
    """A name as it is, with no formulas in it."""
    return name.replace("$", r"\$")


def _svg(figure: Figure, what: str) -> str:
    drawn = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": what, "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    text = drawn.getvalue()
    return text[text.index("<svg") :].replace("<svg ", f'<svg role="img" aria-label="{html.escape(what)}" ', 1)


def _whiskers(
    agents: Sequence[str], found: Sequence[Estimate], what: str, unit: float, par: float | None = None
) -> str:
    """A dot and its interval for each agent, the best on top."""
    figure, axes = _figure(0.9 + 0.36 * len(agents))
    places = range(len(agents))
    axes.grid(axis="x", color=PALE)
    if par is not None:
        axes.axvline(par, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.annotate("par", (par, -0.75), color=INK, ha="center", fontsize=9, annotation_clip=False)
    axes.hlines(places, [unit * e.low for e in found], [unit * e.high for e in found], color=COLOURS[0], linewidth=3)
    axes.plot([unit * e.value for e in found], places, "o", color=COLOURS[0], markersize=7)
    axes.set_yticks(places, map(_plain, agents))
    axes.set_ylim(len(agents) - 0.4, -0.6)
    axes.set_xlabel(what, color=INK)
    return _svg(figure, what)


def _matrix(rows: Sequence[Row]) -> str:
    """Shades of how often one came before another, with the numbers in them."""
    size = len(rows)
    figure, axes = _figure(1.2 + 0.42 * size)
    shares = [
        [row.ahead_of[other.agent].value if other.agent in row.ahead_of else float("nan") for other in rows]
        for row in rows
    ]
    axes.pcolormesh(shares, cmap="PuOr_r", vmin=0, vmax=1, edgecolors="#fcfbf8", linewidth=2)
    axes.invert_yaxis()
    for y, line in enumerate(shares):
        for x, share in enumerate(line):
            if not math.isnan(share):  # of an agent that was never met
                colour = "white" if abs(share - 0.5) > 0.35 else INK
                axes.text(x + 0.5, y + 0.5, f"{100 * share:.0f}", ha="center", va="center", color=colour)
    names = [_plain(row.agent) for row in rows]
    middles = [place + 0.5 for place in range(size)]
    axes.set_xticks(middles, names, rotation=30 if size > 5 else 0)
    axes.set_yticks(middles, names)
    axes.spines["bottom"].set_visible(False)
    axes.xaxis.tick_top()
    return _svg(figure, "head to head")


def _bars(rows: Sequence[Row], begun: Sequence[str], start: str, par: float) -> str:
    """Win rates with intervals, a group of dots for each agent."""
    figure, axes = _figure(3.2)
    axes.grid(axis="y", color=PALE)
    axes.axhline(par, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    width = 0.7 / max(1, len(begun))
    for at, name in enumerate(begun):
        there = [(x, row.by_start[name]) for x, row in enumerate(rows) if name in row.by_start]
        places = [x + (at - (len(begun) - 1) / 2) * width for x, _ in there]
        colour = COLOURS[at % len(COLOURS)]
        axes.vlines(
            places, [100 * e.low for _, e in there], [100 * e.high for _, e in there], color=colour, linewidth=3
        )
        axes.plot(places, [100 * e.value for _, e in there], "osD^vP"[at % 6], color=colour, label=f"{start} {name}")
    axes.set_xticks(range(len(rows)), [_plain(row.agent) for row in rows], rotation=30 if len(rows) > 5 else 0)
    axes.set_ylabel("games won, %", color=INK)
    axes.legend(frameon=False, ncols=len(begun), loc="lower left", bbox_to_anchor=(0, 1.0))
    return _svg(figure, f"games won by {start}")
