"""Old London Bridge: bidding, a rondel, numbered buildings and two tracks, for two to four builders."""

from __future__ import annotations

from olb_env.core.game import BoardFormat, CommandOptions, Display, Game, RecordFormat, Rules, register
from olb_env.old_london_bridge import (
    board,
    dealing,
    explanations,
    picture,
    possible,
    record_format,
    rules,
    scoring,
    text,
)
from olb_env.old_london_bridge.components import PLAYERS, RULINGS
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
            deal=dealing.deal,
            legal=rules.legal,
            random_action=rules.random_action,
            apply=rules.apply,
            actor=rules.actor,
            secret=rules.secret,
            observe=observe,
            resample=dealing.resample,
            returns=scoring.returns,
            possible=possible.possible,
        ),
        records=RecordFormat(
            describe_setup=record_format.describe_setup,
            read_setup=record_format.read_setup,
            describe_end=record_format.describe_end,
            end_keys=record_format.END_KEYS,
            final_infos=record_format.final_infos,
            start_name="stair",
            starts=record_format.starts,
        ),
        display=Display(
            text=text.render_text,
            svg=picture.render_svg,
            situation=picture.situation,
            explain=explanations.explain,
            private=explanations.private,
            round_of=text.round_of,
            account=text.account,
        ),
        commands=CommandOptions(
            help=board.COMMAND_OPTIONS,
            parse=board.parse_option,
            choices=board.OPTION_VALUES,
        ),
        rulings=RULINGS,
        boards=BoardFormat(
            printed=board.printed_board,
            describe=record_format.describe_board,
            about=board.ABOUT_THE_BOARD,
            comments=board.COMMENTS,
            remarks=record_format.remarks,
        ),
    )
)
