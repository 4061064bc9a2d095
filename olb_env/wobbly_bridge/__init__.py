"""The Wobbly Bridge: simultaneous card play on a rope bridge, for three to six explorers."""

from __future__ import annotations

from olb_env.core.game import CommandOptions, Display, Game, RecordFormat, Rules, register
from olb_env.wobbly_bridge import board, dealing, explanations, picture, possible, record_format, rules, text
from olb_env.wobbly_bridge.components import EAST_END, PLAYERS, RULINGS, START, WEST_END
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
        score_unit=float(START - WEST_END),  # the distance from the middle of the bridge to either end
        largest_deficit=float(EAST_END - WEST_END),
        rules=Rules(
            dtype=STATE,
            setup_dtype=SETUP,
            options=board.OPTIONS,
            configure=board.configure,
            deal=dealing.deal,
            legal=rules.legal,
            random_action=rules.random_action,
            apply=rules.apply,
            actor=rules.actor,
            secret=rules.secret,
            observe=observe,
            resample=dealing.resample,
            returns=rules.returns,
            possible=possible.possible,
        ),
        records=RecordFormat(
            describe_setup=record_format.describe_setup,
            read_setup=record_format.read_setup,
            describe_end=record_format.describe_end,
            end_keys=record_format.END_KEYS,
            final_infos=record_format.final_infos,
            start_name="special",
            starts=record_format.starts,
        ),
        display=Display(
            text=text.render_text,
            svg=picture.render_svg,
            situation=picture.situation,
            explain=explanations.explain,
            private=explanations.private,
            round_of=text.round_of,
            title="The Wobbly Bridge",
            score_title="spaces from the east",
        ),
        rulings=RULINGS,
        commands=CommandOptions(
            help=board.COMMAND_OPTIONS,
            parse=board.parse_option,
            choices=board.OPTION_VALUES,
        ),
    )
)
