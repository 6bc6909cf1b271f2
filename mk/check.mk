# Targets that run something: the demo, the tests in all their variants, the benchmarks.
#
# Each target for users first installs its packages and then calls make again, because the flags may
# be known only after that.

PSDVEC = $(abspath $(BUILD))/psdvec
SUITES = tests/check_faults.sh $(BATS) tests/check_modules.sh tests/check_calls.sh tests/check_arguments.sh tests/check_data.sh $(UNIT_BIN) $(HOST_BIN)
# Findings of a sanitizer go to the test's output, and end the program.
SANITIZER_ENV = ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:$$ASAN_OPTIONS \
    LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0:$$LSAN_OPTIONS \
    UBSAN_OPTIONS=print_stacktrace=1:$$UBSAN_OPTIONS \
    TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:$$TSAN_OPTIONS
TEST_ENV = BUILD='$(BUILD)' PSDVEC='$(PSDVEC)' SANITIZE='$(SANITIZE)' CC='$(CC)' \
    MAKE='$(MAKE)' $(SANITIZER_ENV)
run_suites = $(TEST_ENV) sh tests/run.sh -j $(JOBS) -l $(BUILD)/test-logs
# Line numbers are enough debugging information for the reports of sanitizers.
sanitized = $(SUBMAKE) WERROR=1 BUILD=$(BUILD)/$1 SANITIZE=$2 CFLAGS='-O1 -g1'
# The fallbacks and the portable kernels, on any machine.
portable = $(SUBMAKE) WERROR=1 BUILD=$(BUILD)/portable PORTABLE=1 CFLAGS=-O1

##@ Demo, tests and benchmarks
.PHONY: demo test check-long check-reproducible bench bench-train
demo: ## train on a real corpus and show results; TEXT=path for another text
	$(NEED) build $(if $(TEXT),,demo)
	+@$(SUBMAKE) all
	@BUILD='$(BUILD)' PSDVEC='$(BUILD)/psdvec' sh scripts/demo.sh $(if $(TEXT),'$(TEXT)')

# These take minutes with the address sanitizer or the plain kernels, so only `make asan` and
# `make portable` run them there.
LONG_UNIT := test_algorithm1 test_eigen test_group test_plan test_topicvec
QUICK_UNIT = $(filter-out $(LONG_UNIT:%=$(BUILD)/tests/unit/%),$(UNIT_BIN))
ASAN_BIN = $(QUICK_UNIT:$(BUILD)/%=$(BUILD)/asan/%)
PORTABLE_BIN = $(QUICK_UNIT:$(BUILD)/%=$(BUILD)/portable/%)
TEST_SUITES = $(SUITES) tests/check_abi.sh tests/check_hardening.sh scripts/check-install.sh scripts/check-dist.sh \
    scripts/check-wheel.sh scripts/check-warnings.sh scripts/check-runner.sh bindings/python/tests/check.sh \
    $(ASAN_BIN) $(LIB_SEED_BIN:$(BUILD)/%=$(BUILD)/asan/%) $(CLI_SEED_BIN) $(PORTABLE_BIN)
# The longest suites begin first, so that no core waits for the last one.
LONGEST = scripts/check-warnings.sh tests/cli/docs.bats tests/cli/explore_browser.bats tests/check_faults.sh bindings/python/tests/check.sh \
    tests/cli/bad_input.bats tests/cli/train.bats scripts/check-wheel.sh tests/cli/golden_files.bats tests/cli/explore.bats \
    $(filter %/test_count_random %/test_arguments,$(TEST_SUITES))
# With a sanitizer and with PORTABLE=1, random tests take fewer rounds (tests/support/rounds.h).
test: ## run the tests that must pass before a commit, in a few minutes
	$(NEED) build test
	+@$(SUBMAKE) WERROR=1 all unit-tests test-tools $(CLI_SEED_BIN) $(if $(HAVE_MPI),mpi-program) $(if $(HAVE_PYTHON),python)
	+@$(call sanitized,asan,address$(comma)undefined) BASE='$(BUILD)' unit-tests library-seed-programs
	+@$(portable) BASE='$(BUILD)' unit-tests
	+@PSDVEC_TEST_QUICK=1 $(run_suites) $(LONGEST) $(filter-out $(LONGEST),$(TEST_SUITES))

.PHONY: check-package
check-package: ## run the unit tests and the Python tests, for the builds of packages; installs nothing
	+@$(SUBMAKE) unit-tests $(if $(HAVE_PYTHON),python)
	+@$(run_suites) $(UNIT_BIN) $(if $(HAVE_PYTHON),bindings/python/tests/check.sh)

# Those that look at pages, in all widths and colour schemes; and the server under full load.
BROWSER_BATS := tests/cli/explore.bats tests/cli/explore_browser.bats tests/cli/report.bats
check-long: ## run all tests, including long ones, under each sanitizer, and the fuzzers
	+@$(SUBMAKE) test
	@PSDVEC_TEST_LONG=1 TEST_TIMEOUT=3600 $(run_suites) $(LONG_BATS) $(BROWSER_BATS)
	@PSDVEC_TEST_LONG=1 TEST_TIMEOUT=3600 $(run_suites) bindings/python/tests/check.sh
	+@$(SUBMAKE) check-python-asan
	+@TEST_TIMEOUT=14400 $(run_suites) scripts/check-arm64.sh
	+@$(SUBMAKE) check-reproducible
	+@$(SUBMAKE) portable
	+@PSDVEC_TEST_LONG=1 TEST_TIMEOUT=3600 $(SUBMAKE) asan
	+@$(SUBMAKE) ubsan
	+@$(SUBMAKE) tsan
	+@$(SUBMAKE) fuzz

check-reproducible: ## build in another folder and compare the results bit by bit
	$(NEED) build
	+@$(SUBMAKE) all
	+@TEST_TIMEOUT=3600 $(run_suites) scripts/check-reproducible.sh

bench: ## build and run the benchmarks
	$(NEED) build
	+@$(SUBMAKE) all bench-programs
	@if [ -f bench/run.sh ]; then BUILD='$(BUILD)' PSDVEC='$(PSDVEC)' bash bench/run.sh $(BENCH); \
	else echo "bench/run.sh does not exist: nothing to run."; fi

bench-train: ## run the training benchmarks on the text BENCH=path
	$(NEED) build
	+@$(SUBMAKE) all bench-programs
	@BUILD='$(BUILD)' PSDVEC='$(PSDVEC)' bash bench/train.sh $(BENCH)

.PHONY: files
files: ## list all source files with the first sentence of their head comments
	@sh scripts/list-files.sh

.PHONY: sbom
# Lists the archive of the private OpenBLAS, too, which the program contains.
sbom: ## write the software bill of materials of the program (CycloneDX) to BUILD/psdvec.cdx.json
	$(NEED) build test
	+@$(SUBMAKE) program
	@python3 scripts/sbom.py $(BUILD)/psdvec $(VERSION) '$(CC)' $(PRIVATE_BLAS) > $(BUILD)/psdvec.cdx.json
	@echo "$(BUILD)/psdvec.cdx.json"

.PHONY: site
site: ## build the documentation as a site with offline search in BUILD/site
	$(NEED) site
	@python3 scripts/site.py $(BUILD)/site

##@ Generated files that are committed
.PHONY: reference abi fuzz-table fuzz-seeds
# First into the build folder, so that a failure does not change the page.
reference: ## write docs/reference/options.md and openapi.json from the tables of options and routes
	$(NEED) build
	+@$(SUBMAKE) program
	@$(BUILD)/psdvec internal-options > $(BUILD)/options.md
	@$(BUILD)/psdvec internal-openapi > $(BUILD)/openapi.json
	@mkdir -p docs/reference && cp $(BUILD)/options.md $(BUILD)/openapi.json docs/reference

abi: ## write tests/abi/libpsdvec.abi, the binary interface that `make test` checks
	$(NEED) build test
	+@$(SUBMAKE) library
	@BUILD='$(BUILD)' sh tests/check_abi.sh --write

fuzz-table: ## write the executions of the fuzzers so far into docs/explanation/hardening.md
	@sh scripts/fuzz-table.sh $(BUILD)/fuzz/executions.tsv docs/explanation/hardening.md

fuzz-seeds: ## add inputs that the fuzzers found to tests/fuzz/corpus, as few as cover the same code
	@sh scripts/fuzz-seeds.sh $(BUILD)/fuzz $(FUZZ_BIN:$(BUILD)/%=$(BUILD)/fuzz/%)

##@ Analysis
.PHONY: asan ubsan tsan portable fuzz torture load coverage lint analyze format format-check
asan: ## run unit and command-line tests with the address, leak and undefined-behaviour sanitizers
	$(NEED) build test
	+@$(call sanitized,asan,address$(comma)undefined) run-sanitized

ubsan: ## the same with only the undefined-behaviour sanitizer, including float conversions
	$(NEED) build test
	+@$(call sanitized,ubsan,undefined$(comma)float-cast-overflow) run-sanitized

tsan: ## run unit tests and the program on four threads with the thread sanitizer
	$(NEED) build test
	+@$(call sanitized,tsan,thread) run-tsan

portable: ## run all rounds of the unit tests with the fallbacks and the plain kernels
	$(NEED) build test
	+@$(SUBMAKE) unit-tests
	+@$(portable) BASE='$(BUILD)' run-portable

.PHONY: run-sanitized run-tsan run-portable
run-portable: unit-tests
	@$(run_suites) $(UNIT_BIN)
run-sanitized: program unit-tests test-tools seed-programs
	@$(run_suites) $(SUITES) $(SEED_BIN)
# The thread sanitizer of older compilers needs a memory layout without randomisation.
run-tsan: program unit-tests
	@fixed="setarch $$(uname -m) -R"; $$fixed true 2>/dev/null || fixed=; \
	$$fixed env $(run_suites) $(UNIT_BIN) $(HOST_BIN) $(if $(HAVE_CLI),scripts/check-threads.sh)

# Without sanitizers the fuzzers are several times as fast; both share the corpora.
FUZZ_FOLDER = $(BUILD)/fuzz
FUZZ_FAST = $(filter no,$(FUZZ_SANITIZE))
fuzz: ## build every fuzzer and run each for FUZZ_SECONDS (30), or all in turn for TIME=8h; FUZZ=name for one, FUZZ_SANITIZE=no
	$(NEED) build fuzz
	+@$(SUBMAKE) BUILD=$(FUZZ_FOLDER)$(if $(FUZZ_FAST),-fast) FUZZ_FOLDER=$(FUZZ_FOLDER) CC=clang \
	    SANITIZE=fuzzer-no-link$(if $(FUZZ_FAST),,$(comma)address$(comma)undefined) run-fuzz
.PHONY: run-fuzz
FUZZ_CHOSEN = $(if $(FUZZ),$(filter $(FUZZ:%=$(BUILD)/tests/fuzz/%),$(FUZZ_BIN)),$(FUZZ_BIN))
run-fuzz: $(FUZZ_CHOSEN)
	@$(SANITIZER_ENV) sh scripts/fuzz.sh -j $(JOBS) $(if $(TIME),-t $(TIME),-s $(FUZZ_SECONDS)) $(FUZZ_FOLDER) $(FUZZ_CHOSEN)

# Fault injection (tests/torture/torture.py), with the sanitizers, which find leaks.
TORTURE_FOLDER = $(BUILD)/torture
torture: ## fail every system call of every command, for hours; TORTURE_COMMAND=, TORTURE_CLASS=, TORTURE_SITES=yes to narrow
	$(NEED) build test
	+@$(SUBMAKE) $(INJECT)
	+@$(call sanitized,asan,address$(comma)undefined) program
	@mkdir -p $(TORTURE_FOLDER)
	@python3 tests/torture/torture.py --program $(BUILD)/asan/psdvec --library $(INJECT) \
	    --work $(TORTURE_FOLDER) --jobs $(JOBS) $(if $(TORTURE_COMMAND),--command '$(TORTURE_COMMAND)') \
	    $(if $(TORTURE_CLASS),--classes '$(TORTURE_CLASS)') $(if $(TORTURE_MOST),--most $(TORTURE_MOST)) \
	    $(if $(TORTURE_SITES),--sites)

LOAD_TIME ?= 60
load: ## ask shared models from 64 threads for LOAD_TIME seconds (60); answers and memory are checked
	$(NEED) build test
	+@$(SUBMAKE) $(BUILD)/tests/unit/test_shared
	@# Without the caches of threads, which glibc counts as allocated.
	@GLIBC_TUNABLES=glibc.malloc.tcache_count=0 $(BUILD)/tests/unit/test_shared $(LOAD_TIME)

coverage: ## measure test coverage; summary here, pages in BUILD/coverage/html
	$(NEED) build test
	+@$(SUBMAKE) BUILD=$(BUILD)/coverage CC=gcc COVERAGE=1 run-coverage
.PHONY: run-coverage
run-coverage: program unit-tests test-tools
	@find $(BUILD) -name '*.gcda' -exec rm -f {} +
	@# In its sandbox, the program cannot write its .gcda files.
	@PSDVEC_SANDBOX=off; export PSDVEC_SANDBOX; $(run_suites) $(SUITES) || echo "Some tests failed; coverage follows."
	@sh scripts/coverage.sh $(BUILD)

# The headers of MPI are those of the system, whose warnings do not count.
ANALYSIS_FLAGS = $(BASE_CFLAGS) $(SYSTEM_FLAGS) -I. -Isrc $(PKG_CFLAGS) $(HTTP_CFLAGS) $(HAVE) \
                 $(if $(HAVE_MPI),$(patsubst -I%,-isystem %,$(MPI_CFLAGS)))
ANALYSIS_SRC = $(LIB_SRC) $(BLAS_SRC) $(CLI_SRC) $(if $(HAVE_MPI),$(MPI_SRC))

lint: ## run clang-tidy and cppcheck on the sources, shellcheck on the scripts
	+@$(MAKE) --no-print-directory run-lint
.PHONY: run-lint
run-lint:
	@JOBS=$(JOBS) sh scripts/lint.sh '$(ANALYSIS_FLAGS)' $(ANALYSIS_SRC)

analyze: ## run gcc's analyser of paths through the code on the sources
	+@$(MAKE) --no-print-directory run-analyze
.PHONY: run-analyze
run-analyze:
	@JOBS=$(JOBS) sh scripts/analyze.sh '$(ANALYSIS_FLAGS)' $(ANALYSIS_SRC)

FORMAT = clang-format --style=file
format: ## format the sources with clang-format
	@$(FORMAT) -i $(ALL_C) $(ALL_H)

format-check: ## show what `make format` would change
	@$(FORMAT) --dry-run --Werror $(ALL_C) $(ALL_H)
