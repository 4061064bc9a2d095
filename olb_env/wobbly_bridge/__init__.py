"""The Wobbly Bridge: cards chosen at once on a rope bridge, for three to six explorers."""

from __future__ import annotations

from olb_env.core.game import Game, register
from olb_env.wobbly_bridge import board, chance, drawing, explaining, picture, rules, writing
from olb_env.wobbly_bridge.components import EAST_END, PLAYERS, START, WEST_END
from olb_env.wobbly_bridge.encode import OBSERVATION, observe
from olb_env.wobbly_bridge.notation import ACTIONS
from olb_env.wobbly_bridge.state import SETUP, STATE

__all__ = ["ACTIONS", "GAME", "OBSERVATION"]

GAME = register(
    Game(
        name="wobbly_bridge",
        version=0,
        players=PLAYERS,
        actions=ACTIONS,
        observation=OBSERVATION,
        score="spaces",
        score_unit=float(START - WEST_END),  # from the middle of the bridge to either end
        furthest_behind=float(EAST_END - WEST_END),
        start="special",
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
        returns=rules.returns,
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
        full_name="The Wobbly Bridge",
        score_words="spaces from the east",
    )
)
