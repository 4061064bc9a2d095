"""Portobello Market: stalls in alleys, customers on plazas and one policeman, for two to four stallholders."""

from __future__ import annotations

from olb_env.core.game import BoardFormat, CommandOptions, Display, Game, RecordFormat, Rules, register
from olb_env.portobello_market import (
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
from olb_env.portobello_market.components import MAX_POINTS, PLAYERS, RULINGS
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
        largest_deficit=float(MAX_POINTS),
        action_names=action_names,
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
            start_name="turn",
            starts=record_format.starts,
        ),
        display=Display(
            text=text.render_text,
            svg=picture.render_svg,
            situation=text.situation,
            explain=explanations.explain,
            round_of=text.round_of,
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
