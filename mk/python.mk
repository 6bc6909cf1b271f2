# The Python package: pure Python over the shared library (bindings/python).

PY_SRC := $(sort $(wildcard bindings/python/psdvec/*.py))
PY_PACKAGE := $(BUILD)/python/psdvec
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
HAVE_PYTHON = $(shell command -v $(PYTHON) 2>/dev/null)

##@ Python
.PHONY: python check-python-asan run-python
python: $(PY_PACKAGE)/.made ## build the Python package in BUILD/python

# The structs and functions of the headers for ctypes, as the C compiler sees them; stubs with the
# types of options. Python cannot load a library for another system or with a sanitizer; such a
# package has no stubs.
$(PY_PACKAGE)/.made: $(PY_SRC) $(wildcard bindings/python/generate_*.py) $(API_JSON) $(BUILD)/$(SHARED) \
    scripts/embed-pages.sh $(PAGE_FILES)
	$(call say,PYTHON,$(@D))
	@rm -rf $(@D) && mkdir -p $(@D)/_lib
	@cp bindings/python/psdvec/*.py bindings/python/psdvec/py.typed $(@D)
	$Qfor page in map report topics; do \
	    sh scripts/embed-pages.sh --html cli/pages/$$page.html > $(@D)/$$page.html || exit 1; done
	@cp $(BUILD)/$(SHARED) $(@D)/_lib/$(SONAME)
	$Q$(PYTHON) bindings/python/generate_abi.py $(API_JSON) > $(@D)/_abi.py
	$Q$(PYTHON) bindings/python/generate_stubs.py $(@D) 2> $(@D)/../stubs.log || \
	    { rm -f $(@D)/*.pyi; echo "  no type stubs: $$(tail -n 1 $(@D)/../stubs.log)"; }
	@touch $@

check-python-asan: ## run the Python tests with a library built with the address sanitizer
	$(NEED) build test
	+@$(call sanitized,asan,address$(comma)undefined) run-python
run-python: python
	@TEST_TIMEOUT=3600 $(run_suites) bindings/python/tests/check.sh

# Without the library: the package then loads the installed one.
PYTHONDIR ?= $(call once,PYTHON_PURELIB,$(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
.PHONY: install-python uninstall-python
install-python: $(PY_PACKAGE)/.made ## install the Python package, which uses the installed library (PYTHONDIR, DESTDIR)
	$(PYTHON) bindings/python/make_wheel.py install $(PY_PACKAGE) '$D$(PYTHONDIR)'

uninstall-python: ## remove what `make install-python` installed
	rm -rf '$D$(PYTHONDIR)/psdvec' '$D$(PYTHONDIR)/psdvec-$(VERSION).dist-info'
