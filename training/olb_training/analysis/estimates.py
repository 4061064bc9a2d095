"""Means and effects with 95% confidence intervals, clustered by game: the moves of one game are not independent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

NORMAL = 1.959964  # half of a 95% interval, in standard errors


def means(frame: pd.DataFrame, value: str, by: str | Sequence[str] = (), cluster: str = "game") -> pd.DataFrame:
    """Return the mean of a column in each group, with its interval and the numbers of rows and games behind it."""
    groups = [by] if isinstance(by, str) else list(by)
    keys: list[Any] = groups or [np.zeros(len(frame), np.int8)]
    sums = frame.groupby([*keys, cluster], observed=True)[value].agg(["sum", "count"])
    levels = list(range(len(keys)))
    total = sums.groupby(level=levels, observed=True).agg(
        total=("sum", "sum"), rows=("count", "sum"), games=("sum", "size")
    )
    mean = total["total"] / total["rows"]
    index: Any = sums.index
    expected = mean.reindex(index.droplevel(-1)) if groups else mean.iloc[0]
    missed = (sums["sum"] - np.asarray(expected) * sums["count"]) ** 2
    squares = missed.groupby(level=levels, observed=True).sum()
    games = total["games"].clip(lower=2)
    error = np.sqrt(squares * games / (games - 1)) / total["rows"]
    found = pd.DataFrame(
        {"mean": mean, "low": mean - NORMAL * error, "high": mean + NORMAL * error,
         "rows": total["rows"], "games": total["games"]}
    )  # fmt: skip
    return found if groups else found.reset_index(drop=True)


def effects(frame: pd.DataFrame, value: str, of: Sequence[str], cluster: str = "game") -> pd.DataFrame:
    """Return how much a column changes with each of some others, the rest held equal (least squares)."""
    table = np.column_stack([np.ones(len(frame)), *(frame[name].to_numpy(float) for name in of)])
    result = frame[value].to_numpy(float)
    inverse = np.linalg.pinv(table.T @ table)
    found = inverse @ (table.T @ result)
    scores = table * (result - table @ found)[:, None]
    _, codes = np.unique(frame[cluster].to_numpy(), return_inverse=True)
    together: npt.NDArray[np.float64] = np.zeros((codes.max() + 1, table.shape[1]))
    np.add.at(together, codes, scores)
    games = len(together)
    spread = inverse @ (together.T @ together) @ inverse * games / max(games - 1, 1)
    error = np.sqrt(np.diag(spread))
    low, high = found - NORMAL * error, found + NORMAL * error
    return pd.DataFrame({"effect": found[1:], "low": low[1:], "high": high[1:]}, index=list(of))


def difference(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return the difference between the means of two independent sets of games, group by group."""
    one, other = one.align(other, join="inner", axis=0)
    value = one["mean"] - other["mean"]
    half = np.hypot(one["high"] - one["mean"], other["high"] - other["mean"])
    return pd.DataFrame({"mean": value, "low": value - half, "high": value + half})


def paired(one: pd.DataFrame, other: pd.DataFrame, value: str, cluster: str = "game") -> pd.DataFrame:
    """Return the mean difference of a column between two sets of games on the same deals, compared deal by deal."""
    apart = (one.groupby(cluster)[value].mean() - other.groupby(cluster)[value].mean()).dropna()
    return means(apart.rename("apart").reset_index(), "apart", cluster=cluster)
