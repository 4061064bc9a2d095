"""Agents: what one is, how it is named, and how a table of them plays a game to its end.

An agent sees a `View`: what its seat may know, and nothing else. All its chance comes from there too, so that one
agent can sit at any number of tables and every game is reproducible from its seed. Games that a view hands out remember
all that was ever public, also where observations do not. `random` lives here; other agents register themselves, or are
named as `package.module:Class`.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.game import Game, State, States, copy_of
from olb_env.core.records import Record, make_record
from olb_env.core.rng import DRAWS, below, mix, private_key, stream


class AgentError(ValueError):
    """An agent that fails, or answers what it may not; `public` says so without what only its seat knows."""

    def __init__(self, message: str, public: str = "") -> None:
        super().__init__(message)
        self.public = public or message


class Views:
    """Decisions of some games [N], each as its acting seat sees it.

    The games behind them are redrawn: nothing that the seats may not know is in them. The seed of each decision is all
    its agent can know of chance, so it must tell neither the deal nor what others draw: see `chances_of`.
    """

    def __init__(self, game: Game, states: States, seeds: Iterable[int], rows: Any = None) -> None:
        rows = np.arange(len(states)) if rows is None else rows
        count = len(rows)
        self.game = game
        self.seeds = np.ascontiguousarray(seeds, np.uint64)
        self.seats: npt.NDArray[np.int64] = np.empty(count, np.int64)
        self.masks: npt.NDArray[np.int8] = np.empty((count, len(game.actions)), np.int8)
        self.states = game.new_states(count)  # redrawn, as games that could be those played
        batch.take_rows(states, rows, self.states)
        batch.actor_rows(self.states, self.seats)
        batch.write_masks(self.states, self.masks)
        batch.resample_rows(self.states, self.seats, self.seeds)
        self._legal = self.masks.copy()  # what answers are checked against, whatever an agent does to its mask

    @cached_property
    def observations(self) -> npt.NDArray[np.float32]:
        """What each acting seat sees [N, D]; the same of a redrawn game as of the one played."""
        seen = np.empty((len(self), self.game.observation.size), np.float32)
        batch.observe_rows(self.states, self.seats, seen)
        return seen

    def __len__(self) -> int:
        return len(self.seats)

    def __getitem__(self, index: int) -> View:
        if not 0 <= index < len(self):
            raise IndexError(f"view {index} of {len(self)}")
        return View(self, index)


class View:
    """A decision as one seat sees it."""

    def __init__(self, views: Views, index: int) -> None:
        self.game = views.game
        self.seat = int(views.seats[index])
        self.seed = int(views.seeds[index])
        self.mask = views.masks[index]
        self._views, self._index = views, index

    @property
    def observation(self) -> npt.NDArray[np.float32]:
        """What the seat sees, as numbers [D]."""
        seen: npt.NDArray[np.float32] = self._views.observations[self._index]
        return seen

    @cached_property
    def legal(self) -> list[str]:
        """The names of the actions to choose from."""
        names = self.game.names(self._views.states[self._index])
        return [names[action] for action in np.flatnonzero(self.mask)]

    @cached_property
    def chance(self) -> np.random.Generator:
        """Random numbers for this decision, the same whenever the same game is played again."""
        return np.random.default_rng(mix(self.seed))

    def clone(self, draw: int = 0) -> States:
        """A game [1] that could be the one played; every `draw` gives another."""
        state = self._views.states[self._index : self._index + 1].copy()
        seeds = np.array([stream(self.seed, DRAWS + draw)], np.uint64)
        batch.resample_rows(state, np.array([self.seat]), seeds)
        return state


class Evaluation(NamedTuple):
    """What an agent expects of some decisions."""

    policy: npt.NDArray[np.float64]  # [N, A] the probability of each action
    values: npt.NDArray[np.float64]  # [N, P] the expected utility of each seat


class Agent(Protocol):
    """Anything that decides: by an action's id or its name.

    An agent that profits from deciding for many games at once has `act_many(views)` besides, which answers an array
    of ids. One that cannot play every game has `check(game)`, which raises ValueError if it cannot play that one. One
    that has opinions has `evaluate(views)`, which returns an `Evaluation`.
    """

    def act(self, view: View) -> int | str:
        """The action to take."""
        ...


class RandomAgent:
    """Every legal action is equally likely."""

    def act(self, view: View) -> int:
        """Any of them."""
        actions = np.flatnonzero(view.mask)
        return int(actions[below(view.seed, len(actions))])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        """Any of them in each game."""
        actions = np.empty(len(views), np.int64)
        batch.choose_at_random(views.masks, views.seeds, actions)
        return actions


Factory = Callable[[str], Agent]  # given what follows the colon in the name
_factories: dict[str, Factory] = {}


def register_agent(name: str, factory: Factory) -> None:
    """Give an agent a name for commands and environments."""
    _factories[name] = factory


def agent_names() -> list[str]:
    """The names there are."""
    _find_agents()
    return sorted(_factories)


@functools.cache
def _find_agents() -> None:
    """Import the packages that bring agents: their entry points name modules that register them."""
    for entry in importlib.metadata.entry_points(group="olb_env.agents"):
        entry.load()


def is_named(name: str) -> bool:
    """Whether an agent is one of those registered, and not a class of a user's."""
    head = name.partition(":")[0]
    if head not in _factories:
        _find_agents()
    return head in _factories


def make_agent(name: str) -> Agent:
    """The agent of that name."""
    if is_named(name):
        head, colon, rest = name.partition(":")
        if colon and not rest:
            raise ValueError(f"agent {name!r} has nothing behind its colon: leave the colon out")
        try:
            return _factories[head](rest)
        except OSError as error:
            raise ValueError(f"cannot load agent {name[:200]!r}: {error.strerror or error}") from None
    known = f"expected one of {', '.join(agent_names())}, package.module:Class or path/to/file.py:Class"
    head, _, rest = name.rpartition(":")
    if not head or not rest:
        raise ValueError(f"unknown agent {name!r}: {known}")
    try:
        made: Agent = getattr(_load(head), rest)()
    except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever a user's module does
        raise ValueError(f"cannot load agent {name!r} ({type(error).__name__}: {error}): {known}") from None
    if not callable(getattr(made, "act", None)):
        raise ValueError(f"agent {name!r} has no method act(view): {known}")
    return made


def agent_for(name: str, game: Game) -> Agent:
    """The agent of that name, if it plays a game."""
    agent = make_agent(name)
    _check(agent, name, game)
    return agent


def _check(agent: Agent, name: str, game: Game) -> None:
    """A ValueError says that an agent does not play a game, if it can say so itself."""
    check = getattr(agent, "check", None)
    if check is not None:
        try:
            check(game)
        except ValueError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever a user's class does
            raise ValueError(f"agent {name!r} failed with {type(error).__name__}: {error}") from None


@functools.cache
def _load(module: str) -> Any:
    """A module by its name, or by the path of its file."""
    if not module.endswith(".py"):
        return importlib.import_module(module)
    path = Path(module).resolve()
    name = f"olb_env_agent_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # so that it finds the files beside it
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.exists():
        raise FileNotFoundError(f"there is no file {module}")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def _make_random(rest: str) -> Agent:
    if rest:
        raise ValueError(f"agent 'random' takes nothing after a colon, but was given {rest!r}")
    return RandomAgent()


register_agent("random", _make_random)


def read_answer(answer: int | str, game: Game, state: State) -> int:
    """The id of what an agent answered, -1 if it is no action."""
    if isinstance(answer, str):
        return game.ids(state).get(answer, -1)
    try:
        return -1 if isinstance(answer, bool | np.bool_) else operator.index(answer)
    except TypeError:
        return -1


def decide(agent: Agent, name: str, views: Views) -> npt.NDArray[np.int64]:
    """What an agent answers to some views, as ids of legal actions; AgentError if it fails or answers otherwise."""
    act_many = getattr(agent, "act_many", None)
    if act_many is None:
        answers = [
            _ask(agent.act, views[index], f"{name!r} in seat {views.seats[index]}") for index in range(len(views))
        ]
    else:
        answers = _ask(act_many, views, repr(name))
        if _all_legal(answers, views._legal):
            return np.asarray(answers, np.int64)
        answers = _ask(list, answers, repr(name))
    if len(answers) != len(views):
        raise AgentError(f"agent {name!r} gave {len(answers)} answers: expected {len(views)}, one for each view")
    actions = np.empty(len(answers), np.int64)
    for index, answer in enumerate(answers):
        who = f"{name!r} in seat {views.seats[index]}"
        action = _ask(partial(read_answer, game=views.game, state=views.states[index]), answer, who)
        if not 0 <= action < len(views.game.actions) or not views._legal[index, action]:
            names = views.game.names(views.states[index])
            legal = [names[number] for number in np.flatnonzero(views._legal[index])]
            shown = _ask(repr, answer, who)
            raise AgentError(
                f"agent {who} chose {shown[:100]}: expected one of {', '.join(legal)}",
                f"agent {who} answered what is not legal",
            )
        actions[index] = action
    return actions


def _all_legal(answers: Any, legal: npt.NDArray[np.int8]) -> bool:
    """Whether answers are an array of ids of legal actions: what nearly all are, seen without a look at each."""
    return bool(
        isinstance(answers, np.ndarray)
        and answers.dtype.kind in "iu"
        and answers.shape == legal.shape[:1]
        and ((answers >= 0) & (answers < legal.shape[1])).all()
        and legal[np.arange(len(answers)), answers.astype(np.int64)].all()
    )


def _ask(act: Callable[[Any], Any], shown: Any, who: str) -> Any:
    try:
        return act(shown)
    except (Exception, SystemExit) as error:
        why = " ".join(str(error).split())[:300]
        public = f"agent {who} failed with {type(error).__name__}"
        raise AgentError(f"{public}: {why}", public) from error


def seat_opponents(opponents: Any, count: int, game: Game) -> list[tuple[str, Agent]]:
    """Opponents as a caller may give them: one for all seats or one for each, names or objects; with their names.

    All of them play the game, as far as they say.
    """
    if opponents is None:
        opponents = "random"
    listed = [opponents] * count if isinstance(opponents, str) or hasattr(opponents, "act") else opponents
    if not isinstance(listed, list | tuple):
        raise ValueError(f"opponents is {opponents!r}: expected an agent or a list of {count}")
    if len(listed) != count:
        raise ValueError(f"opponents has {len(listed)} agents: expected {count}, one for each other player")
    made = {name: agent_for(name, game) for name in listed if isinstance(name, str)}  # one for all seats of that name
    return [(name, made[name]) if isinstance(name, str) else _own_agent(name, game) for name in listed]


def _own_agent(opponent: Any, game: Game) -> tuple[str, Agent]:
    if isinstance(opponent, type) or not callable(getattr(opponent, "act", None)):
        raise ValueError(f"opponent {opponent!r} is no agent: expected a name, or an object with act(view)")
    name = type(opponent).__name__
    _check(opponent, name, game)
    return name, opponent


def chances_of(seed: int | str, players: int) -> npt.NDArray[np.uint64]:
    """A key for each seat of a game: what is drawn under one tells neither the seed nor the keys of others."""
    return np.array([private_key(f"{seed} {seat}") for seat in range(players)], np.uint64)


def play_game(game: Game, setup: Any, seed: int, agents: Sequence[str], *, legal: bool = False) -> Record:
    """Let agents play the game dealt from a seed to its end; answers its record."""
    (record,) = play_games(game, setup, [seed], agents, legal=legal)
    return record


def play_games(
    game: Game, setup: Any, seeds: Sequence[int], agents: Sequence[str], *, legal: bool = False
) -> list[Record]:
    """The same for several deals at once, each as if it were alone: agents decide in all games that wait for them."""
    states = game.new_states(len(seeds))
    batch.deal_rows(states, setup, np.array(seeds))
    initial = copy_of(states)
    players = [make_agent(name) for name in agents]
    keys = np.array([chances_of(seed, len(players)) for seed in seeds])
    asked, done = np.empty(len(seeds), np.int64), np.empty(len(seeds), np.bool_)
    steps: list[npt.NDArray[np.int64]] = []  # of all games; -1 where one is over
    batch.actor_rows(states, asked)
    while (asked >= 0).any():
        actions = np.full(len(seeds), -1, np.int64)
        for seat in np.unique(asked[asked >= 0]):
            rows = np.flatnonzero(asked == seat)
            drawn = np.empty(len(rows), np.uint64)
            batch.draw_seeds(keys[rows, seat], np.full(len(rows), len(steps)), drawn)
            actions[rows] = decide(players[seat], agents[seat], Views(game, states, drawn, rows))
        batch.apply_rows(states, actions, done)
        steps.append(actions)
        batch.actor_rows(states, asked)
    moves = np.array(steps)
    return [
        make_record(
            game, initial[row : row + 1], moves[moves[:, row] >= 0, row].tolist(), seed=seed, agents=agents, legal=legal
        )
        for row, seed in enumerate(seeds)
    ]
