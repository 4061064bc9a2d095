"""Means and effects with 95% intervals. The moves of a game are not independent, so each game is one cluster."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

Z_95 = 1.959964  # half of a 95% interval, in standard errors


def means(frame: pd.DataFrame, value: str, by: str | Sequence[str] = (), cluster: str = "game") -> pd.DataFrame:
    """Return the mean of a column in each group, with its interval and the numbers of rows and games behind it."""
    groups = [by] if isinstance(by, str) else list(by)
    keys: list[Any] = [*groups] or [np.zeros(len(frame), np.int8)]
    sums = frame.groupby([*keys, cluster], observed=True)[value].agg(["sum", "count"])
    levels = list(range(len(keys)))
    total = sums.groupby(level=levels, observed=True).agg(
        total=("sum", "sum"), rows=("count", "sum"), games=("sum", "size")
    )
    mean = total["total"] / total["rows"]
    expected = mean.reindex(cast("pd.MultiIndex", sums.index).droplevel(-1)) if groups else mean.iloc[0]
    residuals = (sums["sum"] - np.asarray(expected) * sums["count"]) ** 2
    squares = residuals.groupby(level=levels, observed=True).sum()
    games = total["games"].clip(lower=2)
    error = np.sqrt(squares * games / (games - 1)) / total["rows"]
    found = pd.DataFrame(
        {"mean": mean, "low": mean - Z_95 * error, "high": mean + Z_95 * error,
         "rows": total["rows"], "games": total["games"]}
    )  # fmt: skip
    return found if groups else found.reset_index(drop=True)


def share_interval(share: float, error: float, games: int) -> tuple[float, float]:
    """Return the interval of a share with this standard error, or with none, if all of this many games were alike.

    It is Wilson's, for as many independent draws as have this error; so it never goes beyond 0 or 1.
    """
    draws = share * (1 - share) / error**2 if error > 0 else games
    spread = Z_95**2 / draws
    middle = (share + spread / 2) / (1 + spread)
    half = math.sqrt(spread * share * (1 - share) + spread**2 / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def effects(frame: pd.DataFrame, value: str, of: Sequence[str], cluster: str = "game") -> pd.DataFrame:
    """Regress a column on some others by least squares; return the coefficients, with cluster-robust intervals."""
    design = np.column_stack([np.ones(len(frame)), *(frame[name].to_numpy(float) for name in of)])
    result = frame[value].to_numpy(float)
    inverse = np.linalg.pinv(design.T @ design)
    found = inverse @ (design.T @ result)
    scores = design * (result - design @ found)[:, None]
    _, codes = np.unique(frame[cluster].to_numpy(), return_inverse=True)
    by_cluster: npt.NDArray[np.float64] = np.zeros((codes.max() + 1, design.shape[1]))
    np.add.at(by_cluster, codes, scores)
    games = len(by_cluster)
    covariance = inverse @ (by_cluster.T @ by_cluster) @ inverse * games / max(games - 1, 1)
    error = np.sqrt(np.diag(covariance))
    low, high = found - Z_95 * error, found + Z_95 * error
    return pd.DataFrame({"effect": found[1:], "low": low[1:], "high": high[1:]}, index=list(of))


def difference(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return the differences between two results of `means` for independent sets of games, group by group."""
    one, other = one.align(other, join="inner", axis=0)
    value = one["mean"] - other["mean"]
    half = np.hypot(one["high"] - one["mean"], other["high"] - other["mean"])
    return pd.DataFrame({"mean": value, "low": value - half, "high": value + half})


def paired_difference(one: pd.DataFrame, other: pd.DataFrame, value: str, cluster: str = "game") -> pd.DataFrame:
    """Return how much the mean of a column differs between two sets of games with the same deals, deal by deal."""
    apart = (one.groupby(cluster)[value].mean() - other.groupby(cluster)[value].mean()).dropna()
    return means(apart.rename("apart").reset_index(), "apart", cluster=cluster)
