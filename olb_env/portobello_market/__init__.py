"""Portobello Market: stalls in alleys, customers on plazas, and one Bobby, for two to four stallholders."""

from __future__ import annotations

from olb_env.core.game import Game, register
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
        furthest_behind=float(MOST_POINTS),
        start="turn",
        dtype=STATE,
        setup_dtype=SETUP,
        deal=chance.deal,
        legal=rules.legal,
        random_action=rules.random_action,
        apply=rules.apply,
        actor=rules.actor,
        secret=rules.secret,
        observe=observe,
        resample=chance.resample,
        returns=scoring.returns,
        configure=board.configure,
        options=board.OPTIONS,
        command_options=board.COMMAND_OPTIONS,
        parse_option=board.parse_option,
        describe_setup=writing.describe_setup,
        read_setup=writing.read_setup,
        describe_end=writing.describe_end,
        end_keys=writing.END_KEYS,
        starts=writing.starts,
        draw=drawing.draw,
        final_infos=writing.final_infos,
        picture=picture.picture,
        round_of=drawing.round_of,
        explain=explaining.explain,
        situation=drawing.situation,
        option_values=board.OPTION_VALUES,
        action_names=action_names,
    )
)
