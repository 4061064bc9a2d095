"""The command `olb`, a module for each of its subcommands."""
