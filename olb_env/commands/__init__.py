"""The command `olb`, with a module for each subcommand."""
