"""Analysis of recorded games: data frames of decisions and results, and estimates with intervals."""
