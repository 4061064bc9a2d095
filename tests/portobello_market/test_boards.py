"""Options and boards of the caller's own: valid ones are played, invalid ones are refused with the reason."""

from __future__ import annotations

import json
import math
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from olb_env import portobello_market_v0
from olb_env.core.boards import template
from olb_env.core.records import RecordError, replay
from olb_env.playing import AgentError, Views, decide
from olb_env.portobello_market import GAME, OBSERVATION, board
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    DISTRICT_NAMES,
    DISTRICTS,
    ENDS,
    LOTS,
    PLAZA_NAMES,
    PLAZAS,
)
from olb_env.portobello_market.picture import render_svg
from olb_env.portobello_market.picture_map import ALLEY_GAP, Plan
from tests.portobello_market.positions import OTHER_PLAN, PARALLEL_PLAN, SHORT_BOARD, Position
from tests.support.playthroughs import view

ALLEYS = [
    {"ends": [PLAZA_NAMES[plaza] for plaza in ends], "values": list(values)}
    for ends, values in zip(ENDS, LOTS, strict=True)
]
AROUND = [[ALLEY_NAMES[alley] for alley in around] for around in DISTRICTS]


def alley(**changes: Any) -> dict[str, Any]:
    return {"alleys": {"A1": {"ends": ["P1", "P2"], "values": [3, 1, 3], **changes}}}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"num_players": 5}, "num_players is 5: expected 2, 3 or 4"),
    ({"num_players": 1}, "num_players is 1: expected 2, 3 or 4"),
    ({"num_players": "3"}, "num_players is '3'"),
    ({"num_players": True}, "num_players is True"),
    ({"num_players": 2.0}, "num_players is 2.0"),
    ({"customers": "shown"}, "customers is 'shown': expected hidden or open"),
    ({"customers": ["open"]}, "customers is ['open']"),
    ({"customers": np.array(["open", "hidden"])}, "customers is array(['open', 'hidden'], dtype='<U6')"),
    ({"start_score": -1}, "start_score is -1: expected a whole number from 0 to 1000"),
    ({"start_score": 1001}, "start_score is 1001"),
    ({"start_score": 1.5}, "start_score is 1.5"),
    ({"start_score": None}, "start_score is None"),
    ({"board": 7}, "board is 7: expected FILE.toml or FILE.json, or a mapping with any of plazas, alleys, districts"),
    ({"board": "own"}, "board is 'own'"),
    ({"board": {"rivers": []}}, "board has the key 'rivers': expected any of plazas, alleys, districts"),
    ({"board": {"plazas": {"P12": [1, 1]}}}, "board plazas have 'P12': expected P1 to P11"),
    ({"board": {"plazas": {"P1": [1]}}}, "plaza P1 is at [1]: expected [x, y], each from 0 to 120"),
    ({"board": {"plazas": {"P1": [1, 121]}}}, "plaza P1 is at [1, 121]"),
    ({"board": {"plazas": {"P1": [1, "2"]}}}, "plaza P1 is at [1, '2']"),
    ({"board": {"plazas": [[0, 0]]}}, "board plazas are 1: expected a list of 11"),
    ({"board": {"alleys": ALLEYS[:-1]}}, "board alleys are 21: expected a list of 22, or a mapping of some"),
    ({"board": {"alleys": "A1"}}, "board alleys are 'A1'"),
    ({"board": {"alleys": {"A23": ALLEYS[0]}}}, "board alleys have 'A23': expected A1 to A22"),
    ({"board": {"alleys": {"A1": [3, 1, 3]}}}, "alley A1 is [3, 1, 3]: expected a mapping with 'ends' and 'values'"),
    ({"board": {"alleys": {"A1": {}}}}, "alley A1 is {}: expected a mapping with 'ends' and 'values'"),
    ({"board": {"alleys": [{"ends": ["P1", "P2"]}, *ALLEYS[1:]]}}, "alley A1 is {'ends': ['P1', 'P2']}: expected"),
    ({"board": alley(ends=["P1"])}, "alley A1 has the ends ['P1']: expected two plazas"),
    ({"board": alley(ends="P1")}, "alley A1 has the ends 'P1'"),
    ({"board": alley(ends=["P1", "P12"])}, "alley A1 has the end 'P12': expected a plaza, P1 to P11"),
    ({"board": alley(ends=["P1", 2])}, "alley A1 has the end 2"),
    ({"board": alley(ends=["P1", "P1"])}, "alley A1 has the end P1 twice: expected two plazas"),
    ({"board": alley(ends=["P3", "P2"])}, "district D1 is A1, A9, A10: expected three alleys that meet"),
    (
        {
            "board": {
                "alleys": {"A15": {"ends": ["P1", "P5"], "values": [3, 1]}},
                "districts": {"D2": ["A1", "A10", "A15"]},
            }
        },
        "districts D1 and D2 share A1 and A10: expected at most one alley, so that a step of the Bobby between them",
    ),
    ({"board": alley(ends=["P1", "P3"])}, "district D1 is A1, A9, A10: expected three alleys that meet"),
    (
        {
            "board": {
                "alleys": {"A2": {"ends": ["P1", "P6"], "values": [1, 3, 1]}},
                "districts": {"D3": ["A2", "A9", "A15"]},
            }
        },
        "alley A9 has 3 districts beside it: expected one or two",
    ),
    ({"board": alley(values=[3])}, "alley A1 has the lots [3]: expected 2 to 6 values"),
    ({"board": alley(values=[1] * 7)}, "alley A1 has the lots [1, 1, 1, 1, 1, 1, 1]"),
    ({"board": alley(values=3)}, "alley A1 has the lots 3"),
    ({"board": alley(values=[3, "1"])}, "alley A1 has a lot of value '1': expected 1 to 9"),
    ({"board": alley(values=[3, 0])}, "alley A1 has a lot of value 0"),
    ({"board": alley(values=[3, 10])}, "alley A1 has a lot of value 10"),
    ({"board": alley(values=[3, 1.0])}, "alley A1 has a lot of value 1.0"),
    ({"board": alley(values=[3, True])}, "alley A1 has a lot of value True"),
    ({"board": alley(values=np.array([3]))}, "alley A1 has the lots array([3]): expected 2 to 6 values"),
    ({"board": alley(values=np.array(3))}, "alley A1 has the lots array(3)"),
    ({"board": alley(values=np.array([3.5, 1.0]))}, "alley A1 has a lot of value np.float64(3.5): expected 1 to 9"),
    ({"board": {"districts": AROUND[:-1]}}, "board districts are 11: expected a list of 12"),
    ({"board": {"districts": {"D13": AROUND[0]}}}, "board districts have 'D13': expected D1 to D12"),
    ({"board": {"districts": {"D1": ["A1", "A9"]}}}, "district D1 is ['A1', 'A9']: expected three alleys"),
    ({"board": {"districts": {"D1": "A1"}}}, "district D1 is 'A1'"),
    ({"board": {"districts": {"D1": [np.array([1, 2]), "A9", "A10"]}}}, "district D1 has the alley array([1, 2])"),
    ({"board": {"districts": {"D1": ["A1", "A9", "A30"]}}}, "district D1 has the alley 'A30': expected A1 to A22"),
    ({"board": {"districts": {"D1": ["A1", "A1", "A9"]}}}, "expected three alleys that meet at three plazas"),
    (
        {"board": {"districts": {"D1": ["A1", "A2", "A3"]}}},
        "district D1 is A1, A2, A3: expected three alleys that meet",
    ),
    ({"board": {"districts": {"D1": AROUND[1]}}}, "district D2 is A10, A11, A15, as D1 is: expected"),
]


@pytest.mark.parametrize(("options", "reason"), BAD, ids=[reason[:50] for _, reason in BAD])
def test_an_invalid_option_is_refused_with_the_reason(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        GAME.rules.configure(**options)
    assert "\n" not in str(caught.value)


def test_an_empty_board_is_the_printed_one() -> None:
    printed = GAME.rules.configure()
    assert GAME.rules.configure(board={}).tobytes() == printed.tobytes()
    whole = {"alleys": ALLEYS, "districts": AROUND, "plazas": [list(place) for place in PLAZAS]}
    assert GAME.rules.configure(board=whole).tobytes() == printed.tobytes()


def test_part_of_a_board_leaves_the_rest_as_printed() -> None:
    setup = GAME.rules.configure(board=alley(values=[9, 8]))[0]
    assert setup.board.values[0].tolist() == [9, 8, 0, 0, 0, 0]
    assert setup.length.tolist() == [2, *(len(values) for values in LOTS[1:])]


def test_lot_values_go_from_the_first_end_to_the_second() -> None:
    position = Position(board=alley(ends=["P2", "P1"], values=[1, 2, 3, 4]))
    position.act("token 1", "stall A1 P2")
    assert int(position.game.seats[0].worth[0]) == 1
    assert position.lots("A1") == [0, None, None, None]


def test_a_game_on_another_plan_follows_that_plan() -> None:
    position = Position(board=OTHER_PLAN, bobby="D2")
    position.act("token 1")
    assert position.legal_of("bobby") == ["D1", "D10", "D12"]
    assert [name for name in position.legal if name.startswith("stall A10")] == ["stall A10 P1", "stall A10 P6"]
    for _ in range(2):
        position.act("stall A10 P6")
    assert int(position.game.seats[0].worth[9]) == 5
    assert "A10  P1" in GAME.display.text(position.game)
    assert GAME.records.describe_setup(position.game)["setup"]["alleys"][9] == {
        "ends": ["P1", "P6"],
        "values": [2, 3, 2],
    }


def test_alleys_of_another_plan_score_between_their_own_plazas() -> None:
    position = Position(board=OTHER_PLAN, bobby="D2")
    position.put_customers(P2="servant", P5="servant")
    position.fill("A10", 0, 1)
    position.turn_of(0)
    position.act("token 1", "stall A10 P1")
    assert position.scores == [10, 10, 10]  # nobody stands at P1 and P6
    position = Position(board=OTHER_PLAN, bobby="D2")
    position.put_customers(P1="servant", P6="burgher")
    position.fill("A10", 0, 1)
    position.turn_of(0)
    position.act("token 1", "stall A10 P1")
    assert position.scores == [10 + 2 * (2 + 2), 10 + 2 * 3, 10]
    assert "beside P1 servant, P6 burgher" in GAME.display.explain(*_customer_to("P2", position))


def _customer_to(plaza: str, position: Position) -> tuple[Any, int]:
    position.game.drawn = 1
    return position.game, GAME.ids(position.game)[f"plaza {plaza}"]


def test_action_names_follow_the_plan_everywhere() -> None:
    env = portobello_market_v0.raw_env(num_players=2, board=OTHER_PLAN)
    env.reset(seed=1)
    position = Position(2, board=OTHER_PLAN, bobby="D2")
    position.act("token 1")
    views = Views(GAME, position.states, [1])
    assert views[0].legal == position.legal
    first, second = (GAME.ids(position.game)[f"stall A10 {plaza}"] for plaza in ("P1", "P6"))
    assert second == first + 1
    assert decide(Fixed("stall A10 P6"), "fixed", views).tolist() == [second]
    with pytest.raises(AgentError, match=r"chose 'stall A10 P5': expected one of .* stall A10 P1, stall A10 P6"):
        decide(Fixed("stall A10 P5"), "fixed", views)
    assert 'data-actions="stall A10 P6"' in render_svg(position.game)
    for name in ("bobby D2", "token 1"):
        env.step(GAME.actions.index(name))
    with pytest.raises(ValueError, match=rf"expected one of .*{first} 'stall A10 P1', {second} 'stall A10 P6'"):
        env.step(GAME.actions.index("done"))
    env.step(second)
    record = env.record(legal=True)
    assert record["moves"][-1][1] == "stall A10 P6"
    assert replay(record).action_names[-1] == "stall A10 P6"
    wrong = {**record, "moves": [*record["moves"][:-1], [record["moves"][-1][0], "stall A10 P5"]]}
    with pytest.raises(RecordError, match="move 3: unknown action 'stall A10 P5'"):
        replay(wrong)


class Fixed:
    """An agent that always chooses the same action."""

    def __init__(self, action: str) -> None:
        self.action = action

    def act(self, view: Any) -> str:
        return self.action


def test_districts_can_be_numbered_differently() -> None:
    turned = AROUND[1:] + AROUND[:1]
    position = Position(board={"districts": turned}, bobby="D12")
    position.act("token 1")
    assert [name.split()[0] for name in position.legal_of("stall")] == ["A1", "A1", "A9", "A9", "A10", "A10"]
    assert position.legal_of("bobby") == ["D1", "D11"]


def test_numbers_may_be_numpy_integers() -> None:
    values = np.array([3, 1, 2])
    setup = GAME.rules.configure(num_players=np.int64(3), start_score=np.int16(4), board=alley(values=list(values)))[0]
    assert (setup.players, setup.start_score, setup.board.values[0, :3].tolist()) == (3, 4, [3, 1, 2])


def test_a_two_dimensional_array_of_ends_is_refused() -> None:
    with pytest.raises(ValueError, match="alley A1 has the end"):
        GAME.rules.configure(board=alley(ends=np.array([["P1", "P2"], ["P2", "P3"]])))


def test_lists_may_be_numpy_arrays() -> None:
    board = {**alley(ends=np.array(["P2", "P1"]), values=np.array([3, 1, 2])), "districts": np.array(AROUND)}
    setup = GAME.rules.configure(board={**board, "plazas": np.array(PLAZAS)})[0]
    assert (setup.board.ends[0].tolist(), setup.board.values[0, :3].tolist()) == ([1, 0], [3, 1, 2])
    assert setup.board.around.tolist() == GAME.rules.configure()[0].board.around.tolist()
    assert setup.place.tolist() == [list(place) for place in PLAZAS]


def test_plazas_are_drawn_at_the_places_of_the_board() -> None:
    board = {"plazas": {"P1": [0, 120]}}
    states = GAME.new_states(2)
    GAME.rules.deal(states[0], GAME.rules.configure()[0], 1)
    GAME.rules.deal(states[1], GAME.rules.configure(board=board)[0], 1)
    assert render_svg(states[0]) != render_svg(states[1])
    assert states[1].place[0].tolist() == [0, 120]


def test_a_board_with_all_plazas_in_one_place_can_be_drawn() -> None:
    states = GAME.new_states(1)
    GAME.rules.deal(states[0], GAME.rules.configure(board={"plazas": [[5, 5]] * 11})[0], 1)
    assert render_svg(states[0]).startswith("<svg ")


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("25", 25), ("-3", "-3"), ("x", "x")])
def test_a_command_reads_a_start_score_as_a_number(text: str, value: Any) -> None:
    assert board.parse_option("start_score", text) == value


def test_a_command_reads_customers_as_text() -> None:
    assert board.parse_option("customers", "open") == "open"


@pytest.mark.parametrize(
    ("name", "content"),
    [("own.json", '{"plazas": {"P1": [1, 2]}}'), ("own.toml", "plazas.P1 = [1, 2]"), ("O.TOML", "[plazas]\nP1=[1,2]")],
)
def test_a_command_reads_a_board_from_a_file(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    given = board.parse_option("board", str(tmp_path / name))
    assert given == {"plazas": {"P1": [1, 2]}}
    expected = GAME.rules.configure(board=given).tobytes()
    assert GAME.rules.configure(board=tmp_path / name).tobytes() == expected


def test_the_printed_board_can_be_given_as_a_file(tmp_path: Path) -> None:
    """As `olb board new` prints it, with the comments."""
    assert GAME.boards is not None
    text = template(GAME.boards.about, GAME.boards.printed(), GAME.boards.comments)
    assert max(map(len, text.splitlines())) <= 120
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    assert GAME.rules.configure(board=str(tmp_path / "own.toml")).tobytes() == GAME.rules.configure().tobytes()


def dealt(own: Any) -> Any:
    states = GAME.new_states(1)
    GAME.rules.deal(states[0], GAME.rules.configure(board=own)[0], 1)
    return states[0]


@pytest.mark.parametrize("own", [{}, OTHER_PLAN, PARALLEL_PLAN, SHORT_BOARD, {"plazas": {"P1": [0, 120]}}])
def test_the_board_of_any_state_can_be_given_again(own: dict[str, Any]) -> None:
    assert GAME.boards is not None
    described = GAME.boards.describe(dealt(own))
    assert json.loads(json.dumps(described)) == described
    assert GAME.boards.describe(dealt(described)) == described
    assert (described == GAME.boards.printed()) == (not own)


LINES: list[tuple[str, int, str]] = [
    ("rivers = []", 1, "board has the key 'rivers'"),
    ("[alleys]\nA2.values = [1]\nA2.ends = ['P2', 'P3']", 2, "alley A2 has the lots [1]"),
    ("[alleys.A1]\nends = ['P1', 'P2']\nvalues = [\n 3,\n 0,\n]", 5, "alley A1 has a lot of value 0"),
    ("[plazas]\nP1 = [1, 2]\nP7 = [1]", 3, "plaza P7 is at [1]"),
    ("[alleys]\n\nA1 = {ends = ['P1', 'P3'], values = [1, 2]}", 3, "district D1 is A1, A9, A10: expected three alleys"),
    ("[districts]\nD1 = ['A1', 'A9', 'A10']\nD2 = ['A10', 'A11', 'A30']", 3, "district D2 has the alley 'A30'"),
    (
        "[alleys]\nA15 = {ends = ['P1', 'P5'], values = [3, 1]}\n[districts]\nD2 = ['A1', 'A10', 'A15']",
        4,
        "districts D1 and D2 share A1 and A10",
    ),
]


@pytest.mark.parametrize(("content", "line", "reason"), LINES, ids=[reason[:40] for *_, reason in LINES])
def test_what_is_wrong_with_a_file_is_said_with_the_line(tmp_path: Path, content: str, line: int, reason: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"own.toml, line {line}: {reason}")):
        GAME.rules.configure(board=file)
    (tmp_path / "own.json").write_text(json.dumps(tomllib.loads(content), indent=1), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(reason)):
        GAME.rules.configure(board=tmp_path / "own.json")


def test_an_alley_in_a_list_is_found_in_json(tmp_path: Path) -> None:
    alleys = [*ALLEYS[:3], {**ALLEYS[3], "values": [3, 10]}, *ALLEYS[4:]]
    lines = ",\n".join(json.dumps(alley) for alley in alleys)
    (tmp_path / "own.json").write_text(f'{{"alleys": [\n{lines}\n]}}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"own.json, line 5: alley A4 has a lot of value 10"):
        GAME.rules.configure(board=tmp_path / "own.json")


# Two alleys between the same two plazas


def test_two_alleys_between_the_same_plazas_have_their_own_actions_lots_and_stalls() -> None:
    position = Position(board=PARALLEL_PLAN, bobby="D12")
    position.act("token 3")
    assert [name for name in position.legal_of("stall") if name.startswith("A17")] == ["A17 P2", "A17 P9"]
    position.act("stall A17 P2", "bobby D11", "bobby D10", "bobby D4")
    assert [name for name in position.legal_of("stall") if name.startswith("A20")] == ["A20 P2", "A20 P9"]
    position.act("stall A20 P9")
    assert (position.lots("A17"), position.lots("A20")) == ([0, None, None, None], [None, None, None, None, 0])


def test_two_alleys_between_the_same_plazas_are_scored_on_their_own() -> None:
    position = Position(board=PARALLEL_PLAN, bobby="D12")
    position.put_customers(P2="servant", P9="burgher")
    position.fill("A17", 0, 1, 0)
    position.fill("A20", 1, 1, 1, 1)
    position.acting(0, 1, "D12")
    assert "beside P2 servant" in GAME.display.explain(*_customer_to("P1", position))
    position.act("stall A17 P2")
    assert position.scores == [10 + 2 * (3 + 1 + 3), 10 + 2 * 1, 10]
    scored = [ALLEY_NAMES[number] for number in np.flatnonzero(position.game.table.alley_scored)]
    assert scored == ["A17"]


def test_a_customer_beside_two_alleys_to_the_same_plaza_is_named_once() -> None:
    position = Position(board=PARALLEL_PLAN, bobby="D12")
    position.put_customers(P9="burgher")
    assert GAME.display.explain(*_customer_to("P2", position)) == "beside P9 burgher"


def test_two_alleys_between_the_same_plazas_are_drawn_side_by_side() -> None:
    plan = Plan.of(Position(board=PARALLEL_PLAN).game)
    (a, b), (c, d) = (plan.alleys[ALLEY_NAMES.index(name)] for name in ("A17", "A20"))
    assert math.dist(a, c) == pytest.approx(ALLEY_GAP)
    assert math.dist(b, d) == pytest.approx(ALLEY_GAP)
    middle = ((a[0] + c[0]) / 2, (a[1] + c[1]) / 2)
    assert middle == pytest.approx(plan.plazas[PLAZA_NAMES.index("P2")])
    turned = {**PARALLEL_PLAN["alleys"], "A20": {"ends": ["P9", "P2"], "values": [1, 1]}}
    other = Plan.of(Position(board={**PARALLEL_PLAN, "alleys": turned}).game)
    assert other.alleys[ALLEY_NAMES.index("A20")] == (d, c)
    alone = Plan.of(Position().game)
    assert alone.alleys[0] == (alone.plazas[0], alone.plazas[1])


def test_the_observation_tells_the_plan_and_all_lots() -> None:
    position = Position(board=PARALLEL_PLAN)
    seen, _ = view(position.states, 0, GAME)
    values = seen[OBSERVATION["board.values"]].reshape(len(ALLEY_NAMES), -1) * 3
    np.testing.assert_allclose(values, position.game.board.values)
    ends = seen[OBSERVATION["board.ends"]].reshape(-1, 2) * len(PLAZA_NAMES)
    np.testing.assert_allclose(ends, position.game.board.ends, rtol=1e-6)
    around = seen[OBSERVATION["board.around"]].reshape(len(DISTRICT_NAMES), -1) * len(ALLEY_NAMES)
    np.testing.assert_allclose(around, position.game.board.around, rtol=1e-6)


def test_every_command_option_but_the_board_has_a_list_of_values() -> None:
    assert set(board.COMMAND_OPTIONS) - {"board"} == set(board.OPTION_VALUES)


def test_neighbouring_districts_lie_on_both_sides_of_an_alley() -> None:
    setup = GAME.rules.configure()[0]
    for here in range(len(DISTRICT_NAMES)):
        for side, there in enumerate(setup.beyond[here].tolist()):
            if there >= 0:
                assert setup.board.around[here, side] in setup.board.around[there]
                assert here in setup.beyond[there]
