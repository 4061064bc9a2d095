"""A game between a person and agents: what the person may know of it, and what it may do."""

from __future__ import annotations

import random
import secrets
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from olb_env.core import batch
from olb_env.core.game import Game, States, copy_of
from olb_env.core.positions import distinct_names
from olb_env.core.records import Record, in_short, make_record, play_through
from olb_env.core.rng import SEED_LIMIT, stream
from olb_env.page.critic import Critic, results
from olb_env.playing import Agent, AgentError, Views, chances_of, decide, make_agent

HUMAN = "human"


class PageError(Exception):
    """Something a page asked for that cannot be; with the status that says so."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class GameSession:
    """One game, one person, and agents in the other seats. Requests may come at any time; they are served in turn."""

    def __init__(
        self,
        game: Game,
        players: int,
        seat: int,
        opponents: Sequence[str],
        options: Mapping[str, Any],
        seed: int,
        secret: int,
    ) -> None:
        self.game, self.seat, self._seed = game, seat, seed
        self.names = (*opponents[:seat], HUMAN, *opponents[seat:])
        self.called = distinct_names(self.names)
        self._agents: dict[str, Agent] = {}  # those who are asked, while the game is on
        self._keys = chances_of(f"page {secret:x}", players)  # of the agents
        self._initial = game.new_states(1)
        batch.deal_rows(self._initial, game.rules.configure(num_players=players, **options), np.array([seed]))
        self._states: States = copy_of(self._initial)
        self._actions: list[int] = []
        self._shown: list[bool] = []  # whether everybody may know of an action
        self._own: list[int] = []  # where the person was asked, by number of actions before
        self._revision = 0  # grows with every change, so that no request is taken for another question
        self._lock = threading.Lock()
        with self._lock:
            self._play_on()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return batch.actor_one(self._states) < 0

    def _apply(self, action: int) -> None:
        until = self.game.rules.secret(self._states[0])
        batch.apply_one(self._states, action)
        self._actions.append(action)
        self._shown.append(until == 0)
        if self.game.rules.secret(self._states[0]) != until:
            self._shown[:] = [True] * len(self._shown)

    def _play_on(self) -> None:
        """Agents answer until the person is asked, or the game is over."""
        while (seat := batch.actor_one(self._states)) >= 0 and seat != self.seat:
            views = Views(self.game, self._states, [stream(int(self._keys[seat]), len(self._actions))])
            name = self.names[seat]
            if name not in self._agents:
                self._agents[name] = make_agent(name)
            self._apply(int(decide(self._agents[name], name, views)[0]))
        if self.over:
            self._agents.clear()  # a search keeps room for its tree

    def _expect(self, revision: Any) -> None:
        """Whether what a page asks is meant for the game as it stands."""
        if type(revision) is not int or revision != self._revision:
            told = f"revision is {in_short(revision)}, expected {self._revision}"
            raise PageError(409, f"the game has gone on in another tab: {told}")

    def move(self, action: Any, revision: Any) -> None:
        """The person's answer to the question that stands in a revision."""
        with self._lock:
            self._expect(revision)
            if self.over:
                raise PageError(409, "the game is over: begin another")
            legal = self.game.legal_actions(self._states[0])
            if action not in legal:
                raise PageError(422, f"{in_short(action)} is not legal now: expected one of {', '.join(legal)}")
            before = copy_of(self._states), list(self._actions), list(self._shown)
            self._own.append(len(self._actions))
            self._apply(self.game.ids(self._states[0])[action])
            try:
                self._play_on()
            except BaseException:
                self._own.pop()
                self._states, self._actions, self._shown = before
                raise
            self._revision += 1

    def undo(self, revision: Any) -> None:
        """Back to the person's last decision."""
        with self._lock:
            self._expect(revision)
            if not self._own:
                raise PageError(409, "there is nothing to take back")
            kept = self._actions[: self._own.pop()]
            self._states, self._actions, self._shown = copy_of(self._initial), [], []
            for action in kept:
                self._apply(action)
            self._revision += 1

    def told(self) -> dict[str, Any]:
        """All that the page shows."""
        with self._lock:
            replayed, _ = play_through(self.game, self._initial, self._actions, self.names)
            position = replayed.position()
            seat = batch.actor_one(self._states)
            told = {
                "seat": self.seat,
                "names": self.called,
                "question": self.game.display.situation(self._states[0], self.called),
                "private": self.game.display.private(self._states[0], self.seat),
                "revision": self._revision,
                "moves": [
                    {"seat": int(mover), "action": self._words(number, int(mover))}
                    for number, mover in enumerate(replayed.seats)
                ],
                "svg": position.svg(),
                "text": str(position),
                "choices": [],
                "undo": bool(self._own),
                "over": seat < 0,
            }
            if seat < 0:
                told["end"] = self._end()
            else:
                told["choices"] = [
                    {
                        "action": name,
                        "words": self.game.display.explain(self._states[0], self.game.ids(self._states[0])[name]),
                    }
                    for name in self.game.legal_actions(self._states[0])
                ]
            return told

    def _end(self) -> dict[str, Any]:
        """Ranks and scores of all seats, and where the scores came from if the game tells."""
        game, state, players = self.game, self._states[0], len(self.names)
        ranks, scores = np.zeros(players, np.int64), np.zeros(players)
        game.rules.returns(state, ranks, scores)
        return {
            "counted": game.display.score_title or game.score,
            "ranks": ranks.tolist(),
            "scores": scores.tolist(),
            "account": [{} for _ in range(players)] if game.display.account is None else game.display.account(state),
        }

    def _words(self, number: int, seat: int) -> str | None:
        """An action, unless it is still hidden from the person."""
        if self._shown[number] or seat == self.seat:
            return self.game.names(self._initial[0])[self._actions[number]]
        return None

    def picture(self, moves: int) -> dict[str, Any]:
        """The position after some of the moves."""
        with self._lock:
            if not 0 <= moves <= len(self._actions):
                raise PageError(404, f"there is no move {moves}: expected 0 to {len(self._actions)}")
            replayed, _ = play_through(self.game, self._initial, self._actions[:moves], self.names)
            position = replayed.position()
            return {"svg": position.svg(), "done": position.done}

    def advice(self, critic: Critic) -> dict[str, Any]:
        """What a critic thinks of the person's choices."""
        with self._lock:
            if self.over:
                raise PageError(409, "the game is over: there is nothing to advise")
            states, moves, revision = copy_of(self._states), len(self._actions), self._revision
        found = critic.opinion(states, stream(int(self._keys[self.seat]), moves))
        names = self.game.names(states[0])
        return {
            "by": critic.name,
            "revision": revision,
            "results": results(len(self.names)),
            "choices": {
                names[action]: {"likely": likely, "expected": expected}
                for action, likely, expected in zip(found.actions, found.likely, found.expected, strict=True)
            },
        }

    def record(self) -> Record:
        """The game as data; while it is on, that would tell what is hidden."""
        with self._lock:
            if not self.over:
                raise PageError(409, "a record tells what is hidden: it can be saved when the game is over")
            return make_record(self.game, self._initial, self._actions, seed=self._seed, agents=self.names)


def begin(game: Game, asked: Mapping[str, Any], allowed: Sequence[str], seed: int | None = None) -> GameSession:
    """The game that a page asks for; with a seed, the same for the same table, seat and answers."""
    players, opponents, options = asked.get("players"), asked.get("opponents"), asked.get("options", {})
    if type(players) is not int or players not in game.players:
        raise PageError(422, f"players is {in_short(players)}: expected one of {', '.join(map(str, game.players))}")
    seat = asked.get("seat", "random")
    if seat != "random" and (type(seat) is not int or not 0 <= seat < players):
        raise PageError(422, f"seat is {in_short(seat)}: expected 0 to {players - 1}, or random")
    if not isinstance(opponents, list) or len(opponents) != players - 1:
        raise PageError(422, f"opponents is {in_short(opponents)}: expected {players - 1} names of agents")
    for name in opponents:
        if not isinstance(name, str) or name not in allowed:
            raise PageError(422, f"unknown opponent {in_short(name)}: expected some of {', '.join(allowed)}")
    if not isinstance(options, dict) or not all(isinstance(text, str) for text in options.values()):
        raise PageError(422, f"options is {in_short(options)}: expected names and texts")
    try:
        read = {name: _option(game, name, text) for name, text in options.items()}
        chance = secrets.SystemRandom() if seed is None else random.Random(seed)
        secret = chance.getrandbits(128)
        dealt = chance.randrange(SEED_LIMIT) if seed is None else seed
        chosen = chance.randrange(players) if seat == "random" else seat
        return GameSession(game, players, chosen, opponents, read, dealt, secret)
    except AgentError:
        raise
    except ValueError as error:
        raise PageError(422, str(error)) from None


def _option(game: Game, name: str, text: str) -> Any:
    if name not in game.commands.help:
        raise PageError(422, f"unknown option {in_short(name)}: expected some of {', '.join(game.commands.help)}")
    return game.commands.parse(name, text)
