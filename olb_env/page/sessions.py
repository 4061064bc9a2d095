"""A game between a person and agents: what the person may see of it, and what the person can do.

Nothing that leaves a session reveals what the person's seat may not know. This module knows nothing of HTTP.
"""

from __future__ import annotations

import random
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from olb_env.core import batch
from olb_env.core.boards import is_board_file
from olb_env.core.checking import shown
from olb_env.core.game import Game, copy_of
from olb_env.core.positions import distinct_names
from olb_env.core.records import Record, play_through
from olb_env.core.rewards import utilities_by_rank
from olb_env.core.rng import SEED_LIMIT
from olb_env.core.secrecy import still_hidden
from olb_env.page.adviser import Adviser
from olb_env.page.agent_pool import AgentPool
from olb_env.page.errors import PageError
from olb_env.playing import AgentError, Match, decide, seat_keys

HUMAN = "human"
LONGEST_OPTION = 1000  # characters of the text of an option
PRINTED_BOARD = "as printed"  # the default board on the page, in a game that has no names for its boards


@dataclass(frozen=True)
class Given:
    """An option that the user gave in the terminal: its value, and the text that stands for it on the page."""

    text: str
    value: Any


class GameSession:
    """One game of one person, with agents in the other seats; requests from several threads are served in turn."""

    def __init__(
        self,
        game: Game,
        players: int,
        seat: int,
        opponents: Sequence[str],
        options: Mapping[str, Any],
        seed: int,
        secret: int,
        pool: AgentPool,
    ) -> None:
        self.game, self.seat, self._seed, self._pool = game, seat, seed, pool
        self.names = (*opponents[:seat], HUMAN, *opponents[seat:])
        self.shown_names = distinct_names(self.names)
        setup = game.rules.configure(num_players=players, **options)
        self._match = Match(game, setup, [seed], seat_keys(f"page {secret:x}", players)[None])
        self._reveals: list[int] = []  # for each move, the reveal that it waited for
        self._own_moves: list[int] = []  # the numbers of the person's moves
        self._revision = 0  # grows with every change, so that a late request is not taken for a newer decision
        self._lock = threading.Lock()
        with self._lock:
            self._play_opponents()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._actor() < 0

    def _actor(self) -> int:
        return batch.actor_one(self._match.states)

    def _play_opponents(self) -> None:
        """Let the agents play until it is the person's turn, or the game is over."""
        self._match.play(self._choose, pause_at=self.seat)

    def _choose(self, rows: Any, seats: Any) -> Any:
        """Return the action of the agent whose turn it is [1]."""
        name = self.names[int(seats[0])]
        with self._pool.borrowed(name) as agent:
            actions = decide(agent, name, self._match.views(rows, seats))
        self._reveals.append(self.game.rules.secret(self._match.states[0]))
        return actions

    def _rewind(self, moves: int) -> None:
        """Return to the position after the first moves."""
        self._match.rewind(moves)
        del self._reveals[moves:]

    def _check_revision(self, revision: Any) -> None:
        """Raise PageError if a request was meant for another position of the game."""
        if type(revision) is not int or revision != self._revision:
            details = f"revision is {shown(revision)}, expected {self._revision}"
            raise PageError(409, f"the game has changed in another tab: {details}")

    def move(self, action: Any, revision: Any) -> None:
        """Make the person's move, and the moves of the agents after it."""
        with self._lock:
            self._check_revision(revision)
            if self.over:
                raise PageError(409, "the game is over: start another")
            state, moves = self._match.states[0], len(self._reveals)
            legal = self.game.legal_actions(state)
            if action not in legal:
                raise PageError(422, f"{shown(action)} is not legal now: expected one of {', '.join(legal)}")
            self._reveals.append(self.game.rules.secret(state))
            self._match.step(np.array([self.game.ids(state)[action]]))
            try:
                self._play_opponents()
            except BaseException:
                self._rewind(moves)
                raise
            self._own_moves.append(moves)
            self._revision += 1

    def undo(self, revision: Any) -> None:
        """Return to the person's last decision."""
        with self._lock:
            self._check_revision(revision)
            if not self._own_moves:
                raise PageError(409, "there is no move to undo")
            self._rewind(self._own_moves.pop())
            self._revision += 1

    def snapshot(self) -> dict[str, Any]:
        """Return everything that the page shows."""
        with self._lock:
            state, actions = self._match.states[0], self._match.actions()
            replayed, _ = play_through(self.game, self._match.initial, actions, self.names)
            position, seats = replayed.position(), replayed.seats.tolist()
            over, display = self.over, self.game.display
            snapshot = {
                "seat": self.seat,
                "names": self.shown_names,
                "situation": display.situation(state, self.shown_names),
                "private": display.private(state, self.seat),
                "revision": self._revision,
                "moves": [
                    {"seat": seat, "action": None if self._is_hidden(number, seat) else action}
                    for number, (seat, action) in enumerate(zip(seats, replayed.action_names, strict=True))
                ],
                "svg": position.svg(),
                "text": str(position),
                "choices": [],
                "can_undo": bool(self._own_moves),
                "over": over,
            }
            if over:
                snapshot["end"] = self._end()
            else:
                ids = self.game.ids(state)
                snapshot["choices"] = [
                    {"action": name, "explanation": display.explain(state, ids[name])}
                    for name in self.game.legal_actions(state)
                ]
            return snapshot

    def _is_hidden(self, number: int, seat: int) -> bool:
        """Return whether the person may not know a move yet."""
        return seat != self.seat and still_hidden(self._reveals[number], self._match.states[0])

    def _end(self) -> dict[str, Any]:
        """Return the ranks and scores of all seats, and where the scores came from if the game says so."""
        game, state, players = self.game, self._match.states[0], len(self.names)
        ranks, scores = np.zeros(players, np.int64), np.zeros(players)
        game.rules.returns(state, ranks, scores)
        breakdown = [{} for _ in range(players)] if game.display.account is None else game.display.account(state)
        return {
            "score_title": game.display.score_title or game.score,
            "ranks": ranks.tolist(),
            "scores": scores.tolist(),
            "breakdown": breakdown,
        }

    def position(self, moves: int) -> dict[str, Any]:
        """Return the picture after some of the moves."""
        with self._lock:
            actions = self._match.actions()
            if not 0 <= moves <= len(actions):
                raise PageError(404, f"there is no move {moves}: expected 0 to {len(actions)}")
            replayed, _ = play_through(self.game, self._match.initial, actions[:moves], self.names)
            position = replayed.position()
            return {"svg": position.svg(), "last_move": position.last_move}

    def advice(self, adviser: Adviser) -> dict[str, Any]:
        """Return what an adviser thinks of the person's choices."""
        with self._lock:
            if self.over:
                raise PageError(409, "the game is over: there is nothing to advise")
            states, revision = copy_of(self._match.states), self._revision
            (seed,) = self._match.seeds(np.array([0]), np.array([self.seat])).tolist()
        opinion = adviser.opinion(states, seed)
        names = self.game.names(states[0])
        return {
            "adviser": adviser.name,
            "revision": revision,
            "utilities_by_rank": utilities_by_rank(len(self.names)),
            "choices": {
                names[action]: {"probability": probability, "value": value}
                for action, probability, value in zip(
                    opinion.actions, opinion.probabilities, opinion.values, strict=True
                )
            },
        }

    def record(self) -> Record:
        """Return the record of the finished game; before the end it would reveal what is hidden."""
        with self._lock:
            if not self.over:
                raise PageError(409, "a record reveals what is hidden: it can be saved when the game is over")
            return self._match.record(seed=self._seed, agents=self.names)


def start_session(
    game: Game,
    request: Mapping[str, Any],
    agents: Sequence[str],
    pool: AgentPool,
    given: Mapping[str, Given],
    seed: int | None = None,
) -> GameSession:
    """Return a new session as a page asks for it.

    `agents` are the opponents to choose from, `given` the options that hold unless the page chooses others. With a
    seed, the same request and the same moves lead to the same game.
    """
    players, opponents, options = request.get("players"), request.get("opponents"), request.get("options", {})
    if type(players) is not int or players not in game.players:
        raise PageError(422, f"players is {shown(players)}: expected one of {', '.join(map(str, game.players))}")
    seat = request.get("seat", "random")
    if seat != "random" and (type(seat) is not int or not 0 <= seat < players):
        raise PageError(422, f"seat is {shown(seat)}: expected 0 to {players - 1}, or random")
    if not isinstance(opponents, list) or len(opponents) != players - 1:
        expected = "the name of one agent" if players == 2 else f"the names of {players - 1} agents"
        raise PageError(422, f"opponents is {shown(opponents)}: expected a list with {expected}")
    for name in opponents:
        if not isinstance(name, str) or name not in agents:
            raise PageError(422, f"unknown opponent {shown(name)}: expected some of {', '.join(agents)}")
    if not isinstance(options, dict) or not all(isinstance(text, str) for text in options.values()):
        raise PageError(422, f"options is {shown(options)}: expected an object of texts")
    try:
        values = {name: one.value for name, one in given.items()}
        values |= {name: _option_value(game, name, text, given) for name, text in options.items()}
        rng = secrets.SystemRandom() if seed is None else random.Random(seed)
        secret = rng.getrandbits(128)
        deal_seed = rng.randrange(SEED_LIMIT) if seed is None else seed
        own_seat = rng.randrange(players) if seat == "random" else seat
        return GameSession(game, players, own_seat, opponents, values, deal_seed, secret, pool)
    except AgentError:
        raise
    except ValueError as error:
        raise PageError(422, str(error)) from None


def _option_value(game: Game, name: str, text: str, given: Mapping[str, Given]) -> Any:
    """Return the value of an option that the page chose; only the terminal can name a file."""
    if name not in game.commands.help:
        raise PageError(422, f"unknown option {shown(name)}: expected some of {', '.join(game.commands.help)}")
    if name in given and text == given[name].text:
        return given[name].value
    if name == "board" and text == PRINTED_BOARD and game.boards is not None:
        return None
    if is_board_file(text):
        raise PageError(422, f"{name} is {shown(text)}: the page reads no files, name it as olb play --{name} FILE")
    if len(text) > LONGEST_OPTION:
        raise PageError(422, f"{name} is {shown(text)}: expected at most {LONGEST_OPTION} characters")
    return game.commands.parse(name, text)
