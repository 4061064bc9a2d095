"""Portobello Market: stalls in alleys, customers on plazas, and one Bobby, for two to four stallholders."""

from __future__ import annotations

from olb_env.core.game import CommandOptions, Display, Game, RecordFormat, Rules, register
from olb_env.portobello_market import board, chance, drawing, explaining, picture, rules, scoring, writing
from olb_env.portobello_market.components import MOST_POINTS, PLAYERS
from olb_env.portobello_market.encode import OBSERVATION, observe
from olb_env.portobello_market.notation import ACTIONS, action_names
from olb_env.portobello_market.state import SETUP, STATE

__all__ = ["ACTIONS", "GAME", "OBSERVATION"]

GAME = register(
    Game(
        name="portobello_market",
        version=0,
        players=PLAYERS,
        actions=ACTIONS,
        observation=OBSERVATION,
        score="points",
        score_unit=10.0,
        largest_deficit=float(MOST_POINTS),
        action_names=action_names,
        rules=Rules(
            dtype=STATE,
            setup_dtype=SETUP,
            options=board.OPTIONS,
            configure=board.configure,
            deal=chance.deal,
            legal=rules.legal,
            random_action=rules.random_action,
            apply=rules.apply,
            actor=rules.actor,
            secret=rules.secret,
            observe=observe,
            resample=chance.resample,
            returns=scoring.returns,
        ),
        records=RecordFormat(
            describe_setup=writing.describe_setup,
            read_setup=writing.read_setup,
            describe_end=writing.describe_end,
            end_keys=writing.END_KEYS,
            final_infos=writing.final_infos,
            start_name="turn",
            starts=writing.starts,
        ),
        display=Display(
            text=drawing.draw,
            svg=picture.picture,
            situation=drawing.situation,
            explain=explaining.explain,
            round_of=drawing.round_of,
        ),
        commands=CommandOptions(
            help=board.COMMAND_OPTIONS,
            parse=board.parse_option,
            choices=board.OPTION_VALUES,
        ),
    )
)
