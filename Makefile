BUILD ?= build
CC ?= cc
CFLAGS ?= -O2 -g
WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
PKGS = libarchive libutf8proc expat libxxhash icu-uc
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -fvisibility=hidden -fPIC -pthread $(WARN) -Iinclude -Isrc $(shell pkg-config --cflags $(PKGS)) $(CFLAGS)
LIBS = $(shell pkg-config --libs $(PKGS)) -pthread -lm
LIB_SRC = $(wildcard src/*/*.c)
LIB_OBJ = $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_SRC = $(wildcard cli/*.c)
CLI_OBJ = $(CLI_SRC:%.c=$(BUILD)/%.o)
all: $(BUILD)/libpsdvec.a $(if $(CLI_SRC),$(BUILD)/psdvec)
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/libpsdvec.a: $(LIB_OBJ)
	rm -f $@; ar rcs $@ $^
$(BUILD)/psdvec: $(CLI_OBJ) $(BUILD)/libpsdvec.a
	$(CC) $(CFLAGS) $^ $(LIBS) -o $@
-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d)
