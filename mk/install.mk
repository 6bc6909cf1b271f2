# Installing: the usual variables, all of which a packager may set.
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
BASHDIR ?= $(DATADIR)/bash-completion/completions
ZSHDIR ?= $(DATADIR)/zsh/site-functions
FISHDIR ?= $(DATADIR)/fish/vendor_completions.d
INSTALL ?= install

# Files are installed as D/name; the cache of the dynamic loader is updated only without DESTDIR.
D = $(DESTDIR)
define tell_loader
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi
endef

##@ Installing
.PHONY: install uninstall install-mpi uninstall-mpi
install: all $(BUILD)/psdvec.pc $(CMAKE_FILES) ## install program, libraries, headers, API description, manual, completions (PREFIX, DESTDIR)
	$(INSTALL) -d $D$(LIBDIR)/pkgconfig $D$(LIBDIR)/cmake/psdvec $D$(INCLUDEDIR)/psdvec/options
	$(INSTALL) -m 644 $(BUILD)/$(STATIC) $D$(LIBDIR)/$(STATIC)
	$(INSTALL) -m 755 $(BUILD)/$(SHARED) $D$(LIBDIR)/$(SHARED)
	ln -sf $(SHARED) $D$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $D$(LIBDIR)/$(SOLINK)
	$(INSTALL) -m 644 $(HEADERS) $D$(INCLUDEDIR)/psdvec
	$(INSTALL) -m 644 $(OPTION_TABLES) $D$(INCLUDEDIR)/psdvec/options
	$(INSTALL) -m 644 $(BUILD)/psdvec.pc $D$(LIBDIR)/pkgconfig/psdvec.pc
	$(INSTALL) -m 644 $(CMAKE_FILES) $D$(LIBDIR)/cmake/psdvec
# Missing if programs for the target do not run here.
	if [ -f $(API_JSON) ]; then $(INSTALL) -d $D$(DATADIR)/psdvec && $(INSTALL) -m 644 $(API_JSON) $D$(DATADIR)/psdvec; fi
ifneq ($(HAVE_CLI),)
	$(INSTALL) -d $D$(BINDIR) $D$(MANDIR)/man1 $D$(BASHDIR) $D$(ZSHDIR) $D$(FISHDIR)
	$(INSTALL) -m 755 $(BUILD)/psdvec $D$(BINDIR)/psdvec
	$(INSTALL) -m 644 $(BUILD)/man/*.1 $D$(MANDIR)/man1
	$(INSTALL) -m 644 $(BUILD)/completions/psdvec.bash $D$(BASHDIR)/psdvec
	$(INSTALL) -m 644 $(BUILD)/completions/psdvec.zsh $D$(ZSHDIR)/_psdvec
	$(INSTALL) -m 644 $(BUILD)/completions/psdvec.fish $D$(FISHDIR)/psdvec.fish
endif
	$(tell_loader)

uninstall: ## remove the files that `make install` installed
	rm -f $D$(BINDIR)/psdvec $D$(MANDIR)/man1/psdvec.1
	for page in $D$(MANDIR)/man1/psdvec-*.1; do [ "$${page##*/}" = psdvec-mpi.1 ] || rm -f "$$page"; done
	rm -f $D$(LIBDIR)/$(STATIC) $D$(LIBDIR)/$(SOLINK) $D$(LIBDIR)/$(SONAME) $D$(LIBDIR)/$(SHARED)
	rm -f $(CMAKE_FILES:$(BUILD)/%=$D$(LIBDIR)/cmake/psdvec/%)
	rm -f $D$(LIBDIR)/pkgconfig/psdvec.pc $(patsubst include/%,$D$(INCLUDEDIR)/%,$(HEADERS) $(OPTION_TABLES))
	rm -f $D$(DATADIR)/psdvec/$(notdir $(API_JSON))
	rm -f $D$(BASHDIR)/psdvec $D$(ZSHDIR)/_psdvec $D$(FISHDIR)/psdvec.fish
	-rmdir $D$(INCLUDEDIR)/psdvec/options $D$(INCLUDEDIR)/psdvec $D$(LIBDIR)/cmake/psdvec $D$(DATADIR)/psdvec 2>/dev/null || true
	$(tell_loader)

install-mpi: mpi-program ## install psdvec-mpi and its manual page, after `make mpi` (PREFIX, DESTDIR)
	$(INSTALL) -d $D$(BINDIR) $D$(MANDIR)/man1
	$(INSTALL) -m 755 $(BUILD)/psdvec-mpi $D$(BINDIR)/psdvec-mpi
	$(INSTALL) -m 644 mpi/psdvec-mpi.1 $D$(MANDIR)/man1/psdvec-mpi.1

uninstall-mpi: ## remove what `make install-mpi` installed
	rm -f $D$(BINDIR)/psdvec-mpi $D$(MANDIR)/man1/psdvec-mpi.1
