# Each target makes the virtual environment it needs, under .venv/, and makes it anew only when
# setup.cfg or pyproject.toml has changed. Nothing but Python >= 3.10 and a package registry is asked for.
#
#   PYTHON=python3.12    which Python                       (default: python3)
#   SCRAPY=2.14          which Scrapy `make test` runs on   (default: the newest; master: not yet released;
#                        throttler: Scrapy's pull request 6931;
#                        lowest: the lowest version of all that is asked for, on Python 3.10 or 3.11)
#   ARGS="-k crawl -x"   more arguments for pytest

PYTHON ?= python3
SCRAPY ?= newest
ARGS   ?=

PARALLEL := --numprocesses auto --dist loadgroup

VENV := .venv/$(shell $(PYTHON) -c 'import sys; print("py%d%d" % sys.version_info[:2])')
PIP   = $(@D)/bin/python -m pip --disable-pip-version-check --quiet --quiet

# Benchmarks that are crawls: each is a target, and a script of that name in benchmarks/.
CRAWLS := first_day turns origins slow_host slow_names memory

.PHONY: help demo fleet verdicts bulk compare quick test histories coverage mutants versions lint types format corpus table pictures bench fleets clean
.PHONY: docs docs-serve dist matrix $(CRAWLS)

help:
	@echo "make demo     crawl the example project's sites and print what became of every page"
	@echo "make fleet    crawl as three processes that share one Redis (it needs redis-server), and print the same"
	@echo "make quick    the tests that start no crawl, process or browser, and do not work long: some seconds"
	@echo "make test     all tests, in as many processes as there are processors (SCRAPY=2.14: on that Scrapy);"
	@echo "              the end says what was skipped (ARGS=\"-n 0 --pdb\": one process, for the debugger)"
	@echo "make histories  100,000 histories of the core, where the suite plays 1,500: some minutes"
	@echo "make coverage all tests but the timing ones, and the share of lines and branches that they run"
	@echo "make mutants  mutmut on rep/ and on the files that hold the waiting: which changes no test notices (hours;"
	@echo "              ARGS=\"run scrapy_robots_policy.rep.access*\": a part; ARGS=results: what the last run found)"
	@echo "make versions all tests on each supported Python and Scrapy, with tox (ARGS=\"-e py313-scrapy218\")"
	@echo "make matrix   small crawls with each plugin that people use, and docs/matrix.md (ARGS=\"-k playwright\": those only)"
	@echo "make lint     ruff, and the English of the docs       make format   let ruff change the files"
	@echo "make types    mypy, strict"
	@echo "make docs     build the site of the docs into build/site, strictly; make docs-serve shows it as you write"
	@echo "make dist     build the package into dist/, and check what is in it and its page at the registry"
	@echo "make corpus   fetch 4,231 real robots.txt files and run the tests that need them"
	@echo "make table    write the tables of dialects and settings in docs/ from the data"
	@echo "make pictures the pictures of README, from the running program, and the diagrams of docs/ (it needs Chromium and npm)"
	@echo "make bench    time the engine beside its peers over those files (ARGS=\"--every 8 --rounds 3\": a short look;"
	@echo "              PYTHON=python3.12: fastrobots too, which is built for no other)"
	@echo "make bulk     run the recipes of docs/bulk.md on their engines, and time millions of URLs beside the peers"
	@echo "              (Spark needs Java; ARGS=\"--files 1000000\": \`robots-policy bulk\` over files, too)"
	@echo "make verdicts 100,000 URLs and 2,000 real robots.txt files in a WARC: who may fetch what"
	@echo "make compare  how many cases of tests/conformance each parser answers right (it needs npm; PYTHON=python3.12: all peers)"
	@echo "make first_day  what changes beside Scrapy's own middleware; ARGS=--write: README's table of it"
	@echo "make turns, origins  what a request costs, and what a new host costs, beside Scrapy's own middleware"
	@echo "make slow_host, slow_names  how long the other hosts' pages take beside slow and dead ones"
	@echo "make memory   how large a crawl grows whose hosts all have a large robots.txt"
	@echo "make fleets   eight crawlers on one Redis: robots.txt fetched, pace kept, processes killed"
	@echo "make clean    remove all that make has made"

demo: $(VENV)/demo/made
	@cd example_project && $(CURDIR)/$(VENV)/demo/bin/python -m scrapy crawl polite --loglevel ERROR \
		--set ROBOTS_REPORT=robots-polite.html

fleet: $(VENV)/fleet/made
	@cd example_project && $(CURDIR)/$(VENV)/fleet/bin/python -m example.fleet $(ARGS)

quick: $(VENV)/test-$(SCRAPY)/made
	$(VENV)/test-$(SCRAPY)/bin/python -m pytest --quiet -m "not slow and not corpus" $(PARALLEL) $(ARGS)

test: $(VENV)/test-$(SCRAPY)/made
	$(VENV)/test-$(SCRAPY)/bin/python -m pytest $(PARALLEL) $(ARGS)

histories: $(VENV)/test-$(SCRAPY)/made
	HISTORIES=100000 $(VENV)/test-$(SCRAPY)/bin/python -m pytest tests/core --quiet $(PARALLEL) $(ARGS)

coverage: $(VENV)/test-$(SCRAPY)/made
	$(VENV)/test-$(SCRAPY)/bin/python -m pytest --cov $(PARALLEL) $(ARGS)

compare: $(VENV)/bench/made | .cache/npm/node_modules/robots-parser
	$(VENV)/bench/bin/python benchmarks/compare.py --npm .cache/npm $(ARGS)

.cache/npm/node_modules/robots-parser:
	npm install --silent --prefix .cache/npm robots-parser

mutants: $(VENV)/mutants/made
	$(VENV)/mutants/bin/mutmut $(or $(ARGS),run)

versions: $(VENV)/tox/made
	$(VENV)/tox/bin/tox run $(ARGS)

# Each plugin has an environment of its own beside the one of the tests. --fresh: the newest versions.
matrix: $(VENV)/test-$(SCRAPY)/made
	$(VENV)/test-$(SCRAPY)/bin/python -m matrix $(ARGS)

lint: $(VENV)/lint/made
	$(VENV)/lint/bin/ruff check
	$(VENV)/lint/bin/ruff format --check
	$(VENV)/lint/bin/codespell
	$(VENV)/lint/bin/python docs/english/check.py

format: $(VENV)/lint/made
	$(VENV)/lint/bin/ruff check --fix
	$(VENV)/lint/bin/ruff format

types: $(VENV)/typing/made
	$(VENV)/typing/bin/mypy
	$(VENV)/typing/bin/mypy --platform win32

# MkDocs gets no word about its own future into the log: `strict` is about our pages.
docs: $(VENV)/docs/made
	NO_MKDOCS_2_WARNING=1 $(VENV)/docs/bin/mkdocs build

docs-serve: $(VENV)/docs/made
	NO_MKDOCS_2_WARNING=1 $(VENV)/docs/bin/mkdocs serve $(ARGS)

# A registry shows README.md: twine looks whether it can.
dist: $(VENV)/dist/made
	rm -rf dist
	$(VENV)/dist/bin/python -m build --outdir dist
	$(VENV)/dist/bin/python -m twine check --strict dist/*

table: $(VENV)/test-$(SCRAPY)/made
	$(VENV)/test-$(SCRAPY)/bin/python docs/dialect_tables.py
	$(VENV)/test-$(SCRAPY)/bin/python docs/settings_table.py
	$(VENV)/test-$(SCRAPY)/bin/python docs/lint_rules.py
	$(VENV)/test-$(SCRAPY)/bin/python docs/speed_tables.py

pictures: $(VENV)/pictures/made
	$(VENV)/pictures/bin/python docs/pictures.py
	$(VENV)/pictures/bin/python docs/diagrams.py

# The files come from Protego's source distribution. The version is fixed: the tests name them.
PROTEGO := protego-0.7.0
CORPUS  := .cache/$(PROTEGO)

corpus: $(CORPUS)/made $(VENV)/corpus/made
	ROBOTS_CORPUS=$(CURDIR)/$(CORPUS)/tests/test_data \
	$(VENV)/corpus/bin/python -m pytest -m corpus tests $(ARGS)

bench: $(CORPUS)/made $(VENV)/bench/made
	ROBOTS_CORPUS=$(CURDIR)/$(CORPUS)/tests/test_data $(VENV)/bench/bin/python benchmarks/engine.py $(ARGS)

bulk: $(CORPUS)/made $(VENV)/bulk/made
	$(VENV)/bulk/bin/python -m pytest tests/bulk
	ROBOTS_CORPUS=$(CURDIR)/$(CORPUS)/tests/test_data $(VENV)/bulk/bin/python benchmarks/columns.py $(ARGS)

verdicts: $(CORPUS)/made $(VENV)/verdicts/made
	cd example_project && $(CURDIR)/$(VENV)/verdicts/bin/python -m example.verdicts $(CURDIR)/$(CORPUS)/tests/test_data

origins: $(CORPUS)/made
origins: export ROBOTS_CORPUS := $(CURDIR)/$(CORPUS)/tests/test_data

$(CRAWLS): $(VENV)/bench/made
	$(VENV)/bench/bin/python benchmarks/$@.py $(ARGS)

fleets: $(VENV)/fleet/made
	$(VENV)/fleet/bin/python benchmarks/fleet.py $(ARGS)

clean:
	rm -rf .venv .cache .tox build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage

INSTALL_demo   := --editable .[tools]
INSTALL_fleet  := --editable .[redis,tools] scrapy-redis
INSTALL_bulk   := --editable .[all] --group test --requirement benchmarks/requirements.txt --requirement benchmarks/engines.txt
INSTALL_verdicts := --editable .[bulk,tools]
INSTALL_bench  := --editable .[tools] --requirement benchmarks/requirements.txt
INSTALL_mutants := --editable .[all] --group test mutmut
INSTALL_pictures := --editable .[all] --group test pillow
INSTALL_corpus := --editable .[all] --group test --requirement tests/corpus/requirements.txt
INSTALL_dist   := build twine
INSTALL_docs   := --editable . --group docs
INSTALL_lint   := --group lint
INSTALL_typing := --editable .[redis,tools] --group typing
INSTALL_tox    := "tox>=4.24"
SCRAPY_newest  :=
SCRAPY_throttler := scrapy@https://github.com/scrapy/scrapy/archive/refs/pull/6931/head.tar.gz
SCRAPY_master  := scrapy@https://github.com/scrapy/scrapy/archive/refs/heads/master.tar.gz
# Without a reactor, these download with httpx only. From 2.19 on, Scrapy itself brings aiohttp.
SCRAPY_2.15    := scrapy==2.15.* httpx
SCRAPY_2.16    := scrapy==2.16.* httpx
SCRAPY_2.17    := scrapy==2.17.* httpx
SCRAPY_2.18    := scrapy[httpx]==2.18.*
SCRAPY_lowest  := --constraint tests/lowest.txt
INSTALL_test-$(SCRAPY) := --editable .[all] --group test \
	$(if $(filter newest,$(SCRAPY)),,$(or $(SCRAPY_$(SCRAPY)),scrapy==$(SCRAPY).*))

$(VENV)/%/made: setup.cfg pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv --clear $(@D)
	$(PIP) install "pip>=25.1"
	$(PIP) install $(INSTALL_$*)
	@touch $@

$(CORPUS)/made: | $(VENV)/corpus/made
	mkdir -p .cache
	$(VENV)/corpus/bin/python -m pip --disable-pip-version-check --quiet --quiet download \
		--no-deps --no-binary protego --dest .cache $(subst -,==,$(PROTEGO))
	$(PYTHON) -m tarfile --extract .cache/$(PROTEGO).tar.gz .cache
	@touch $@
