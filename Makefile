# `make test` is what the README and CI run; every target installs what it needs first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: test train train-strength lint types contract unit coverage compare bench strength golden tables clean
.PHONY: champion champion-strength exploiter games-strength games-exploiter seeds browser notebooks hostile

test: lint types contract unit coverage

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,train,cluster,render,play]'
	touch $@

# Train in a folder ($1) with some flags ($2), or resume the run that is there.
learn = $(BIN)/olb train $(if $(wildcard $(1)/checkpoints/*.safetensors),--resume $(1),$(2) --out $(1))

# Train an agent by self-play: about ten minutes on two cores.
RUN ?= runs/first
train: $(STAMP)
	$(call learn,$(RUN),--preset quick)

# Measure how strong that agent is, as in docs/results.md.
TRAINED = policy:$(RUN)/network.safetensors
train-strength: $(STAMP)
	$(BIN)/olb arena --agents $(TRAINED) random --players 2 --until 3 --seed 1
	$(BIN)/olb arena --agents $(TRAINED) random random random --players 4 --until 3 --seed 1
	$(BIN)/olb arena --agents $(TRAINED) planner --players 2 --until 2 --seed 1

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

contract: $(STAMP)
	$(BIN)/lint-imports

# The page is tested in a real browser. Without one these tests are skipped; CI installs it.
browser:
	command -v chromium >/dev/null || test "$$CI" != true || \
		{ apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; }

# Compile once, so that test processes find the machine code on disk. Some tests wait, so three processes use two cores.
SIDE_BY_SIDE := -n 3 --dist worksteal
unit: $(STAMP) browser
	$(BIN)/python -m tests.tools.warm_up
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)

# Run the tests that mean harm, with many more trials than `make test`; under ten minutes, on this machine only.
hostile: $(STAMP) browser
	$(BIN)/python -m tests.tools.warm_up
	CI=true $(BIN)/python -m pytest --hostile $(SIDE_BY_SIDE)

# Run the tests again as plain Python, so that coverage sees inside the rules; `compiled` marks those that cannot.
coverage: $(STAMP)
	rm -f .coverage .coverage.*
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -q $(SIDE_BY_SIDE) -m "not compiled"
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

# Compare the engine with the second implementation of every game, on many more games than `make test` does.
compare: $(STAMP)
	$(BIN)/python -m tests.tools.compare --games 100000

bench: $(STAMP)
	$(BIN)/olb bench

# Measure how strong scripted players and search are, as in docs/results.md: win rates to within 3 points.
strength: $(STAMP)
	for one in "greedy random" "planner greedy" "mcts:1000 planner"; do \
		$(BIN)/olb arena --agents $$one --players 2 --until 3 --seed 1 || exit 1; done
	for one in "greedy random" "planner greedy" "mcts:1000 planner"; do \
		set -- $$one; $(BIN)/olb arena --agents $$1 $$2 $$2 $$2 --players 4 --until 3 --seed 1 || exit 1; done
	for players in 2 3 4; do $(BIN)/olb arena --agents planner greedy guilds merchant chapel gate gardener hoarder \
		--players $$players --deals 150 --seed 1 || exit 1; done

# Train a champion in one stage: an hour or so of self-play. The one that comes with the package had several stages.
# `python -m olb_training.ppo.promote runs/champion` makes it the champion of its game.
champion: $(STAMP)
	$(call learn,runs/champion,--preset champion)

# Measure how strong the champion is, as in docs/results.md; playing mcts:1000 takes hours.
champion-strength: $(STAMP)
	$(BIN)/olb arena --agents champion planner --players 2 --until 3 --seed 1
	$(BIN)/olb arena --agents champion planner planner planner --players 4 --until 3 --seed 1
	$(BIN)/olb arena --agents champion:64 champion --players 2 --until 3 --seed 1
	$(BIN)/olb arena --agents champion mcts:1000 --players 2 --until 3 --seed 1
	$(BIN)/olb arena --agents champion mcts:1000 mcts:1000 mcts:1000 --players 4 --until 3 --seed 1

# Measure how exploitable the champion is: train a best response to it, starting from its network. It takes half an hour
# to forty minutes.
exploiter: $(STAMP)
	$(call learn,runs/exploiter,--exploit champion --init-from champion)

# Measure the players of the other games, as in docs/results.md, and how exploitable The Wobbly Bridge's champion is.
games-strength: $(STAMP)
	for one in "greedy random" "planner greedy" "champion planner"; do \
		set -- $$one; for others in "$$2" "$$2 $$2 $$2"; do \
		$(BIN)/olb arena --game portobello_market --agents $$1 $$others --players $$(echo $$1 $$others | wc -w) \
		--until 3 --seed 1 || exit 1; done; done
	for all in "scout planner planner planner" "champion scout scout scout" "champion planner planner" \
		"mcts:50 planner planner planner"; do set -- $$all; $(BIN)/olb arena --game portobello_market \
		--agents $$all --players $$# --until 3 --seed 1 || exit 1; done
	for one in "greedy random" "planner greedy" "mixed planner" "champion planner" "champion mixed"; do \
		set -- $$one; $(BIN)/olb arena --game wobbly_bridge --agents $$1 $$2 $$2 $$2 --players 4 --until 3 --seed 1 \
		|| exit 1; done
	for one in "mcts:200 3" "planner 2" "champion 1.5" "mixed 2"; do set -- $$one; $(BIN)/olb arena \
		--game wobbly_bridge --agents $$1 random random random --players 4 --until $$2 --seed 1 || exit 1; done

games-exploiter: $(STAMP)
	$(call learn,runs/wobbly-exploiter,--game wobbly_bridge --exploit champion --init-from champion --players 4)

# Measure how much quick runs differ by their seed: train three, and let each play the planner.
seeds: $(addprefix seed-,1 2 3)

seed-%: $(STAMP)
	$(call learn,runs/$@,--preset quick --seed $*)
	$(BIN)/olb arena --agents policy:runs/$@/network.safetensors planner --until 2 --seed 1

# Run the notebooks in full and save their outputs: about three quarters of an hour, half of it training.
notebooks: $(STAMP)
	$(BIN)/python -m tests.tools.notebooks

# Regenerate the golden games, and the tables of the documentation, after an intended change.
golden: $(STAMP)
	$(BIN)/python -m tests.tools.golden_games

tables: $(STAMP)
	$(BIN)/python -m tests.tools.tables

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.* .import_linter_cache
