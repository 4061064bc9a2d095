"""Old London Bridge: bids, a rondel, numbered buildings and two tracks, for two to four builders."""

from __future__ import annotations

from olb_env.core.game import Game, register
from olb_env.old_london_bridge import board, chance, drawing, explaining, picture, rules, scoring, writing
from olb_env.old_london_bridge.components import PLAYERS
from olb_env.old_london_bridge.encode import OBSERVATION, observe
from olb_env.old_london_bridge.notation import ACTIONS
from olb_env.old_london_bridge.state import SETUP, STATE

__all__ = ["ACTIONS", "GAME", "OBSERVATION"]

GAME = register(
    Game(
        name="old_london_bridge",
        version=0,
        players=PLAYERS,
        actions=ACTIONS,
        observation=OBSERVATION,
        score="money",
        score_unit=10.0,
        furthest_behind=100.0,
        start="stair",
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
        private=explaining.private,
        situation=picture.situation,
        option_values=board.OPTION_VALUES,
        account=drawing.account,
    )
)
