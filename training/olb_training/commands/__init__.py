"""The `olb` commands that need this package: `olb arena` and `olb train`."""
