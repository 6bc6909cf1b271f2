"""Finds and loads libpsdvec, and declares its functions."""

import ctypes
import os
from typing import Any, List, Tuple

from . import _abi


def _candidates() -> List[str]:
    """The paths to try, in this order."""
    named = os.environ.get("PSDVEC_LIBRARY")
    if named:
        return [named]  # whoever names a library wants no other
    here = os.path.dirname(os.path.abspath(__file__))
    return [os.path.join(here, "_lib", _abi.SONAME), _abi.SONAME]


def _load() -> Tuple[Any, str]:
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            tried.append(f"{path}: {error}")
            continue
        library.psdvec_version.restype = ctypes.c_char_p
        version = library.psdvec_version().decode()
        if version != _abi.VERSION:
            tried.append(f"{path}: is version {version}, but {_abi.VERSION} is needed")
            continue
        return library, path
    raise ImportError(
        "libpsdvec was not found; these were tried:\n  " + "\n  ".join(tried)
        + "\nInstall the package psdvec again, or set PSDVEC_LIBRARY to the path of the library.")


lib, path = _load()
for _name, (_result, _parameters) in _abi.FUNCTIONS.items():
    _function = getattr(lib, _name)
    _function.restype = _result
    _function.argtypes = _parameters


def text(pointer: Any, length: int = -1) -> str:
    """The string at a pointer; it ends at a zero unless the length is given."""
    return ctypes.string_at(pointer, length).decode("utf-8", "replace") if pointer else ""
