# Builds libfcl, its programs and its tests.  GNU make and a POSIX shell; everything made lies under $(BUILD).
#
#   make            the library (shared and static) and the programs
#   make tests      what the tests and the examples in C are made of as well, for a suite that is run by hand
#   make check      the unit tests and every tests/*/run.sh, with a table of their times at the end
#   make quick      those of them that need no device, in less than 20 seconds
#   make demo       the example programs on the evaluator and on OpenCL
#   make bench      FCL programs beside hand-written kernels on an OpenCL device: docs/performance.md
#   make bench-gpu  the same on an NVIDIA GPU, beside CUDA's libraries as well
#   make bench-io   reading, checking and writing the core, beside SPIRV-Tools and LLVM
#   make fuzz       each fuzzer for FUZZ_SECONDS=60; make build/fuzz/all for tests/fuzz/long.sh
#   make install    PREFIX=/usr/local DESTDIR= LIBDIR= MANDIR= BASHDIR= ZSHDIR=; install-strip; uninstall
#   make dist       build/libfcl-VERSION.tar.gz of the files that git knows, the same bytes for everybody
#   make package-check   builds the Debian packages, and tests them in a clean system: tests/package/run.sh
#   make deps       the packages all of this needs, on Debian 12
#   make format     clang-format over the sources
#
# SAN=1 builds with the address and undefined-behaviour sanitizers, into build-san; SAN=thread with that of threads, into
# build-tsan, by clang, which can look into the code that the device cpu compiles as well.  DEBUG=1 builds without
# optimisation, into build-debug, and the library asks SPIRV-Tools about every module that it emits.  V=1 shows the commands.
# Other CC, OPT, CFLAGS, CPPFLAGS or LDFLAGS than the last time build everything anew.  `make -f DIR/Makefile` does from
# anywhere what `make -C DIR` does.

HERE := $(realpath $(dir $(lastword $(MAKEFILE_LIST))))
goals := $(or $(MAKECMDGOALS),all)
# As many at a time as there are processors, where no -j says how many.
JOBS   = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
ifneq ($(HERE),$(realpath $(CURDIR)))
$(firstword $(goals)):
	@+$(MAKE) --no-print-directory -C $(HERE) $(goals)
$(filter-out $(firstword $(goals)),$(goals)): $(firstword $(goals)) ;
.PHONY: $(goals)
else ifneq ($(and $(filter deps,$(goals)),$(filter-out deps,$(goals))),)
# Packages first, then what needs them, by another make, which sees what has been installed.
$(firstword $(goals)):
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory $(JOBS) $(filter-out deps,$(goals))
$(filter-out $(firstword $(goals)),$(goals)): $(firstword $(goals)) ;
.PHONY: $(goals)
else

VERSION  := $(shell sed -n 's/.*FCL_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)/\2/p' libfcl/fcl.h | paste -sd. -)
SOVERSION := 0
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
MANDIR   ?= $(PREFIX)/share/man
BASHDIR  ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR   ?= $(PREFIX)/share/zsh/site-functions
BUILD    := build

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror=switch
OPT      ?= $(if $(DEBUG),-O0,-O2) -g
CFLAGS   ?=
LDFLAGS  ?=
ifeq ($(SAN),thread)
BUILD    := build-tsan
CC       := clang
SANFLAGS := -fsanitize=thread -fno-omit-frame-pointer
else ifdef SAN
BUILD    := build-san
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
BUILD    := $(if $(DEBUG),build-debug,build)
NO_UNDEFINED := -Wl,-z,defs
endif
# Whether the library itself asks SPIRV-Tools, which are C++ inside; what the tests are made of does in every build.
VALIDATOR := -lSPIRV-Tools -lstdc++
VALIDATES := $(if $(DEBUG),$(VALIDATOR))

# -ffp-contract=off: constant folding and the evaluator round every operation, as the devices do.
FLAGS    := -std=c11 $(OPT) $(WARNINGS) -ffp-contract=off -fPIC -fvisibility=hidden -DCL_TARGET_OPENCL_VERSION=120 \
            -I. -I$(BUILD)/gen $(SANFLAGS) $(if $(VALIDATES),-DFCL_VALIDATE) $(CPPFLAGS) $(CFLAGS)
LINK     := $(CC) $(SANFLAGS) $(CFLAGS) $(LDFLAGS)
LIBS     := $(VALIDATES) -lm -ldl
# What the programs use beside the library.
TOOL_LIBS := -lcjson -lz $(VALIDATOR)
# The folder's name is no part of it, so that a full path and a short one are the same build.
FLAGS_NOW = $(subst ','\'',$(CC) $(subst $(BUILD),build,$(FLAGS) $(LDFLAGS)))
ifndef V
QUIET     = @echo "  $(@:$(BUILD)/%=%)";
endif

# ---- what is built from what ----

TOOLS    := fclc fcl-opt
# Every folder of the library's and of the programs' rooms.
rooms     = $(sort $(shell find $(1) -type d))
LIB_DIRS := $(call rooms,ir serialize backends libfcl $(filter-out frontends/tools/,$(wildcard frontends/*/)))
objects   = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
tool_main = frontends/tools/$(subst -,_,$(1)).c

LIB_OBJ  := $(call objects,$(foreach d,$(LIB_DIRS),$(wildcard $(d)/*.c)))
MAINS    := $(foreach t,$(TOOLS),$(call tool_main,$(t)))
TOOL_OBJ := $(call objects,$(filter-out $(MAINS),$(foreach d,$(call rooms,frontends/tools),$(wildcard $(d)/*.c))))
TEST_SRC := $(wildcard tests/unit/test_*.c)
TEST_OBJ := $(call objects,$(wildcard tests/unit/*.c))
EXAMPLES := $(patsubst docs/examples/%.c,$(BUILD)/bin/%,$(wildcard docs/examples/*.c))

# What the tests are made of: the same, but that SPIRV-Tools are asked about every module.
VALID    := $(BUILD)/obj/backends/spirv/valid.o
CHECKED_OBJ := $(filter-out $(VALID),$(LIB_OBJ)) $(VALID:.o=-checked.o)
CHECKED  := $(BUILD)/tests/libfcl.a

SHARED   := $(BUILD)/lib/libfcl.so.$(SOVERSION)
STATIC   := $(BUILD)/lib/libfcl.a
PROGRAMS := $(TOOLS:%=$(BUILD)/bin/%)

# The programs' manual pages and completion for shells, which they write themselves.
ABOUT    := $(TOOLS:%=$(BUILD)/about/man/%.1) $(TOOLS:%=$(BUILD)/about/bash/%) $(TOOLS:%=$(BUILD)/about/zsh/_%)
HEADERS  := libfcl/fcl.h libfcl/fcl_backend.h

all: $(SHARED) $(STATIC) $(PROGRAMS) $(ABOUT)

# $(1) writes itself as $(2) to $(3).
define about_rule
$(3): $(BUILD)/bin/$(1)
	@mkdir -p $$(@D)
	@$$< --help --as=$(2) > $$@
endef
$(foreach t,$(TOOLS),$(eval $(call about_rule,$(t),man,$(BUILD)/about/man/$(t).1)))
$(foreach t,$(TOOLS),$(eval $(call about_rule,$(t),bash,$(BUILD)/about/bash/$(t))))
$(foreach t,$(TOOLS),$(eval $(call about_rule,$(t),zsh,$(BUILD)/about/zsh/_$(t))))

# What everything is compiled with.  Changes only where that does; where there is none it is older than all objects.
$(BUILD)/flags: always
	@mkdir -p $(@D)
	@[ -e $@ ] || { echo '$(FLAGS_NOW)' > $@; touch -d @0 $@; }
	@echo '$(FLAGS_NOW)' | cmp -s - $@ || echo '$(FLAGS_NOW)' > $@

# What an object depends on is said of its name with $(BUILD) in it, which may be a full path another time.
DEPENDS   = -MMD -MP -MT '$(@:$(BUILD)/%=$$(BUILD)/%)'

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(QUIET)$(CC) $(FLAGS) $(DEPENDS) -c $< -o $@

# Loops over lanes, which are to become instructions on vectors.
$(BUILD)/obj/ir/eval/operator.o: FLAGS := $(patsubst -O2,-O3,$(FLAGS))

$(VALID:.o=-checked.o): backends/spirv/valid.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(QUIET)$(CC) $(FLAGS) -UFCL_VALIDATE -DFCL_VALIDATE $(DEPENDS) -c $< -o $@

$(SHARED): $(LIB_OBJ) libfcl/libfcl.map
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -shared -Wl,-soname,libfcl.so.$(SOVERSION) -Wl,--version-script=libfcl/libfcl.map $(NO_UNDEFINED) \
	    -o $@ $(LIB_OBJ) $(LIBS)
	@ln -sf libfcl.so.$(SOVERSION) $(@D)/libfcl.so

# One object with everything but fcl_* made local, so that internal names cannot meet those of a program.
$(STATIC): $(LIB_OBJ)
$(CHECKED): $(CHECKED_OBJ)
$(STATIC) $(CHECKED):
	@mkdir -p $(@D)
	$(QUIET)$(LD) -r -o $@.o $^
	@objcopy --localize-hidden $@.o
	@rm -f $@
	@$(AR) rcs $@ $@.o
	@rm -f $@.o

# -rdynamic: plug-ins call the functions of fcl.h and fcl_backend.h in the program.
define tool_rule
$(BUILD)/bin/$(1): $(call objects,$(call tool_main,$(1))) $(TOOL_OBJ) $(STATIC)
	@mkdir -p $$(@D)
	$$(QUIET)$(LINK) -rdynamic -o $$@ $$^ $(TOOL_LIBS) $(LIBS)
endef
$(foreach t,$(TOOLS),$(eval $(call tool_rule,$(t))))

# As those who have installed the library: #include <fcl.h>.
$(BUILD)/obj/docs/examples/%.o: FLAGS += -Ilibfcl
$(BUILD)/bin/%: $(BUILD)/obj/docs/examples/%.o $(STATIC)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -o $@ $^ $(LIBS)

# They are OpenCL programs as well.
$(BUILD)/bin/adopt $(BUILD)/bin/run_plan: LIBS += -lOpenCL

# ---- generated sources ----

# The preludes' texts as bytes, for libfcl/prelude/prelude.c.
PRELUDE_FILES := $(wildcard libfcl/prelude/*.fclir libfcl/prelude/*.fcl)
prelude_inc = $(BUILD)/gen/$(subst .fcl.inc,_fcl.inc,$(notdir $(1:.fclir=)).inc)
PRELUDES := $(foreach f,$(PRELUDE_FILES),$(call prelude_inc,$(f)))
$(foreach f,$(PRELUDE_FILES),$(eval $(call prelude_inc,$(f)): $(f)))
# And the page that `fclc explain` prints from, for frontends/tools/commands/pages.c.
EXPLAINED := $(BUILD)/gen/diagnostics.inc
$(EXPLAINED): docs/diagnostics.md
# And what the host programs of `fclc compile --driver=c` share, for frontends/tools/driver/driver.c.
HOST_TEXTS := $(BUILD)/gen/fcl_host.inc $(BUILD)/gen/fcl_host_main.inc
$(HOST_TEXTS): $(BUILD)/gen/%.inc: frontends/tools/driver/%.h
$(PRELUDES) $(EXPLAINED) $(HOST_TEXTS):
	@mkdir -p $(@D)
	@od -An -v -tu1 $< | sed 's/\([0-9][0-9]*\)/\1,/g' > $@.new
	@mv $@.new $@
$(BUILD)/obj/libfcl/prelude/prelude.o: $(PRELUDES)
$(BUILD)/obj/frontends/tools/commands/pages.o: $(EXPLAINED)
$(BUILD)/obj/frontends/tools/driver/driver.o: $(HOST_TEXTS)

# The numbers of OpenCL's instructions in SPIR-V, which are in the grammar alone.
SPIRV    := $(or $(shell pkg-config --variable=includedir SPIRV-Headers 2> /dev/null),/usr/include)/spirv/unified1
OPENCL_STD := $(BUILD)/gen/opencl_std.inc
$(OPENCL_STD): $(SPIRV)/extinst.opencl.std.100.grammar.json
	@mkdir -p $(@D)
	@sed -n '/"opname"/{s/.*: *"\([^"]*\)".*/\1/;h};/"opcode"/{s/.*: *\([0-9]*\).*/\1/;H;x;s/\(.*\)\n\(.*\)/OpenCLstd_\1 = \2,/p}' $< > $@.new
	@mv $@.new $@
$(BUILD)/obj/backends/spirv/opencl.o: $(OPENCL_STD)

# SUITE(x) for every tests/unit/test_x.c, for tests/unit/main.c.
$(BUILD)/gen/suites.inc: $(TEST_SRC) tests/unit
	@mkdir -p $(@D)
	@printf 'SUITE(%s)\n' $(patsubst test_%,%,$(basename $(notdir $(TEST_SRC)))) > $@.new
	@mv $@.new $@
$(BUILD)/obj/tests/unit/main.o: $(BUILD)/gen/suites.inc

# ---- tests, examples, benchmarks ----

$(BUILD)/tests/unit: $(TEST_OBJ) $(CHECKED_OBJ)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -o $@ $^ -lcheck_pic -pthread -lrt -lm -lsubunit -ldl $(VALIDATOR)

# fclc and fcl-opt in one process, for suites that run hundreds of commands: tests/driver/driver.c.
DRIVER   := $(BUILD)/tests/driver
DRIVER_OBJ := $(call objects,$(wildcard tests/driver/*.c)) \
              $(TOOLS:%=$(BUILD)/obj/tests/driver/%-main.o)
define driver_main
$(BUILD)/obj/tests/driver/$(1)-main.o: $(call objects,$(call tool_main,$(1)))
	@mkdir -p $$(@D)
	$$(QUIET)objcopy --redefine-sym main=$(subst -,_,$(1))_main $$< $$@
endef
$(foreach t,$(TOOLS),$(eval $(call driver_main,$(t))))

tests: all $(EXAMPLES) $(DRIVER) $(BUILD)/tests/unit $(BUILD)/tests/random $(BUILD)/tests/kir

$(DRIVER): $(DRIVER_OBJ) $(TOOL_OBJ) $(CHECKED) | $(STATIC)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -rdynamic -o $@ $^ $(TOOL_LIBS) $(LIBS)

# Random programs, run in every way that there is: tests/random/main.c.
RANDOM_OBJ := $(call objects,$(wildcard tests/random/*.c) tests/unit/simulator.c)
RANDOM_TOOLS := $(BUILD)/obj/tests/random-tools.o
$(BUILD)/tests/random: $(RANDOM_OBJ) $(RANDOM_TOOLS) $(CHECKED_OBJ)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -o $@ $^ $(TOOL_LIBS) $(LIBS)

# What the programs have for arguments and results; beside the library's own names, which they do not see elsewhere.
$(RANDOM_TOOLS): $(TOOL_OBJ)
	@mkdir -p $(@D)
	$(QUIET)$(LD) -r -o $@ $^
	@objcopy --localize-symbol=scalar_named $@

# What reads, verifies and prints kernel IR for tests/kernelir.
KIR_OBJ  := $(call objects,$(wildcard tests/kernelir/*.c))
.SECONDARY: $(KIR_OBJ)
$(BUILD)/tests/kir: $(KIR_OBJ) $(LIB_OBJ)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -o $@ $^ $(LIBS)

unit: $(BUILD)/tests/unit
	$(BUILD)/tests/unit

# Every test is suite-NAME: the suites of the unit tests, unit-X for tests/unit/test_X.c, and
# tests/NAME/run.sh.  As many at a time as there are processors, the longest first; at the end each
# with its seconds.
LONGEST  := devices schedule oclgrind programs defects valgrind spirv kernelir obsidian fuzz vulkan algorithms deep fcl artifact \
            endurance failures cost unit-warp unit-memory
SUITES   := $(patsubst tests/unit/test_%.c,unit-%,$(TEST_SRC)) \
            $(patsubst tests/%/run.sh,%,$(filter-out tests/bench/run.sh tests/package/run.sh,$(wildcard tests/*/run.sh)))
SUITES   := $(filter $(SUITES),$(LONGEST)) $(filter-out $(LONGEST),$(SUITES))
# What is quick: whatever needs no device.  GOLDENS=1 leaves out what does.
QUICK_SUITES := $(filter unit-% kernels refused tail compat roundtrip passes memory fcl explain \
                  reference messages, \
                  $(SUITES))
RESULTS  := $(BUILD)/tests/results

# Kernels that PoCL built from the same code are used again, for three days.
KERNELS  := $(BUILD)/tests/pocl
define make_room
@rm -rf $(RESULTS); mkdir -p $(RESULTS) $(KERNELS); date +%s > $(RESULTS)/began
@find $(KERNELS) -mindepth 2 -maxdepth 2 -mtime +3 -exec rm -r {} +
endef
run_suites = $(MAKE) --no-print-directory --keep-going --output-sync=target $(JOBS) $(1:%=suite-%) $(2) || :
define sum_up
@tests/tools/summary.sh $(RESULTS) $(1) || status=1; \
echo "$$(($$(date +%s) - $$(cat $(RESULTS)/began))) seconds"; exit $${status:-0}
endef

check: tests
	$(make_room)
	@+$(call run_suites,$(SUITES))
	$(call sum_up,$(SUITES))

# Those of the unit tests alone, side by side.
units: $(BUILD)/tests/unit
	$(make_room)
	@+$(call run_suites,$(filter unit-%,$(SUITES)))
	$(call sum_up,$(filter unit-%,$(SUITES)))

quick: all $(EXAMPLES) $(DRIVER) $(BUILD)/tests/unit
	$(make_room)
	@+$(call run_suites,$(QUICK_SUITES),GOLDENS=1)
	$(call sum_up,$(QUICK_SUITES))

# Nothing that a user has on disk is read or written; tests/cache has folders of its own.
export FCL_CACHE :=

SUITE_ENVIRONMENT = BUILD=$(BUILD) SAN=$(SAN) GOLDENS=$(GOLDENS) \
                    POCL_CACHE_DIR=$${POCL_CACHE_DIR:-$(abspath $(KERNELS))}
$(addprefix suite-,$(filter unit-%,$(SUITES))): suite-unit-%:
	@tests/tools/timed.sh $(RESULTS) unit-$* env CK_RUN_SUITE=$* CK_TIMEOUT_MULTIPLIER=10 $(BUILD)/tests/unit

$(addprefix suite-,$(filter-out unit-%,$(SUITES))): suite-%:
	@$(SUITE_ENVIRONMENT) \
	    tests/tools/timed.sh $(RESULTS) $* tests/$*/run.sh

# Each example says in its first lines how to run it: "// run: ARGUMENTS".  Those without levels are evaluated.
DEMOS    := $(wildcard docs/examples/*.fclir docs/examples/arrays/*.fclir)
demo: all
	@$(MAKE) --no-print-directory --output-sync=target $(JOBS) $(DEMOS:%=demo-%)

$(DEMOS:%=demo-%): demo-%: all
	@for d in interp $(if $(findstring /arrays/,$*),,opencl); do \
	    sed -n 's|^// run: ||p' $* | while read -r args; do \
	        echo "fclc run $* --device=$$d $$args"; \
	        $(BUILD)/bin/fclc run $* --device=$$d $$args || exit 1; \
	    done || exit 1; \
	done

BENCH    := $(BUILD)/bench/bench
BENCH_OBJ := $(call objects,$(filter-out $(addprefix tests/bench/,overhead.c wall.c pair.c forms.c),$(wildcard tests/bench/*.c)))
OVERHEAD := $(BUILD)/bench/overhead
WALL     := $(BUILD)/bench/wall
PAIR     := $(BUILD)/bench/pair
BENCH_COMMON := $(addprefix tests/bench/,cases.c check.c check_arrays.c check_halves.c cores.c cores_arrays.c data.c instance.c machine.c problems.c subject.c)
PAIR_OBJ := $(call objects,tests/bench/pair.c $(BENCH_COMMON))
FORMS    := $(BUILD)/bench/forms
FORMS_OBJ := $(call objects,$(addprefix tests/bench/,forms.c vendor.c measure.c peer.c peers.c) $(BENCH_COMMON))

# As people compile such C for their own machine.
$(BUILD)/obj/tests/bench/cores.o $(BUILD)/obj/tests/bench/cores_arrays.o: FLAGS += -O3 -march=native -fopenmp -ffp-contract=fast

# Its own functions stand before those of OpenCL.
$(OVERHEAD): $(call objects,tests/bench/overhead.c) $(STATIC)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -rdynamic -o $@ $^ -lOpenCL $(LIBS)

# How long the host waits, beside CUB: tests/bench/wall.sh.
$(WALL): $(call objects,tests/bench/wall.c) $(STATIC)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -o $@ $^ $(LIBS)

# Libraries that a bare machine lacks may lie beside the program: see tests/bench/gpu.sh.
$(BENCH): $(BENCH_OBJ) $(STATIC)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -fopenmp -Wl,-rpath,'$$ORIGIN' -o $@ $^ -lcjson -lOpenCL $(LIBS)

# The same programs on two devices: tests/bench/vulkan.sh.
$(PAIR): $(PAIR_OBJ) $(STATIC)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -fopenmp -Wl,-rpath,'$$ORIGIN' -o $@ $^ -lOpenCL $(LIBS)

# Programs without levels beside those with levels chosen by hand: tests/bench/unscheduled.sh.
$(FORMS): $(FORMS_OBJ) $(STATIC)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -fopenmp -Wl,-rpath,'$$ORIGIN' -o $@ $^ -lcjson -lOpenCL $(LIBS)

# QUICK=1: small sizes.  DEVICE=opencl:N or cpu (beside C with OpenMP), BENCH_OUT=FILE (JSON), BENCH_FLAGS: see tests/bench/main.c.
bench: $(BENCH) $(OVERHEAD)
	$(OVERHEAD)
	BUILD=$(BUILD) tests/bench/run.sh $(BENCH_FLAGS)

# On a machine with NVIDIA's OpenCL; CUDA's libraries take part where there is nvcc.
bench-gpu:
	BUILD=$(BUILD) tests/bench/gpu.sh $(BENCH_FLAGS)

# Reading, checking and writing, beside SPIRV-Tools and LLVM: docs/performance.md.  BENCH_IO_FLAGS: see tests/bench-io/run.py.
MEASURE  := $(BUILD)/bench-io/measure
$(MEASURE): $(call objects,tests/bench-io/measure.c) $(LIB_OBJ)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -o $@ $^ $(TOOL_LIBS) $(LIBS)

bench-io: $(MEASURE)
	python3 tests/bench-io/run.py --measure=$(MEASURE) --work=$(BUILD)/bench-io $(BENCH_IO_FLAGS)

include tests/fuzz/fuzz.mk

# ---- the rest ----

# Where things go, and what: `make uninstall` removes what `make install` of the same settings installs.
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/share/libfcl \
	    $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/fcl $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(BASHDIR) \
	    $(DESTDIR)$(ZSHDIR)
	install -m 755 $(STRIPPED) $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include
	install -m 644 $(PRELUDE_FILES) $(DESTDIR)$(PREFIX)/share/libfcl
	cp -R --no-preserve=ownership tests/conformance/suite/. $(DESTDIR)$(PREFIX)/share/libfcl/conformance
	chmod -R u+rwX,go=rX $(DESTDIR)$(PREFIX)/share/libfcl/conformance
	install -m 755 $(STRIPPED) $(SHARED) $(DESTDIR)$(LIBDIR)
	install -m 644 $(STATIC) $(DESTDIR)$(LIBDIR)
	$(if $(STRIPPED),strip --strip-debug $(DESTDIR)$(LIBDIR)/libfcl.a)
	ln -sf libfcl.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libfcl.so
	$(fill) libfcl/libfcl.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/libfcl.pc
	$(fill) libfcl/fcl-config.cmake.in > $(DESTDIR)$(LIBDIR)/cmake/fcl/fcl-config.cmake
	$(fill) libfcl/fcl-config-version.cmake.in > $(DESTDIR)$(LIBDIR)/cmake/fcl/fcl-config-version.cmake
	install -m 644 $(filter %.1,$(ABOUT)) $(DESTDIR)$(MANDIR)/man1
	install -m 644 $(filter $(BUILD)/about/bash/%,$(ABOUT)) $(DESTDIR)$(BASHDIR)
	install -m 644 $(filter $(BUILD)/about/zsh/%,$(ABOUT)) $(DESTDIR)$(ZSHDIR)

fill = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@SOVERSION@|$(SOVERSION)|' \
       -e 's|@MAJOR@|$(firstword $(subst ., ,$(VERSION)))|' \
       -e "s|@INCLUDE@|$$(realpath -m --relative-to=$(LIBDIR)/cmake/fcl $(PREFIX)/include)|"

# The same without symbols for debuggers.
install-strip:
	@$(MAKE) --no-print-directory install STRIPPED=-s

# What installing into an empty folder puts there goes, and folders of the library's own.
uninstall:
	@stage=$$(mktemp -d) && trap 'rm -r "$$stage"' EXIT && \
	$(MAKE) --no-print-directory install DESTDIR="$$stage" > /dev/null && \
	(cd "$$stage" && find . ! -type d -print) | while read -r file; do rm -f "$(DESTDIR)/$$file"; done && \
	(cd "$$stage" && find . -depth -type d \( -name '*fcl*' -o -path '*/libfcl/*' \) -print) | while read -r folder; do \
	    rmdir --ignore-fail-on-non-empty "$(DESTDIR)/$$folder"; done

# The files that git knows, in one order, with one owner and the time of the last commit: the same bytes for everybody.
DIST := $(BUILD)/libfcl-$(VERSION).tar.gz
dist:
	@mkdir -p $(BUILD)
	@git ls-files -z | tar --null --files-from=- --create --format=gnu --sort=name --owner=0 --group=0 --numeric-owner \
	    --mode=u+rw,go=rX --mtime=@$$(git log -1 --format=%ct) --transform='flags=r;s,^,libfcl-$(VERSION)/,' | gzip -n9 > $(DIST).new
	@mv $(DIST).new $(DIST)
	@echo $(DIST)

package-check:
	tests/package/run.sh

# What each one is for: docs/dependencies.md.
PACKAGES := build-essential pkg-config python3 python3-msgpack python3-numpy python3-pyopencl abigail-tools check libsubunit-dev libcjson-dev zlib1g-dev libmsgpack-dev opencl-c-headers \
            ocl-icd-opencl-dev pocl-opencl-icd oclgrind clang clang-15 libclang-common-15-dev libclc-15 valgrind spirv-tools \
            spirv-headers libvulkan-dev mesa-vulkan-drivers vulkan-validationlayers llvm-spirv-15 llvm cmake groff-base zsh
SUDO      = $(shell [ "$$(id -u)" = 0 ] || echo sudo)

deps:
	$(SUDO) apt-get update
	$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(PACKAGES)

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build build-san build-debug

-include $(patsubst %.o,%.d,$(CHECKED_OBJ) $(LIB_OBJ) $(TOOL_OBJ) $(TEST_OBJ) $(RANDOM_OBJ) $(call objects,$(MAINS) $(wildcard docs/examples/*.c tests/driver/*.c)) $(BENCH_OBJ) $(PAIR_OBJ) $(FORMS_OBJ) $(call objects,tests/bench-io/measure.c tests/bench/overhead.c tests/bench/wall.c) $(KIR_OBJ))

.PHONY: always all tests unit units check quick $(SUITES:%=suite-%) demo $(DEMOS:%=demo-%) bench bench-gpu bench-io install install-strip uninstall dist package-check deps format clean
.SECONDARY:
.DELETE_ON_ERROR:
endif
