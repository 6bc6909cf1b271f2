"""The generated description of the C interface."""

import ctypes

import pytest

from psdvec import _abi, _library


@pytest.mark.parametrize("struct", list(_abi.LAYOUT), ids=lambda struct: struct.__name__)
def test_structs_are_laid_out_as_the_compiler_does(struct):
    size, offsets = _abi.LAYOUT[struct]
    assert ctypes.sizeof(struct) == size
    assert {name: getattr(struct, name).offset for name in offsets} == offsets


def test_every_option_lies_in_its_struct():
    from psdvec._abi import psdvec_options_kind as Kind
    from psdvec._options import table
    for kind in Kind:
        size = _library.lib.psdvec_options_size(kind)
        assert table(kind), kind
        assert all(0 < option.offset < size for option in table(kind).values())


def test_a_missing_library_names_every_path(monkeypatch):
    monkeypatch.setenv("PSDVEC_LIBRARY", "/nonexistent/libpsdvec.so")
    with pytest.raises(ImportError, match="/nonexistent/libpsdvec.so"):
        _library._load()


def test_a_library_of_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(_abi, "VERSION", "99.0.0")
    with pytest.raises(ImportError, match="99.0.0 is needed"):
        _library._load()
