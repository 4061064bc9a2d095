"""Old London Bridge: bids, a rondel, numbered buildings and two tracks, for two to four builders."""

from __future__ import annotations

from olb_env.core.game import CommandOptions, Display, Game, RecordFormat, Rules, register
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
        largest_deficit=100.0,
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
            start_name="stair",
            starts=writing.starts,
        ),
        display=Display(
            text=drawing.draw,
            svg=picture.picture,
            situation=picture.situation,
            explain=explaining.explain,
            private=explaining.private,
            round_of=drawing.round_of,
            account=drawing.account,
        ),
        commands=CommandOptions(
            help=board.COMMAND_OPTIONS,
            parse=board.parse_option,
            choices=board.OPTION_VALUES,
        ),
    )
)
