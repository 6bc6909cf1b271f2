# psdvec: library, program, tests. GNU make 4 or newer; `make help` lists the targets.
#
# Everything that is made goes into $(BUILD); the source tree stays clean. The
# sanitizers, the fuzzers and the coverage run are this same Makefile with another
# BUILD and SANITIZE. Nothing is asked of the machine while this file is read
# (pkg-config is called when the first flag is needed), so that `make test` and
# `make demo` work where not even a compiler is installed yet.
#
#   CC, CFLAGS, CPPFLAGS, LDFLAGS   as usual; a change rebuilds what it touches
#   WERROR=1                        warnings are errors
#   SANITIZE=address,undefined      build with sanitizers
#   PORTABLE=1                      nothing beyond POSIX and plain C, to test the fallbacks
#   BASE=folder                     a finished build, from which this one takes what would be the same
#   BLAS=private, BLAS=shared       contain a serial OpenBLAS, or use the system's shared
#                                   one (default: private where its archive is found)
#   BLAS_ARCHIVE=path               the archive of a serial OpenBLAS for BLAS=private
#   LIBEDIT=no                      build the program without line editing
#   MICROHTTPD=no                   build the program without the server of psdvec explore
#   WEB=no                          build it without the page for the browser
#   V=1                             show the commands
#   PREFIX, DESTDIR                 where `make install` goes (/usr/local)
#   DEPS=no                         never install packages, only say which are missing

ifneq ($(filter 3.%,$(MAKE_VERSION)),)
$(error psdvec needs GNU make 4 or newer; this is $(MAKE_VERSION). On macOS: brew install make, then gmake)
endif

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

BUILD ?= build
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1)
FUZZ_SECONDS ?= 30
V ?= 0
Q = $(if $(filter 0,$V),@)
say = @printf '  %-8s%s\n' $1 $2
# For recursive calls: as many jobs as there are cores, unless -j was given.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))
SUBMAKE = $(MAKE) --no-print-directory $(PARALLEL)
NEED = @CC='$(CC)' DEPS='$(DEPS)' NO_INSTALL='$(NO_INSTALL)' sh scripts/deps.sh

# ---- Version: defined only in the public header --------------------------
HEADER := include/psdvec/psdvec.h
HEADERS := $(sort $(wildcard include/psdvec/*.h))
OPTION_TABLES := $(sort $(wildcard include/psdvec/options/*.def))
VERSION := $(shell sed -n 's/^\#define PSDVEC_VERSION "\(.*\)"/\1/p' $(HEADER))
MAJOR := $(firstword $(subst ., ,$(VERSION)))
MINOR := $(word 2,$(subst ., ,$(VERSION)))
# The interface version, which determines the programs that can load the library. While the major
# version is 0, every minor version may change the interface.
SOVERSION := $(MAJOR)$(if $(filter 0,$(MAJOR)),.$(MINOR))

# ---- Sources ---------------------------------------------------------------
# One of these is used: $(BUILD)/openblas.o is made from it.
BLAS_SRC := src/base/blas_private.c src/base/blas_shared.c
LIB_SRC := $(filter-out $(BLAS_SRC),$(sort $(wildcard src/*/*.c)))
# The program; of the server, http.c needs libmicrohttpd.
SERVER_SRC := $(sort $(wildcard server/*.c))
CLI_SRC := $(sort $(wildcard cli/*.c)) $(SERVER_SRC)
MPI_SRC := $(sort $(wildcard mpi/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
SUPPORT_SRC := $(sort $(wildcard tests/support/*.c))
# Of the tools of tests, libraries that are preloaded.
PRELOAD_SRC := tests/tools/kill_at.c
TOOL_SRC := $(filter-out $(PRELOAD_SRC),$(sort $(wildcard tests/tools/*.c)))
INJECT_SRC := $(sort $(wildcard tests/torture/*.c))
HOST_SRC := $(sort $(wildcard tests/host/test_*.c))
# Those of the program see its headers and are linked with it.
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_CLI_SRC := $(filter tests/fuzz/fuzz_cli_%,$(FUZZ_SRC))
FUZZ_LIB_SRC := $(filter-out $(FUZZ_CLI_SRC),$(FUZZ_SRC))
FUZZ_RUN_SRC := tests/fuzz/run_seeds.c
FUZZ_FILES_SRC := tests/fuzz/memory_files.c
BENCH_SRC := $(sort $(wildcard bench/*.c))
# The built-in test sets, in the order in which they are reported.
SETS := $(patsubst %,data/%.txt,world meaning nouns verbs adjectives synonyms categories)
# The templates of pages, and the style sheet and the scripts that they contain.
PAGES := $(sort $(wildcard cli/pages/*.html))
PAGE_FILES := $(PAGES) $(sort $(wildcard cli/pages/*.css cli/pages/*.js))
# The sources of the page of psdvec explore.
WEB_FILES := $(sort $(wildcard web/*.html web/*.json web/src/* web/dist/*))
BATS := $(sort $(wildcard tests/cli/*.bats))
LONG_BATS := $(sort $(wildcard tests/long/*.bats))
ALL_C = $(LIB_SRC) $(BLAS_SRC) $(CLI_SRC) $(MPI_SRC) $(UNIT_SRC) $(SUPPORT_SRC) $(wildcard tests/host/*.c) $(TOOL_SRC) $(PRELOAD_SRC) $(FUZZ_SRC) $(FUZZ_RUN_SRC) $(FUZZ_FILES_SRC) $(BENCH_SRC) $(INJECT_SRC) $(LIBC_VARIABLES)
ALL_H = $(sort $(wildcard include/psdvec/*.h src/*/*.h cli/*.h server/*.h mpi/*.h tests/*/*.h bench/*.h))

objects = $(patsubst %.c,$(BUILD)/%.o,$1)
SETS_C := $(BUILD)/src/eval/builtin_data.c
PAGES_C := $(BUILD)/cli/page_templates.c
LIB_OBJ := $(call objects,$(LIB_SRC)) $(SETS_C:.c=.o)
WEB_C := $(BUILD)/cli/web_files.c
CLI_OBJ = $(call objects,$(if $(HTTP),$(CLI_SRC),$(filter-out server/http.c,$(CLI_SRC)))) $(PAGES_C:.c=.o) $(WEB_C:.c=.o)
UNIT_BIN := $(UNIT_SRC:%.c=$(BUILD)/%)
TOOL_BIN := $(TOOL_SRC:%.c=$(BUILD)/%)
PRELOAD_LIB := $(PRELOAD_SRC:%.c=$(BUILD)/%.so)
HOST_BIN := $(HOST_SRC:%.c=$(BUILD)/%)
FUZZ_BIN := $(FUZZ_SRC:%.c=$(BUILD)/%)
# The same fuzzers without libFuzzer, which run their seeds once.
seed_programs = $(patsubst tests/fuzz/%.c,$(BUILD)/tests/seeds/%,$1)
LIB_SEED_BIN := $(call seed_programs,$(FUZZ_LIB_SRC))
CLI_SEED_BIN := $(call seed_programs,$(FUZZ_CLI_SRC))
SEED_BIN := $(LIB_SEED_BIN) $(CLI_SEED_BIN)
BENCH_BIN := $(BENCH_SRC:%.c=$(BUILD)/%)
MPI_OBJ := $(call objects,$(MPI_SRC))
OBJECTS := $(LIB_OBJ) $(call objects,$(CLI_SRC)) $(PAGES_C:.c=.o) $(WEB_C:.c=.o) $(call objects,$(UNIT_SRC) $(SUPPORT_SRC) $(wildcard tests/host/*.c) $(TOOL_SRC) $(FUZZ_SRC) $(FUZZ_RUN_SRC) $(FUZZ_FILES_SRC) $(BENCH_SRC))

# ---- Platform --------------------------------------------------------------
SYSTEM := $(shell uname -s)
STATIC := libpsdvec.a
ifeq ($(SYSTEM),Darwin)
SHARED := libpsdvec.$(VERSION).dylib
SONAME := libpsdvec.$(SOVERSION).dylib
SOLINK := libpsdvec.dylib
SOFLAGS = -dynamiclib -Wl,-install_name,$(LIBDIR)/$(SONAME)
else
SHARED := libpsdvec.so.$(VERSION)
SONAME := libpsdvec.so.$(SOVERSION)
SOLINK := libpsdvec.so
SOFLAGS = -shared -Wl,-soname,$(SONAME) -Wl,-z,defs
endif

# ---- Flags -----------------------------------------------------------------
ifeq ($(origin CC),default)
CC = cc
endif
CFLAGS ?= -O3 -g
PKG_CONFIG ?= pkg-config

# $(call once,NAME,COMMAND): the output of COMMAND, run when NAME is first used.
once = $(eval $1 := $$(shell { $2; } 2>/dev/null))$($1)
REQUIRED := libarchive libutf8proc expat libxxhash zlib
OPTIONAL := icu-uc
FOUND_OPTIONAL = $(call once,FOUND_OPTIONAL,for p in $(OPTIONAL); do $(PKG_CONFIG) --exists $$$$p && echo $$$$p; done)
# The archive of a serial OpenBLAS to copy into the libraries; empty: the system's shared OpenBLAS
# is used.
FOUND_ARCHIVE = $(call once,FOUND_ARCHIVE,CC='$(CC)' sh scripts/private-blas.sh find)
PRIVATE_BLAS = $(if $(filter shared,$(BLAS)),,$(or $(BLAS_ARCHIVE),$(FOUND_ARCHIVE)))
PACKAGES = $(REQUIRED) $(if $(PRIVATE_BLAS),,openblas) $(FOUND_OPTIONAL)
PKG_CFLAGS = $(call once,PKG_CFLAGS,$(PKG_CONFIG) --cflags $(PACKAGES) openblas)
PKG_LIBS = $(call once,PKG_LIBS,$(PKG_CONFIG) --libs $(PACKAGES))
OPENBLAS_CFLAGS = $(call once,OPENBLAS_CFLAGS,$(PKG_CONFIG) --cflags openblas)
OPENBLAS_LIBS = $(call once,OPENBLAS_LIBS,$(PKG_CONFIG) --libs openblas)
# The program, not the library, edits lines with libedit if it is installed.
FOUND_EDIT = $(call once,FOUND_EDIT,$(PKG_CONFIG) --exists libedit && echo yes)
EDIT = $(if $(PORTABLE)$(filter no,$(LIBEDIT)),,$(FOUND_EDIT))
EDIT_CFLAGS = $(if $(EDIT),-DPV_HAVE_LIBEDIT $(call once,EDIT_PKG_CFLAGS,$(PKG_CONFIG) --cflags libedit))
EDIT_LIBS = $(if $(EDIT),$(call once,EDIT_PKG_LIBS,$(PKG_CONFIG) --libs libedit))
# It serves HTTP with libmicrohttpd if that is installed.
FOUND_HTTP = $(call once,FOUND_HTTP,$(PKG_CONFIG) --exists libmicrohttpd && echo yes)
HTTP = $(if $(PORTABLE)$(filter no,$(MICROHTTPD)),,$(FOUND_HTTP))
HTTP_CFLAGS = $(if $(HTTP),-DPV_HAVE_MICROHTTPD $(call once,HTTP_PKG_CFLAGS,$(PKG_CONFIG) --cflags libmicrohttpd))
HTTP_LIBS = $(if $(HTTP),$(call once,HTTP_PKG_LIBS,$(PKG_CONFIG) --libs libmicrohttpd))
PROGRAM_LIBS = $(EDIT_LIBS) $(HTTP_LIBS)
# psdvec-mpi, a program of its own, uses MPI.
MPI_PACKAGE = mpi-c
HAVE_MPI = $(call once,HAVE_MPI,$(PKG_CONFIG) --exists $(MPI_PACKAGE) && echo yes)
MPI_CFLAGS = $(call once,MPI_PKG_CFLAGS,$(PKG_CONFIG) --cflags $(MPI_PACKAGE))
MPI_LIBS = $(call once,MPI_PKG_LIBS,$(PKG_CONFIG) --libs $(MPI_PACKAGE))
CMOCKA_CFLAGS = $(call once,CMOCKA_CFLAGS,$(PKG_CONFIG) --cflags cmocka)
CMOCKA_LIBS = $(call once,CMOCKA_LIBS,$(PKG_CONFIG) --libs cmocka || echo -lcmocka)
HAVE_CMOCKA = $(call once,HAVE_CMOCKA,$(PKG_CONFIG) --exists cmocka && echo yes)
# Tests compare with ARPACK if it is installed.
ARPACK_LIBS = $(call once,ARPACK_LIBS,$(PKG_CONFIG) --exists arpack && $(PKG_CONFIG) --libs arpack)
CC_VERSION = $(call once,CC_VERSION,$(CC) --version | head -n 1)

WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla \
       -Wformat=2 -Wundef -Wdate-time
# With the lower optimisation of sanitized builds, gcc gives false warnings about initialisation;
# the normal build still checks for them.
WERROR_FLAGS = $(if $(WERROR),-Werror $(if $(SANITIZE),$(if $(findstring clang,$(CC_VERSION)),,-Wno-error=maybe-uninitialized)))
# Hardening, as far as the compiler and the linker support it (docs/explanation/hardening.md). A
# packager's own _FORTIFY_SOURCE takes precedence; sanitizers do not work with it.
hardening = $(call once,HARDEN_$1,CC='$(CC)' sh scripts/hardening.sh $1)
FORTIFY = $(if $(SANITIZE)$(COVERAGE)$(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,$(if \
              $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(call hardening,fortify)))
HARDEN = $(call hardening,compile) $(FORTIFY)
LDHARDEN = $(call hardening,link)
PROGRAM_LDFLAGS = $(if $(filter -static,$(LDFLAGS)),,$(call hardening,program))
# Objects do not contain the folders in which they were built.
PREFIX_MAP = -ffile-prefix-map=$(CURDIR)=. $(if $(filter build,$(BUILD)),,-ffile-prefix-map=$(BUILD)=build)
# A limit on the stack frame of a function, so that small stacks suffice: cli/system.c and
# src/base/thread.c. Frames grow with instrumentation and without optimisation.
FRAME = $(if $(SANITIZE)$(COVERAGE),,$(if $(filter -O2 -O3,$(CFLAGS)),-Wframe-larger-than=24576))
# Coverage alone, for fuzzers without sanitizers, does not need less optimisation. Most of their time
# would be spent on recording comparisons, and on the counters of functions that they never call.
FUZZ_PLAIN = $(filter fuzzer-no-link,$(SANITIZE))
SANITIZE_FLAGS = $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer \
    $(if $(FUZZ_PLAIN),-ffunction-sections -fno-sanitize-coverage=trace-cmp$(comma)indirect-calls,-O1))
FUZZ_LINK = -fsanitize=fuzzer $(if $(FUZZ_PLAIN),-Wl$(comma)--gc-sections$(comma)-z$(comma)start-stop-gc)
COVERAGE_FLAGS = $(if $(COVERAGE),--coverage -O0)
# Contraction of a*b+c would make results depend on the compiler and the machine. The library is
# compiled for POSIX only (src/base/platform.h), the program and the tests for the system.
BASE_CFLAGS = -std=c11 -DPSDVEC_EXPERIMENTAL -ffp-contract=off -fPIC -fvisibility=hidden -pthread -Iinclude
POSIX = -D_XOPEN_SOURCE=700
SYSTEM_FLAGS = -D_GNU_SOURCE
TAIL_CFLAGS = $(WARN) $(HARDEN) $(CPPFLAGS) $(CFLAGS) $(SANITIZE_FLAGS) $(COVERAGE_FLAGS)
HAVE = $(if $(filter icu-uc,$(FOUND_OPTIONAL)),-DPV_HAVE_ICU) $(if $(PORTABLE),-DPV_PORTABLE=1)

LIB_CFLAGS = $(BASE_CFLAGS) $(POSIX) -Isrc $(PKG_CFLAGS) $(HAVE) $(FRAME) $(TAIL_CFLAGS)
# The program includes only util of src/: tests/check_modules.sh.
CLI_CFLAGS = $(BASE_CFLAGS) $(SYSTEM_FLAGS) -I. -Isrc $(EDIT_CFLAGS) $(HTTP_CFLAGS) $(FRAME) $(TAIL_CFLAGS)
TEST_HAVE = $(HAVE) $(if $(ARPACK_LIBS),-DPV_HAVE_ARPACK)
TEST_CFLAGS = $(BASE_CFLAGS) $(SYSTEM_FLAGS) -Isrc -Itests $(PKG_CFLAGS) $(CMOCKA_CFLAGS) $(TEST_HAVE) $(TAIL_CFLAGS)
# Most of the time of a test is spent in the library, so optimising the test itself costs more than it gains.
QUICK_CFLAGS = $(TEST_CFLAGS) $(if $(filter -O2 -O3,$(CFLAGS)),-O1)
HOST_CFLAGS = $(BASE_CFLAGS) $(SYSTEM_FLAGS) -Itests $(OPENBLAS_CFLAGS) $(CMOCKA_CFLAGS) \
              $(if $(PRIVATE_BLAS),-DPV_BLAS_PRIVATE) $(TAIL_CFLAGS)
ALL_LDFLAGS = $(LDHARDEN) $(LDFLAGS) $(SANITIZE_FLAGS) $(COVERAGE_FLAGS)
LIBS = $(PKG_LIBS) $(if $(filter Darwin,$(SYSTEM)),-liconv) -pthread -lm

# Two files that change only when their contents change: everything compiled depends on the flags,
# everything linked also on the list of sources. -Werror is omitted, because it does not change an
# object.
define FLAGS_TEXT
$(CC): $(CC_VERSION)
$(LIB_CFLAGS)
$(EDIT_CFLAGS) $(HTTP_CFLAGS) $(PROGRAM_LIBS)
$(CMOCKA_CFLAGS) $(CMOCKA_LIBS) $(ARPACK_LIBS) $(TEST_LINKER)
$(PROGRAM_LDFLAGS) $(ALL_LDFLAGS) $(LIBS)
$(PRIVATE_BLAS)
$(SONAME)
endef
# Tests run several makes at the same time, so each writes its own file first.
NEW = $@.$(call once,PROCESS,echo $$$$PPID)
define if_changed
	@$(shell mkdir -p $(@D))$(file >$(NEW),$1)cmp -s $(NEW) $@ && rm -f $(NEW) || { $2 mv -f $(NEW) $@; }
endef

.PHONY: FORCE
FORCE:
$(BUILD)/flags: FORCE
	$(call if_changed,$(FLAGS_TEXT),CC='$(CC)' sh scripts/deps.sh --check build || { rm -f $(NEW); exit 1; };)
$(BUILD)/sources: FORCE
	$(call if_changed,$(LIB_SRC) $(CLI_SRC) $(SUPPORT_SRC) $(SETS) $(PAGE_FILES) $(WEB_FILES) $(WEB))

define newline


endef
comma := ,
empty :=
space := $(empty) $(empty)

# ---- Compiling and linking -------------------------------------------------
$(OBJECTS) $(MPI_OBJ): $(BUILD)/flags
$(BUILD)/src/%.o: private CFLAGS_HERE = $(LIB_CFLAGS)
$(BUILD)/cli/%.o $(BUILD)/server/%.o: private CFLAGS_HERE = $(CLI_CFLAGS)
# The headers of MPI are those of the system, whose warnings do not count.
$(BUILD)/mpi/%.o: private CFLAGS_HERE = $(CLI_CFLAGS) -Icli $(patsubst -I%,-isystem %,$(MPI_CFLAGS))
$(BUILD)/tests/%.o: private CFLAGS_HERE = $(QUICK_CFLAGS)
$(BUILD)/tests/host/%.o: private CFLAGS_HERE = $(HOST_CFLAGS)
$(BUILD)/tests/fuzz/fuzz_cli_%.o: private CFLAGS_HERE = $(QUICK_CFLAGS) -Icli -I.
$(BUILD)/bench/%.o: private CFLAGS_HERE = $(TEST_CFLAGS)
$(BUILD)/%.o: %.c
	@printf '  CC      %s\n' $<; [ -d $(@D) ] || mkdir -p $(@D)
	$Q$(CC) $(CFLAGS_HERE) $(PREFIX_MAP) $(WERROR_FLAGS) -MMD -MP -c $< -o $@
-include $(OBJECTS:.o=.d) $(MPI_OBJ:.o=.d)

# With BASE, what does not differ from that build is copied: the private BLAS and, if only PORTABLE
# differs, the objects of sources that contain none of the macros that depend on it, nor include a
# header that does. compiler.h defines them.
ifneq ($(BASE),)
take = $(call say,SAME,$@)$(newline)	@mkdir -p $(@D)$(newline)	@cp $1 $(@D)
ifneq ($(PORTABLE),)
BASE_SRC := $(LIB_SRC) $(UNIT_SRC) $(SUPPORT_SRC) $(wildcard tests/host/*.c)
BASE_OBJ := $(filter $(wildcard $(BASE)/*/*/*.o),$(BASE_SRC:%.c=$(BASE)/%.o))
NOT_PORTABLE := $(filter-out src/util/compiler.h,$(shell grep -lE 'PV_(PORTABLE|SSE2|AVX2)' $(BASE_SRC) $(ALL_H)))
SAME_OBJ := $(patsubst $(BASE)/%.d,$(BUILD)/%.o,$(shell grep -LF $(NOT_PORTABLE:%=-e %) $(BASE_OBJ:.o=.d)))
$(BASE_OBJ:$(BASE)/%=$(BUILD)/%): $(BUILD)/%: $(BASE)/%
$(SAME_OBJ): $(BUILD)/%.o:
	$(call take,$(BASE)/$*.o)
endif
endif

$(SETS_C): scripts/builtin-sets.sh $(SETS) $(BUILD)/sources
	$(call say,SETS,$@)
	@mkdir -p $(@D)
	$Qsh scripts/builtin-sets.sh $(SETS) > $@
$(PAGES_C): scripts/embed-pages.sh $(PAGE_FILES) $(BUILD)/sources
	$(call say,PAGES,$@)
	@mkdir -p $(@D)
	$Qsh scripts/embed-pages.sh $(PAGES) > $@
# npm installs into one folder for all kinds of builds.
WEB_TOOLS := build/web-tools
$(WEB_C): scripts/build-web.sh scripts/embed-web.sh scripts/npm-tools.sh $(WEB_FILES) cli/pages/page.css $(BUILD)/sources
	$(call say,WEB,$@)
	@mkdir -p $(@D)
	$QWEB='$(WEB)' sh scripts/build-web.sh $(BUILD)/web $(WEB_TOOLS)
	$Qsh scripts/embed-web.sh $(BUILD)/web > $@
$(PAGES_C:.c=.o) $(WEB_C:.c=.o): private CFLAGS_HERE = $(CLI_CFLAGS) -Icli
$(SETS_C:.c=.o) $(PAGES_C:.c=.o) $(WEB_C:.c=.o): %.o: %.c
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS_HERE) $(PREFIX_MAP) $(WERROR_FLAGS) -MMD -MP -c $< -o $@

# BLAS as one object and, if that is a private copy of many megabytes, also as a shared library for
# the test programs. Neither is instrumented.
BLAS_OBJ := $(BUILD)/openblas.o
BLAS_LIB := $(BUILD)/libpv_blas.so
BLAS_CFLAGS = $(BASE_CFLAGS) $(POSIX) -Isrc $(PKG_CFLAGS) $(WARN) $(HARDEN) $(CPPFLAGS) $(CFLAGS) $(PREFIX_MAP) $(WERROR_FLAGS) -fno-lto
define private_blas
	$(call say,BLAS,'private copy of $(PRIVATE_BLAS)')
	$Q$(CC) $(BLAS_CFLAGS) -c src/base/blas_private.c -o $(@:.o=-guard.o)
	$QCC='$(CC)' sh scripts/private-blas.sh make '$(PRIVATE_BLAS)' $(@:.o=-guard.o) \
	    src/base/blas.h $@ $(BLAS_LIB)
endef
define shared_blas
	$(if $(filter private,$(BLAS)),$(error BLAS=private: there is no serial libopenblas.a; \
	    install one (Debian: libopenblas-serial-dev), or name it with BLAS_ARCHIVE=path))
	$(call say,BLAS,"the system's shared OpenBLAS")
	$Q$(CC) $(BLAS_CFLAGS) -c src/base/blas_shared.c -o $@
	@rm -f $(BLAS_LIB)
endef
ifeq ($(BASE),)
$(BLAS_OBJ): $(BLAS_SRC) src/base/blas.h scripts/private-blas.sh $(BUILD)/flags
	@mkdir -p $(@D)
	$(if $(PRIVATE_BLAS),$(private_blas),$(shared_blas))
else
$(BLAS_OBJ): $(BASE)/openblas.o $(BUILD)/flags
	$(call take,$(wildcard $(BASE)/openblas.o $(BASE)/libpv_blas.so))
endif

# D: without times and owners; other archivers than these two do not know it.
AR_DETERMINISTIC = $(call once,AR_DETERMINISTIC,$(AR) --version | grep -q 'GNU\|LLVM' && echo D)
archive = $(call say,AR,$@)$(newline)	@rm -f $@$(newline)	$Q$(AR) rcs$(AR_DETERMINISTIC) $@ $1
$(BUILD)/$(STATIC): $(LIB_OBJ) $(BLAS_OBJ) $(BUILD)/sources
	$(call archive,$(LIB_OBJ) $(BLAS_OBJ))
# The same without BLAS, for programs that are linked with $(TEST_BLAS).
PARTS := libpv.a
$(BUILD)/$(PARTS): $(LIB_OBJ) $(BUILD)/sources
	$(call archive,$(LIB_OBJ))

$(BUILD)/$(SHARED): $(LIB_OBJ) $(BLAS_OBJ) $(BUILD)/sources $(BUILD)/flags
	$(call say,LD,$@)
	$Q$(CC) $(SOFLAGS) $(ALL_LDFLAGS) $(LIB_OBJ) $(BLAS_OBJ) $(LIBS) -o $@
	@ln -sf $(SHARED) $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $(BUILD)/$(SOLINK)

link = $(call say,LD,$@)$(newline)	$Q$(CC) $(PROGRAM_LDFLAGS) $(ALL_LDFLAGS) $1 $(LIBS) -o $@

$(BUILD)/psdvec: $(CLI_OBJ) $(BUILD)/$(STATIC) $(BUILD)/sources $(BUILD)/flags
	$(call link,$(CLI_OBJ) $(BUILD)/$(STATIC) $(PROGRAM_LIBS))

# A hundred test programs are linked by the fastest linker that there is.
FAST_LINKER = $(call once,FAST_LINKER,for l in lld gold; do $(CC) -fuse-ld=$$$$l -Wl$(comma)--version && echo -fuse-ld=$$$$l && break; done | grep fuse)
TEST_LINKER = $(if $(FUZZ_PLAIN)$(findstring -flto,$(CFLAGS) $(LDFLAGS))$(findstring -fuse-ld,$(LDFLAGS)),,$(FAST_LINKER))
# Tests may compare with the system's BLAS.
SUPPORT_OBJ := $(call objects,$(SUPPORT_SRC))
TEST_LIB := $(BUILD)/$(PARTS) $(BLAS_OBJ)
TEST_BLAS = $(if $(PRIVATE_BLAS),$(BLAS_LIB) -Wl$(comma)-rpath$(comma)$(abspath $(BUILD)),$(BLAS_OBJ))
$(UNIT_BIN): %: %.o $(SUPPORT_OBJ) $(TEST_LIB) $(BUILD)/flags
	$(call link,$(TEST_LINKER) $< $(SUPPORT_OBJ) $(BUILD)/$(PARTS) $(TEST_BLAS) $(CMOCKA_LIBS) $(ARPACK_LIBS) $(OPENBLAS_LIBS))
# Host programs: they use only the public header and the shared library, and link their own BLAS.
HOST_OBJ := $(call objects,tests/host/tour.c tests/support/scratch.c tests/support/locales.c)
$(HOST_BIN): %: %.o $(HOST_OBJ) $(BUILD)/$(SHARED) $(BUILD)/flags
	$(call say,LD,$@)
	$Q$(CC) $(ALL_LDFLAGS) -rdynamic $< $(HOST_OBJ) -L$(BUILD) -Wl,-rpath,$(abspath $(BUILD)) -lpsdvec \
	    $(OPENBLAS_LIBS) $(CMOCKA_LIBS) -pthread -lm -o $@
$(TOOL_BIN): %: %.o $(TEST_LIB) $(BUILD)/flags
	$(call link,$< $(BUILD)/$(PARTS) $(TEST_BLAS))
# The library that makes calls fail, for LD_PRELOAD: Linux only. It must come before the runtime of
# a sanitizer, so it is itself neither sanitized nor instrumented.
INJECT := $(BUILD)/tests/torture/inject.so
$(INJECT): $(INJECT_SRC) tests/torture/inject.h $(BUILD)/flags
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$Q$(CC) -std=c11 -fPIC -shared -fvisibility=hidden -fno-omit-frame-pointer -O2 -g $(WARN) $(WERROR_FLAGS) $(INJECT_SRC) -ldl -pthread -o $@
$(PRELOAD_LIB): $(BUILD)/%.so: %.c $(BUILD)/flags
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$Q$(CC) -std=c11 -O2 -g -fPIC -shared $(WARN) $< -ldl -o $@
# The program without main, for its fuzzers.
CLI_PARTS := $(BUILD)/libcli.a
$(CLI_PARTS): $(CLI_OBJ) $(BUILD)/sources
	$(call archive,$(filter-out $(BUILD)/cli/main.o,$(CLI_OBJ)))
$(BUILD)/psdvec-mpi: $(MPI_OBJ) $(CLI_PARTS) $(BUILD)/$(STATIC) $(BUILD)/flags
	$(call link,$(MPI_OBJ) $(CLI_PARTS) $(BUILD)/$(STATIC) $(PROGRAM_LIBS) $(MPI_LIBS))
FUZZ_SUPPORT := $(call objects,tests/support/tensor_mutator.c $(FUZZ_FILES_SRC))
fuzz_link = $(call link,$(TEST_LINKER) $1 $< $(FUZZ_SUPPORT) $(filter $(CLI_PARTS),$^) $(BUILD)/$(PARTS) $(TEST_BLAS) \
    $(if $(filter $(CLI_PARTS),$^),$(PROGRAM_LIBS)))
$(CLI_SEED_BIN) $(FUZZ_CLI_SRC:%.c=$(BUILD)/%): $(CLI_PARTS)
$(FUZZ_BIN): %: %.o $(FUZZ_SUPPORT) $(TEST_LIB) $(BUILD)/flags
	$(call fuzz_link,$(FUZZ_LINK))
FUZZ_RUN_OBJ := $(call objects,$(FUZZ_RUN_SRC))
$(SEED_BIN): $(BUILD)/tests/seeds/%: $(BUILD)/tests/fuzz/%.o $(FUZZ_RUN_OBJ) $(FUZZ_SUPPORT) $(TEST_LIB) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call fuzz_link,$(FUZZ_RUN_OBJ))
$(BENCH_BIN): %: %.o $(TEST_LIB) $(BUILD)/flags
	$(call link,$< $(BUILD)/$(PARTS) $(TEST_BLAS))

# The program writes its manual pages and completions.
MAN_STAMP := $(BUILD)/man/.made
COMPLETIONS := $(foreach s,bash zsh fish,$(BUILD)/completions/psdvec.$s)
$(MAN_STAMP): $(BUILD)/psdvec
	$(call say,MAN,$(@D))
	@rm -rf $(@D) && mkdir -p $(@D)
	$Q$< internal-man $(@D) && touch $@
$(COMPLETIONS): $(BUILD)/completions/psdvec.%: $(BUILD)/psdvec
	@mkdir -p $(@D)
	$Q$< internal-completion $* > $@

# The C interface for bindings, described by a program that the compiler checks.
API_JSON := $(BUILD)/psdvec-api.json
API_CFLAGS = $(BASE_CFLAGS) $(CPPFLAGS) $(CFLAGS)
API_BUILD := $(BUILD)/describe-api
$(API_JSON): scripts/describe-api.awk $(HEADERS) $(OPTION_TABLES) $(BUILD)/flags
	$(call say,API,$@)
	@mkdir -p $(API_BUILD)
	@echo '#include <psdvec/psdvec.h>' > $(API_BUILD)/headers.c
	$Q$(CC) $(API_CFLAGS) -E -dD $(API_BUILD)/headers.c > $(API_BUILD)/headers.i
	$Qawk -v soname='$(SONAME)' -f scripts/describe-api.awk $(API_BUILD)/headers.i > $(API_BUILD)/describe.c
	$Q$(CC) $(API_CFLAGS) $(LDFLAGS) $(API_BUILD)/describe.c -o $(API_BUILD)/describe
	@rm -f $@
	@if $(API_BUILD)/describe > $@.new 2>/dev/null; then mv -f $@.new $@; else rm -f $@.new; \
	    echo "  $@ is left out: programs for the target do not run on this machine"; fi

# For programs that link the library: the dependencies of the static library are named directly, not
# by their packages, whose private dependencies few systems have. Both descriptions are relocatable:
# folders below the prefix are relative to it, and for CMake relative to the folder of the library.
below_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$1)
LIBDIR_UP = $(subst $(space),/,$(patsubst %,..,$(subst /, ,$(patsubst $(PREFIX)/%,%,$(LIBDIR)))))
INCLUDEDIR_THERE = $(if $(filter $(PREFIX)/%,$(LIBDIR)),$(patsubst $(PREFIX)/%,$(LIBDIR_UP)/%,$(INCLUDEDIR)),$(INCLUDEDIR))
$(BUILD)/psdvec.pc: psdvec.pc.in $(HEADER) $(BUILD)/flags FORCE
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call below_prefix,$(LIBDIR))|' \
	     -e 's|@INCLUDEDIR@|$(call below_prefix,$(INCLUDEDIR))|' \
	     -e 's|@API@|$(call below_prefix,$(DATADIR))/psdvec/$(notdir $(API_JSON))|' \
	     -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(LIBS)|' $< > $@
CMAKE_FILES := $(BUILD)/psdvec-config.cmake $(BUILD)/psdvec-config-version.cmake
$(CMAKE_FILES): $(BUILD)/%: %.in $(HEADER) $(BUILD)/flags FORCE
	@sed -e 's|@INCLUDEDIR@|$(INCLUDEDIR_THERE)|' -e 's|@VERSION@|$(VERSION)|' \
	     -e 's|@MAJOR@|$(MAJOR)|' -e 's|@MINOR@|$(MINOR)|' -e 's|@SHARED@|$(SHARED)|' \
	     -e 's|@SONAME@|$(SONAME)|' -e 's|@STATIC@|$(STATIC)|' \
	     -e 's|@LIBS@|$(subst $(space),;,$(strip $(LIBS)))|' $< > $@

HAVE_CLI := $(if $(CLI_SRC),yes)
.PHONY: mpi-program
mpi-program: $(BUILD)/psdvec-mpi
.PHONY: library program unit-tests test-tools bench-programs seed-programs library-seed-programs all-objects
library: $(BUILD)/$(STATIC) $(BUILD)/$(SHARED)
program: $(if $(HAVE_CLI),$(BUILD)/psdvec)
# Without cmocka the unit tests are not built, and the runner reports them as failed.
unit-tests: $(if $(HAVE_CMOCKA),$(UNIT_BIN) $(HOST_BIN))
# Programs and files that tests of the command line use.
test-tools: $(TOOL_BIN) $(API_JSON) $(if $(filter Linux,$(SYSTEM)),$(PRELOAD_LIB) $(INJECT))
bench-programs: $(BENCH_BIN)
# Every fuzzer with its seeds; and those of the library.
seed-programs: $(SEED_BIN)
library-seed-programs: $(LIB_SEED_BIN)
# Everything that is compiled, for checking warnings.
all-objects: $(OBJECTS) $(if $(HAVE_MPI),$(MPI_OBJ))
library program unit-tests test-tools bench-programs seed-programs library-seed-programs all-objects: ; @:

##@ Building
.PHONY: all deps deps-dev clean help
all: library program $(API_JSON) $(if $(HAVE_CLI),$(MAN_STAMP) $(COMPLETIONS)) ## build the library, the program, manual pages and completions (default)

.PHONY: mpi
mpi: ## build psdvec-mpi, which counts on several machines with MPI
	$(NEED) build mpi
	+@$(SUBMAKE) mpi-program

deps: ## install the packages for building, testing and the demo; DEPS=no only lists them
	$(NEED) build test demo

deps-dev: ## also install developer tools: clang, clang-tidy, cppcheck, lcov
	$(NEED) build test demo dev

clean: ## remove all build results
	rm -rf $(BUILD)

help: ## show this list
	@awk -F':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } \
	    /^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile mk/check.mk mk/install.mk mk/python.mk mk/package.mk

include mk/check.mk
include mk/install.mk
include mk/python.mk
include mk/package.mk
