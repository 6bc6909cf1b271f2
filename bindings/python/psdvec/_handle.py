"""Open files of the library."""

import ctypes
import os
from typing import Any, Optional

from ._context import shared
from ._library import lib


class Handle:
    """An open model, counts file or topics file. It is closed when nobody refers to it any more, neither objects
    nor arrays.

    `pointer` is that of a file that is open already; `folder` is a temporary folder that is deleted
    with the handle.
    """

    _open: Any = None
    _close: Any = None

    def __init__(self, path: str, pointer: Optional[int] = None, folder: Any = None):
        self.pointer: Optional[int] = None
        self.path, self.folder = path, folder
        if pointer is None:
            opened = ctypes.c_void_p()
            shared().call(self._open, os.fsencode(path), ctypes.byref(opened))
            pointer = opened.value
        self.pointer = pointer

    def __del__(self) -> None:
        pointer, self.pointer = self.pointer, None
        if pointer and lib is not None:
            self._close(pointer)
        if self.folder is not None:
            self.folder.remove()


class ModelHandle(Handle):
    """An open model."""

    _open, _close = lib.psdvec_model_open, lib.psdvec_model_close


class CountsHandle(Handle):
    """An open counts file."""

    _open, _close = lib.psdvec_counts_open, lib.psdvec_counts_close


class TopicsHandle(Handle):
    """An open topics file."""

    _open, _close = lib.psdvec_topics_open, lib.psdvec_topics_close


class MapHandle(Handle):
    """A map, which is not a file."""

    _close = lib.psdvec_map_free
