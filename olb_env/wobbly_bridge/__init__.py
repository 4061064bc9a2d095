"""The Wobbly Bridge: cards chosen at once on a rope bridge, for three to six explorers."""

from __future__ import annotations

from olb_env.core.game import CommandOptions, Display, Game, RecordFormat, Rules, register
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
        largest_deficit=float(EAST_END - WEST_END),
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
            returns=rules.returns,
        ),
        records=RecordFormat(
            describe_setup=writing.describe_setup,
            read_setup=writing.read_setup,
            describe_end=writing.describe_end,
            end_keys=writing.END_KEYS,
            final_infos=writing.final_infos,
            start_name="special",
            starts=writing.starts,
        ),
        display=Display(
            text=drawing.draw,
            svg=picture.picture,
            situation=picture.situation,
            explain=explaining.explain,
            private=explaining.private,
            round_of=drawing.round_of,
            title="The Wobbly Bridge",
            score_title="spaces from the east",
        ),
        commands=CommandOptions(
            help=board.COMMAND_OPTIONS,
            parse=board.parse_option,
        ),
    )
)
