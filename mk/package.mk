# Packages: source archives, the Python wheel, Debian packages.

# Where the finished packages go.
DIST_DIR ?= $(BUILD)/dist
WHEEL_DIR ?= $(BUILD)/wheel
WHEEL_BUILD := $(BUILD)/wheel-parts
DEB_DIR ?= $(BUILD)/deb
DIST_NAME := psdvec-$(VERSION)
# The times in packages: that of the last commit, which the files of a source archive have too.
SOURCE_DATE_EPOCH ?= $(call once,COMMIT_TIME,[ -e .git ] && git log -1 --format=%ct || date -r $(HEADER) +%s)
ARCHIVE_TOOL = SOURCE_DATE_EPOCH='$(SOURCE_DATE_EPOCH)' BUILD='$(BUILD)' $(PYTHON) scripts/source_archive.py $(DIST_NAME)

##@ Packages
.PHONY: dist sdist wheel deb
# Besides the tracked files, archives and Debian's source have the built page of psdvec explore, for
# machines without node, if it can be built here.
BUILD_PAGE = WEB='$(WEB)' sh scripts/build-web.sh $(BUILD)/web-dist $(WEB_TOOLS)
BUILT_PAGE = $$([ ! -f $(BUILD)/web-dist/app.js ] || \
	    (cd $(BUILD)/web-dist && for file in *; do echo "web/dist/$$file=$(abspath $(BUILD))/web-dist/$$file"; done))
dist: ## write the source archive, from the tracked files, to BUILD/dist
	@mkdir -p $(BUILD)
	$Q$(BUILD_PAGE)
	$Q$(ARCHIVE_TOOL) $(DIST_DIR)/$(DIST_NAME).tar.xz $(BUILT_PAGE)
	@echo "$(DIST_DIR)/$(DIST_NAME).tar.xz"

sdist: ## write the source archive for pip to BUILD/dist
	@mkdir -p $(WHEEL_BUILD)
	$Q$(PYTHON) bindings/python/make_wheel.py metadata > $(WHEEL_BUILD)/PKG-INFO
	$Q$(ARCHIVE_TOOL) $(DIST_DIR)/$(DIST_NAME).tar.gz PKG-INFO=$(WHEEL_BUILD)/PKG-INFO
	@echo "$(DIST_DIR)/$(DIST_NAME).tar.gz"

wheel: ## build the Python wheel, which contains the library and its dependencies, in BUILD/wheel
	$(NEED) build wheel
	+@$(SUBMAKE) run-wheel
.PHONY: run-wheel
run-wheel: python $(WHEEL_BUILD)/$(SONAME)
	$QSOURCE_DATE_EPOCH='$(SOURCE_DATE_EPOCH)' $(PYTHON) bindings/python/make_wheel.py wheel $(PY_PACKAGE) \
	    $(WHEEL_BUILD)/$(SONAME) '$(CC)' $(WHEEL_DIR) $$(cat $(WHEEL_BUILD)/archives) $(PRIVATE_BLAS)

# The library of the wheel contains its dependencies, so that it needs only the C library and cannot
# be confused by other versions of them in the process; their symbols are hidden. Static libraries
# that do not exist belong to parts of libarchive that psdvec does not use; what is really missing,
# the linker reports. ICU is written in C++. Of its data only a part is used, if icupkg is installed.
WHEEL_LIBS = $(filter-out -lm -lpthread -ldl,$(call once,STATIC_LIBS,$(PKG_CONFIG) --static --libs-only-l $(PACKAGES)) -lstdc++)
WHEEL_ARCHIVES = $(call once,FOUND_ARCHIVES,for name in $(WHEEL_LIBS:-l%=%); do realpath -e "$$$$($(CC) -print-file-name=lib$$$$name.a)"; done)
ICU_DATA = $(call once,FOUND_ICUPKG,PATH=$$$$PATH:/usr/sbin command -v icupkg >/dev/null && echo '$(filter %/libicudata.a,$(WHEEL_ARCHIVES))')
LIBC_VARIABLES := bindings/python/libc_variables.c
LIBC_WRAPPED := stdin stdout stderr __timezone tzname
$(WHEEL_BUILD)/$(SONAME): $(LIBC_VARIABLES) $(LIB_OBJ) $(BLAS_OBJ) scripts/icu-data.sh $(BUILD)/sources $(BUILD)/flags
	$(if $(PRIVATE_BLAS),,$(error the wheel needs a serial libopenblas.a: install one (Debian: libopenblas-serial-dev), or name it with BLAS_ARCHIVE=path))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$Q$(if $(ICU_DATA),CC='$(CC)' sh scripts/icu-data.sh $(ICU_DATA) $(@D)/icu-data.o)
	$Q$(CC) $(BASE_CFLAGS) $(POSIX) $(TAIL_CFLAGS) $(WERROR_FLAGS) $(PREFIX_MAP) -c $(LIBC_VARIABLES) -o $(@D)/libc_variables.o
	$Q$(CC) $(SOFLAGS) $(ALL_LDFLAGS) -s -static-libgcc -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-Map,$(@D)/map \
	    $(LIBC_WRAPPED:%=-Wl$(comma)--wrap=%) $(@D)/libc_variables.o \
	    $(LIB_OBJ) $(BLAS_OBJ) $(if $(ICU_DATA),$(@D)/icu-data.o) \
	    -Wl,--start-group $(WHEEL_ARCHIVES) -Wl,--end-group -pthread -lm -o $@
# The archives of which the linker used a member; the map begins lines with ARCHIVE(MEMBER).
	@sed -n 's/^\(\/.*\.a\)(.*/\1/p' $(@D)/map | xargs realpath | sort -u > $(@D)/archives

# With the archive as a packager gets it, which contains debian/. Not reported: that these packages
# answer no request in Debian's bug tracker, and the field Static-Built-Using, which lintian of Debian
# 12 does not know. MAKEFLAGS would pass on the variables of this make.
deb: ## build the Debian packages in BUILD/deb, and check them with lintian
	$(NEED) build deb
	@case "$$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog)" in $(VERSION)) ;; \
	    *) echo "debian/changelog does not begin with an entry for version $(VERSION)" >&2; exit 1 ;; esac
	@rm -rf $(DEB_DIR) && mkdir -p $(DEB_DIR)
	$Q$(BUILD_PAGE)
	$Q$(ARCHIVE_TOOL) $(DEB_DIR)/psdvec_$(VERSION).orig.tar.xz $(BUILT_PAGE)
	$Qtar -xf $(DEB_DIR)/psdvec_$(VERSION).orig.tar.xz -C $(DEB_DIR)
	$Qcd $(DEB_DIR)/$(DIST_NAME) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES \
	    DEB_BUILD_OPTIONS="parallel=$(JOBS) $$DEB_BUILD_OPTIONS" dpkg-buildpackage -us -uc
	@rm -rf $(DEB_DIR)/$(DIST_NAME)
	$Qif command -v lintian >/dev/null; then lintian --allow-root --fail-on error,warning \
	    --suppress-tags initial-upload-closes-no-bugs,no-debian-changes,unknown-field $(DEB_DIR)/*.changes; fi
	@ls $(DEB_DIR)/*.deb
