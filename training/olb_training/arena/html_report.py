"""The results of a tournament as one HTML page without other files: numbers, and plots as SVG."""

from __future__ import annotations

import html
import io
import math
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from olb_training.arena.console_report import (
    BOUNDS,
    HEADINGS,
    NO_RATINGS,
    any_bounds,
    format_share,
    ratings_are_missing,
    row_cells,
    start_names,
    title,
)
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

INTRODUCTION = (
    "Every lineup played the same deals in all seats. ± is the wider side of the 95% interval, bootstrapped over deals."
)
RATING_NOTE = (
    "Plackett–Luce strengths on the Elo scale, with a mean of 1500: with 400 points more, an agent is ten times as "
    "likely to finish ahead as to finish behind."
)
HEAD_TO_HEAD_NOTE = "How often the row finished ahead of the column, in % of the games that both played."


def render_report(plan: Plan, rows: list[Row], deals: int) -> str:
    """Return the whole page."""
    game = plan.find_game()
    score, start = game.score, game.records.start_name
    names_of_starts = start_names(rows)
    agents = [row.agent for row in rows]
    introduction = f"{INTRODUCTION} {BOUNDS}" if any_bounds(rows) else INTRODUCTION
    parts = [
        f"<h1>Results of a tournament</h1><p>{html.escape(title(plan, deals))}. {introduction}</p>",
        _table(["agent", *HEADINGS[:3], score, *HEADINGS[3:]], [row_cells(row) for row in rows]),
        *(
            f"<p><strong>{html.escape(row.agent)}</strong> forfeited {row.forfeits:,} games: "
            f"{html.escape(row.first_forfeit)}</p>"
            for row in rows
            if row.first_forfeit is not None
        ),
        "<h2>Wins</h2>",
        _whiskers(agents, [row.win_rate for row in rows], "games won, %", 100, par=100 / plan.players),
        *_ratings(rows),
        f"<h2>{html.escape(score.capitalize())}</h2>",
        _whiskers(agents, [row.score for row in rows], f"mean {score} at the end", 1),
    ]
    if len(rows) > 1:
        parts += [
            f"<h2>Head to head</h2><p>{HEAD_TO_HEAD_NOTE}</p>",
            _matrix(rows),
            _table(
                ["", *agents],
                [[row.agent, *(format_share(row.ahead_of.get(other)) for other in agents)] for row in rows],
            ),
        ]
    parts += [
        f"<h2>Wins by {html.escape(start)}</h2>",
        _win_rates_by_start(rows, names_of_starts, start, 100 / plan.players),
        _table(
            ["agent", *(f"{start} {name}" for name in names_of_starts)],
            [[row.agent, *(format_share(row.by_start.get(name)) for name in names_of_starts)] for row in rows],
        ),
    ]
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(', '.join(agents))}</title><style>{STYLE}</style><body>{''.join(parts)}</body></html>\n"
    )


def _ratings(rows: Sequence[Row]) -> list[str]:
    """Return the part on ratings, if there are any."""
    if ratings_are_missing(rows):
        return [f"<p>{html.escape(NO_RATINGS)}</p>"]
    rated = [(row.agent, row.rating) for row in rows if row.rating is not None]
    if not rated:
        return []
    agents, ratings = zip(*rated, strict=True)
    return [f"<h2>Rating</h2><p>{RATING_NOTE}</p>", _whiskers(agents, ratings, "rating", 1)]


def _table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in headings)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in line)}</tr>" for line in lines)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _figure(height: float) -> tuple[Figure, Any]:
    figure = Figure(figsize=(8.6, height), layout="constrained", facecolor="none")
    axes = figure.add_subplot(facecolor="none")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, colors=INK)
    axes.set_axisbelow(True)
    return figure, axes


def _verbatim(name: str) -> str:
    """Return a name that matplotlib does not read as a formula."""
    return name.replace("$", r"\$")


def _svg(figure: Figure, label: str) -> str:
    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": label, "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :].replace("<svg ", f'<svg role="img" aria-label="{html.escape(label)}" ', 1)


def _whiskers(
    agents: Sequence[str], estimates: Sequence[Estimate], label: str, unit: float, par: float | None = None
) -> str:
    """Return a plot with a dot and an interval for each agent, the best on top."""
    figure, axes = _figure(0.9 + 0.36 * len(agents))
    places = range(len(agents))
    axes.grid(axis="x", color=PALE)
    if par is not None:
        axes.axvline(par, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.annotate("par", (par, -0.75), color=INK, ha="center", fontsize=9, annotation_clip=False)
    lows, highs = [unit * e.low for e in estimates], [unit * e.high for e in estimates]
    axes.hlines(places, lows, highs, color=COLOURS[0], linewidth=3)
    axes.plot([unit * e.value for e in estimates], places, "o", color=COLOURS[0], markersize=7)
    axes.set_yticks(places, map(_verbatim, agents))
    axes.set_ylim(len(agents) - 0.4, -0.6)
    axes.set_xlabel(label, color=INK)
    return _svg(figure, label)


def _matrix(rows: Sequence[Row]) -> str:
    """Return a heat map of how often one agent finished ahead of another."""
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
            if not math.isnan(share):  # the two never met
                colour = "white" if abs(share - 0.5) > 0.35 else INK
                axes.text(x + 0.5, y + 0.5, f"{100 * share:.0f}", ha="center", va="center", color=colour)
    names = [_verbatim(row.agent) for row in rows]
    middles = [place + 0.5 for place in range(size)]
    axes.set_xticks(middles, names, rotation=30 if size > 5 else 0)
    axes.set_yticks(middles, names)
    axes.spines["bottom"].set_visible(False)
    axes.xaxis.tick_top()
    return _svg(figure, "head to head")


def _win_rates_by_start(rows: Sequence[Row], names: Sequence[str], start: str, par: float) -> str:
    """Return a plot with a group of win rates and intervals for each agent."""
    figure, axes = _figure(3.2)
    axes.grid(axis="y", color=PALE)
    axes.axhline(par, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    width = 0.7 / max(1, len(names))
    for at, name in enumerate(names):
        known = [(x, row.by_start[name]) for x, row in enumerate(rows) if name in row.by_start]
        places = [x + (at - (len(names) - 1) / 2) * width for x, _ in known]
        colour = COLOURS[at % len(COLOURS)]
        axes.vlines(
            places, [100 * e.low for _, e in known], [100 * e.high for _, e in known], color=colour, linewidth=3
        )
        axes.plot(places, [100 * e.value for _, e in known], "osD^vP"[at % 6], color=colour, label=f"{start} {name}")
    axes.set_xticks(range(len(rows)), [_verbatim(row.agent) for row in rows], rotation=30 if len(rows) > 5 else 0)
    axes.set_ylabel("games won, %", color=INK)
    axes.legend(frameon=False, ncols=len(names), loc="lower left", bbox_to_anchor=(0, 1.0))
    return _svg(figure, f"games won by {start}")
