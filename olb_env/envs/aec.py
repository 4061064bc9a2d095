"""Any game as a PettingZoo AEC environment: one agent acts at a time, the others wait.

`GameEnv` is the plain environment, in which an illegal action raises ValueError. `CheckedEnv` behaves like PettingZoo's
own games: it checks the order of calls, and an illegal action loses.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from olb_env.core import batch
from olb_env.core.checking import read_whole_numbers, shown
from olb_env.core.compiling import specialize
from olb_env.core.game import Game, copy_of
from olb_env.core.positions import Position
from olb_env.core.possible import check_states
from olb_env.core.records import Record, make_record, play_through
from olb_env.core.rewards import illegal_reward, reward_kind, reward_rows
from olb_env.core.rng import following_seed
from olb_env.envs.common import (
    action_space,
    fresh_seed,
    observation_space,
    read_action,
    read_changes,
    read_seed,
    setup_for,
    setup_with,
    without_files,
)
from olb_env.envs.rendering import Renderer, read_render_mode, render_modes

Observation = dict[str, npt.NDArray[Any]]


def metadata_of(game: Game) -> dict[str, Any]:
    """Return the metadata that PettingZoo expects of an environment."""
    return {"name": f"{game.name}_v{game.version}", "is_parallelizable": False, **render_modes()}


class GameEnv(AECEnv[str, Observation, int]):  # type: ignore[misc]  # PettingZoo has no types
    """A game with the agents `player_0`, `player_1`, …; subclasses set the game and name its options."""

    game: ClassVar[Game]
    _view_one: ClassVar[Callable[..., None]]
    _apply_one: ClassVar[Callable[..., int]]

    def __init__(self, *, reward: str, render_mode: str | None, **options: Any) -> None:
        super().__init__()
        game = self.game
        self.render_mode = read_render_mode(render_mode)
        self._renderer = Renderer(self.render_mode)
        self._has_window = self.render_mode == "human"  # which shows every position
        self._reward_kind = reward_kind(game, reward)
        self._setup = setup_for(game, options)
        self._options = without_files(options)
        self._states = game.new_states(1)
        self._initial = self._states
        self._actions: list[int] = []
        self._seed: int | None = None  # of the current game
        self._base_seed: int | None = None  # the last seed given to `reset`
        self._games_dealt = 0  # from the base seed
        self._seat_agents()
        space = spaces.Dict(
            {
                "observation": observation_space(game),
                "action_mask": spaces.Box(0, 1, (len(game.actions),), np.int8),
            }
        )
        self._action_spaces: dict[str, spaces.Discrete[np.int64]] = {
            agent: action_space(game) for agent in self.possible_agents
        }
        self._observation_spaces = {agent: copy.deepcopy(space) for agent in self.possible_agents}
        self._compile()

    def _seat_agents(self) -> None:
        """Name the agents, and note the lengths of what machine code writes."""
        self.possible_agents = [f"player_{seat}" for seat in range(int(self._setup[0].players))]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._sizes = self.game.observation.size, len(self.game.actions)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the parts of a pickled or copied environment, after checking the game that machine code will play."""
        self.__dict__.update(state)
        self._setup = setup_for(self.game, self._options)
        self._seat_agents()
        self._actions = read_whole_numbers("actions", self._actions, below=len(self.game.actions)).tolist()
        if self._seed is None:
            self._states = self._initial = self.game.new_states(1)
        else:
            self._states, self._initial = copy_of(self._states), copy_of(self._initial)
            if len(self._states) != 1 or len(self._initial) != 1:
                raise ValueError(f"there are {len(self._states)} states of the game: expected one")
            for states in (self._states, self._initial):
                check_states(self.game, states)
                if self.game.num_players(states[0]) != len(self.possible_agents):
                    raise ValueError(f"the game is not one of {len(self.possible_agents)} players")
        self._compile()

    @classmethod
    def _compile(cls) -> None:
        """Get the machine code of the two calls of every step; the class keeps it, since code cannot be copied."""
        if "_view_one" not in cls.__dict__:
            states = cls.game.new_states(1)
            observation = np.empty(cls.game.observation.size, np.float32)
            mask = np.empty(len(cls.game.actions), np.int8)
            cls._view_one = staticmethod(specialize(batch.view_one, states, 0, observation, mask))
            cls._apply_one = staticmethod(specialize(batch.apply_one, states, 0))

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space, the same for every agent and every number of players."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """Return the space of all actions of the game."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game. The same seed deals the same game. Without a seed the game follows from the last one.

        `options` changes options of the game, except the number of players, for this game only. Other keys are ignored:
        they may be meant for wrappers.
        """
        changes = read_changes(options)
        setup = setup_with(self.game, self._options, changes) if changes else self._setup
        if seed is not None:
            self._base_seed, self._games_dealt = read_seed(seed), 0
        if self._base_seed is None:
            self._base_seed = fresh_seed()
        self._seed = int(following_seed(self._base_seed, self._games_dealt)) if self._games_dealt else self._base_seed
        self._games_dealt += 1
        self._states = self.game.new_states(1)
        batch.deal_rows(self._states, setup, np.array([self._seed]))
        self._initial = copy_of(self._states)
        self._actions = []
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[batch.actor_one(self._states)]
        if self._has_window:
            self._renderer.follow(self.position())

    def observe(self, agent: str) -> Observation:
        """Return what an agent may know now; its mask is empty unless it is to act."""
        if self._seed is None:
            raise ValueError("there is nothing to observe yet: call reset() first")
        size, actions = self._sizes
        observation = np.empty(size, np.float32)
        mask = np.empty(actions, np.int8)
        self._view_one(self._states, self._seat_of[agent], observation, mask)
        return {"observation": observation, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Take the action of the agent to act; an illegal one raises ValueError and changes nothing."""
        if self._seed is None or not self.agents:
            raise ValueError(f"action is {shown(action)}, but no game is in progress: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise ValueError(f"action is {shown(action)}, but the game is over: expected None for {agent}")
            self._was_dead_step(None)
            return
        chosen = read_action(action, self.game)
        actor = self._apply_one(self._states, chosen)
        if actor == batch.ILLEGAL:
            names, ids = self.game.names(self._states[0]), self.game.ids(self._states[0])
            legal = ", ".join(f"{ids[name]} {name!r}" for name in self.legal_actions())
            raise ValueError(f"action {chosen} ({names[chosen]!r}) is not legal for {agent}: expected one of {legal}")
        self._actions.append(chosen)
        self._cumulative_rewards[agent] = 0.0
        if actor >= 0:
            self.agent_selection = self.possible_agents[actor]
        else:
            self._end()
        if self._has_window:
            self._renderer.follow(self.position())

    def _end(self) -> None:
        """Give every agent its reward, and the results of the game in its info."""
        rewards = np.zeros((1, len(self.possible_agents)))
        reward_rows(self._states, self._reward_kind, self.game.score_unit, rewards)
        self.rewards = dict(zip(self.possible_agents, rewards[0].tolist(), strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = dict(zip(self.possible_agents, self.game.records.final_infos(self._states[0]), strict=True))
        self._deads_step_first()

    def legal_actions(self) -> list[str]:
        """Return the names of the legal actions."""
        if self._seed is None:
            raise ValueError("there is no game in progress: call reset() first")
        return self.game.legal_actions(self._states[0])

    def position(self) -> Position:
        """Return the current position, with the last action."""
        if self._seed is None:
            raise ValueError("there is no game to show yet: call reset() first")
        return play_through(self.game, self._initial, self._actions, self.possible_agents)[0].position()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the position as text, SVG or pixels, or show it in a window, depending on `render_mode`."""
        return self._renderer.render(self.position())

    def _repr_svg_(self) -> str | None:
        """Return the picture of the position, which a notebook shows."""
        return None if self._seed is None else self.position().svg()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def record(self, legal: bool = False) -> Record:
        """Return the record of the game so far; `legal` adds the legal actions of every decision."""
        if self._seed is None:
            raise ValueError("there is no game to record yet: call reset() first")
        return make_record(self.game, self._initial, self._actions, seed=self._seed, legal=legal)

    def clone(self) -> Self:
        """Return a copy of the environment, at the same point of the same game."""
        return copy.deepcopy(self)


class CheckedEnv(
    wrappers.OrderEnforcingWrapper[str, Observation, int],  # type: ignore[misc]
    wrappers.TerminateIllegalWrapper[str, Observation, int],  # type: ignore[misc]
):
    """PettingZoo's two usual wrappers in one: they check the order of calls, and an illegal action loses.

    A legal action at the right time takes a short cut past both wrappers. They handle everything else.
    """

    env: GameEnv

    def __init__(self, env: GameEnv) -> None:
        wrappers.TerminateIllegalWrapper.__init__(self, env, illegal_reward(env.game, env._reward_kind))
        self._prev_obs: Observation | None = None
        self._prev_info: dict[str, Any] | None = None
        self._has_reset = False
        self._has_updated = False

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Iterate over the agents in the order in which they act, until all have left."""
        super().agent_iter(max_iter)  # raises before reset
        return self._agents_to_act(max_iter)

    def _agents_to_act(self, max_iter: int) -> Iterator[str]:
        env = self.env
        for _ in range(max_iter):
            if not env.agents:
                return
            if not self._has_updated:
                raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
            self._has_updated = False
            yield env.agent_selection

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last step, termination, truncation and info of the agent to act."""
        if not self._has_reset:
            last: tuple[Observation | None, float, bool, bool, dict[str, Any]] = super().last(observe)
            return last
        env = self.env
        agent = env.agent_selection
        return (
            self.observe(agent) if observe else None,
            env._cumulative_rewards[agent],
            env.terminations[agent],
            env.truncations[agent],
            env.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """Return what an agent may know now; its mask is empty unless it is to act."""
        observation: Observation
        if not self._has_reset:
            observation = super().observe(agent)
            return observation
        env = self.env
        observation = env.observe(agent)
        if agent == env.agent_selection:  # the wrappers check the next step against it
            self._prev_obs = observation
            self._prev_info = env.infos.get(agent, {})
        return observation

    def step(self, action: Any) -> None:
        """Take an action; an illegal one loses the game, and anything that is not an action raises ValueError."""
        observed = self._prev_obs
        if observed is not None and type(action) is int and 0 <= action < len(observed["action_mask"]):
            if observed["action_mask"][action]:
                self._prev_obs = self._prev_info = None
                self._has_updated = True
                self.env.step(action)
                return
        elif self._has_reset and self.env.agents and not self.env.terminations[self.env.agent_selection]:
            action = read_action(action, self.env.game)
        super().step(action)

    def __str__(self) -> str:
        return str(self.env)

    def _repr_svg_(self) -> str | None:
        return self.env._repr_svg_()


def _direct(name: str) -> property:
    """Return a property that reads from the wrapped environment; before `reset` the wrapper raises its own error."""
    return property(operator.attrgetter(f"env.{name}"))


for _name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos"):
    setattr(CheckedEnv, _name, _direct(_name))
