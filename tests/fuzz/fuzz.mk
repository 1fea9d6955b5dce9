# Fuzzers (clang's libFuzzer with the sanitizers), and the plain driver that `make check` runs.  Part of the Makefile.
#
#   make fuzz          each target for FUZZ_SECONDS (60)
#   make build/fuzz/all   what tests/fuzz/long.sh needs, in build/fuzz: to be run there or on another machine

FUZZ_SECONDS ?= 60
FUZZ_CC      ?= clang-15
FUZZ_CXX     ?= clang++-15
FUZZ         := $(BUILD)/fuzz
FUZZ_TARGETS := $(shell sed -n 's/^TARGET.\([a-z]*\),.*/\1/p' tests/fuzz/targets.def)
FUZZ_FLAGS   := -std=c11 -O1 -g1 $(WARNINGS) -ffp-contract=off -DCL_TARGET_OPENCL_VERSION=120 -I. -I$(BUILD)/gen \
                -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer $(CPPFLAGS)
fuzz_object   = $(patsubst %.c,$(FUZZ)/obj/%.o,$(1))

FUZZ_SHARED  := $(filter-out %/libfuzzer.c %/files.c %/dictionary.c,$(wildcard tests/fuzz/*.c))
FUZZ_LIB     := $(patsubst $(BUILD)/obj/%,$(FUZZ)/obj/%,$(LIB_OBJ))
FUZZ_BINS    := $(FUZZ_TARGETS:%=$(FUZZ)/fuzz-%)

$(FUZZ)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(QUIET)$(FUZZ_CC) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@
$(FUZZ)/obj/libfcl/prelude/prelude.o: $(PRELUDES)

FUZZ_ENTRIES := $(FUZZ_TARGETS:%=$(FUZZ)/obj/entry-%.o)
$(FUZZ_ENTRIES): $(FUZZ)/obj/entry-%.o: tests/fuzz/libfuzzer.c
	@mkdir -p $(@D)
	$(QUIET)$(FUZZ_CC) $(FUZZ_FLAGS) -DFUZZ_TARGET=$* -MMD -MP -c $< -o $@

# Nothing but the C library is linked at run time, so that the programs can be carried elsewhere.
$(FUZZ_BINS): $(FUZZ)/fuzz-%: $(FUZZ)/obj/entry-%.o $(call fuzz_object,$(FUZZ_SHARED)) $(FUZZ_LIB)
	$(QUIET)$(FUZZ_CXX) -fsanitize=fuzzer,address,undefined -static-libgcc -static-libstdc++ -o $@ $^ $(LIBS)

$(FUZZ)/words.dict: $(FUZZ)/dictionary
	@$< > $@
$(FUZZ)/dictionary: $(call objects,tests/fuzz/dictionary.c tests/fuzz/words.c)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -o $@ $^

# Without a fuzzer, and as the rest is built: with SAN=1 under the sanitizers too.
$(FUZZ)/files: $(call objects,tests/fuzz/files.c $(FUZZ_SHARED)) $(STATIC)
	@mkdir -p $(@D)
	$(QUIET)$(LINK) -o $@ $^ $(LIBS)

$(FUZZ)/seeds: $(FUZZ)/files $(PROGRAMS) $(BUILD)/tests/random tests/fuzz/seeds.sh $(wildcard tests/fuzz/corpus/*/* tests/fuzz/crashes/*/*)
	@BUILD=$(BUILD) tests/fuzz/seeds.sh $@

$(FUZZ)/all: $(FUZZ_BINS) $(FUZZ)/words.dict $(FUZZ)/seeds tests/fuzz/long.sh
	@cp tests/fuzz/long.sh $(FUZZ)/long.sh

fuzz: $(FUZZ)/all
	$(FUZZ)/long.sh $(FUZZ_SECONDS) 1

tests: $(FUZZ)/files

-include $(patsubst %.o,%.d,$(FUZZ_LIB) $(call fuzz_object,$(FUZZ_SHARED)) $(FUZZ_ENTRIES) \
    $(call objects,$(wildcard tests/fuzz/*.c)))

.PHONY: fuzz $(FUZZ)/all
