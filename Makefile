# The doors of the project. Everything needs only git, make, Node 20 or later and npm.
node_version := 24.21.0
platform := $(shell node -p 'process.platform + "-" + process.arch')
has_node := $(shell node -p 'Number(process.versions.node.split(".")[0]) >= 24')
local_node := .node/node_modules/node-$(platform)/bin/node
export PATH := $(if $(filter true,$(has_node)),,$(CURDIR)/$(dir $(local_node)):)$(PATH)
node_ready := $(if $(filter true,$(has_node)),,$(local_node))
editor := pipeline/adapters/serve/editor.bundle.js
ready := $(node_ready) node_modules/.package-lock.json $(editor)
bin := node_modules/.bin
quiet_npm := --ignore-scripts --no-audit --no-fund --loglevel=error

# Where the command goes that `make install` makes.
PREFIX ?= $(HOME)/.local
BINDIR ?= $(PREFIX)/bin
export BINDIR

.PHONY: bench bench-lake bench-long bench-others build check clean demo fault fault-short format generate golden install installed lake-demo mutants near pack picture test test-browser test-engine test-lake test-rest uninstall
.DEFAULT_GOAL := check

# The tables of docs/measured.md: BENCH_EVENTS events, BENCH_ARGS such as --json FILE. About ten minutes.
BENCH_EVENTS ?= 1000000
bench: $(ready)
	node test/bench/table.ts $(BENCH_EVENTS) $(BENCH_ARGS)
	node test/bench/activation.ts
	node test/bench/access.ts

# The cases of a history of 10,000,000 events beside one of 1,000,000. About an hour.
bench-long: $(ready)
	node test/bench/table.ts 10000000 --only history $(BENCH_ARGS)

# Loaders of other tools; those in Python where Python is installed.
bench-others: $(ready)
	-test -x .bench-tools/bin/dlt || test/bench/tools.sh
	node test/bench/table.ts $(BENCH_EVENTS) --only others $(BENCH_ARGS)

# What a lake costs in an object store on this machine, and reports there; BENCH_HOME takes a home instead of making
# one. Reports run on Trino, too, once `make test-engine` has put it there.
bench-lake: $(ready) .lake-tools/ready
	node test/bench/lake.ts $(BENCH_EVENTS) $(BENCH_ARGS)

build: $(ready)
	rm -rf dist
	@$(bin)/rolldown --config rolldown.program.ts --log-level warn > /dev/null
	mkdir -p dist/schemas/generated dist/pipeline/answers/verify
	cp -R queries package.json dist/
	cp -R schemas/tables schemas/*.json dist/schemas/
	cp schemas/generated/*.json schemas/generated/*.sql dist/schemas/generated/
	cp pipeline/answers/verify/verify.mjs dist/pipeline/answers/verify/
	tar cf - $$(find pipeline/base pipeline/adapters -name '*.css' -o -name '*.js') | tar xf - -C dist
	chmod 755 dist/pipeline/bin.js

check: $(ready)
	node schemas/generate.ts --check
	$(bin)/oxlint --type-aware --type-check --deny-warnings
	$(bin)/oxfmt --check
	$(bin)/knip

clean:
	rm -rf dist demo node_modules .node $(editor)

demo: $(ready)
	@node pipeline/bin.ts demo

fault: $(ready)
	node test/fault/run.ts

# What is played: each figure of the laboratory in its short form, the families beside it, and all of which one case
# takes several runs; some minutes. `make test` holds what is stated, case by case.
fault-short: $(ready)
	$(bin)/vitest run test/fault .simulation.test

format: $(ready)
	$(bin)/oxfmt

# All that follows from sources: the catalog, lists of columns, what docs say of the command line and of reports.
generate: $(ready)
	node schemas/generate.ts
	UPDATE_DOCS=1 $(bin)/vitest run test/docs/pages.test.ts

# The answer of every report over the records of fixtures/golden; read the difference before you commit it.
golden: $(ready)
	UPDATE_GOLDEN=1 $(bin)/vitest run test/queries/golden.test.ts

install: build
	@./launcher.sh install

# Whether the command works as users get it; with this PATH, so that an older Node of the machine does not stand in.
installed: $(ready)
	.ci/installed

# An object store and Trino from nothing, a lake in them, and one report on both engines; stops everything again.
lake-demo: $(ready) .lake-tools/ready .trino/ready
	node test/engine/demo.ts

# Whether tests notice what is changed in random places of pipeline/ and queries/, the laboratory last; with
# MUTANTS_ARGS=--fresh not going on where an earlier run of the same folder stopped. Takes hours.
MUTANTS ?= 300
SEED ?= 1
mutants: $(ready) .lake-tools/ready
	node test/mutants/run.ts --count $(MUTANTS) --seed $(SEED) $(MUTANTS_ARGS)

# The tests nearest to a file, in seconds: make near FILE=pipeline/core/load/read.ts; with ALL=--all every one that reaches it.
near: $(ready)
	node test/near.ts "$(FILE)" $(ALL)

# The package as a file, built first whatever npm is told about scripts.
pack: build
	npm pack --ignore-scripts --loglevel=error

# The README's picture, from the page itself; needs Debian's package chromium.
picture: $(ready)
	node test/browser/picture.ts docs/page.png

test: $(ready)
	$(bin)/vitest run --exclude '**/*.simulation.test.ts' --exclude 'test/fault/**' --exclude 'test/browser/**' --exclude 'test/lake/**' --exclude 'test/engine/**'

# The pages in a real browser; needs Debian's package chromium.
test-browser: $(ready)
	$(bin)/vitest run test/browser

# Every report on Trino, beside the database, and a cluster of which a process is killed. Needs Python 3 with its venv,
# Maven and Java 25 or later, and fetches 821 MB.
test-engine: $(ready) .lake-tools/ready .trino/ready
	$(bin)/vitest run test/engine

.trino/ready: test/engine/tools.sh
	test/engine/tools.sh

# The lake as other programs read it, and in an object store; needs Python 3 with its venv, for what it installs.
test-lake: $(ready) .lake-tools/ready
	$(bin)/vitest run test/lake

.lake-tools/ready: test/lake/tools.sh
	test/lake/tools.sh

# What fault-short, test-browser and test-lake do, in one run: where one of them waits, another works.
test-rest: $(ready) .lake-tools/ready
	$(bin)/vitest run test/fault .simulation.test test/browser test/lake

uninstall:
	@./launcher.sh uninstall

node_modules/.package-lock.json: package-lock.json | $(node_ready)
	npm ci $(quiet_npm)
	@touch $@

# The editor of the browser with its library, made anew where either changed.
$(editor): pipeline/adapters/serve/editor.js rolldown.editor.ts node_modules/.package-lock.json
	@$(bin)/rolldown --config rolldown.editor.ts --log-level silent > /dev/null

# A machine whose own Node is older gets Node 24 from the npm registry, beside the checkout only.
$(local_node):
	npm install --prefix .node --no-save --no-package-lock $(quiet_npm) node-$(platform)@$(node_version)
