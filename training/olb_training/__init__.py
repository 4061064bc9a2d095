"""Training, rating and analysis of agents for the games of `olb_env`."""
