"""`python -m olb_env`: the command `olb`, for a Python whose scripts are not on the path."""

from olb_env.commands.olb import main

raise SystemExit(main())
