"""Calls of the library: contexts, progress, warnings, Ctrl-C."""

import ctypes
import logging
import os
import sys
import threading
import time
import warnings
import weakref
from typing import Any, Dict, List, Optional

from . import _abi
from ._abi import psdvec_message_level as Level
from ._abi import psdvec_options_kind as Kind
from ._errors import PsdvecWarning, error_for
from ._library import lib, text
from ._options import Settings
from ._temporary import nameless
from ._texts import NAME, Inputs
from ._types import Progress, Show

logger = logging.getLogger("psdvec")


def status_name(status: int) -> str:
    """The name of a status code."""
    return text(lib.psdvec_status_name(status))


class _Bar:
    """Shows progress, but not of a call that takes less than a second."""

    delay = 1.0

    def __init__(self) -> None:
        self._began = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if time.monotonic() - self._began >= self.delay:
            self.draw(progress)

    def draw(self, progress: Progress) -> None:
        raise NotImplementedError


class _TerminalBar(_Bar):
    """A line on standard error that is redrawn."""

    def __init__(self) -> None:
        super().__init__()
        self._width = 0

    def draw(self, progress: Progress) -> None:
        line = progress.stage
        if progress.total:
            share = min(1.0, progress.done / progress.total)
            line += f" [{'#' * int(20 * share):<20}] {100 * share:3.0f} %"
            if progress.remaining >= 0:
                line += f", {progress.remaining:.0f} s left"
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


class _TqdmBar(_Bar):
    """A bar of tqdm, which is a widget in notebooks."""

    def __init__(self) -> None:
        super().__init__()
        from tqdm.auto import tqdm
        self._make = tqdm
        self._bar: Any = None
        self._stage = ""

    def draw(self, progress: Progress) -> None:
        if progress.stage != self._stage:
            self.close()
            self._stage = progress.stage
            self._bar = self._make(total=progress.total or None, desc=progress.stage,
                                   unit=progress.unit, unit_scale=True, leave=False)
        self._bar.total = progress.total or None
        self._bar.update(progress.done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _in_notebook() -> bool:
    kernel = sys.modules.get("ipykernel")
    return kernel is not None


def _display(progress: Show) -> Any:
    """What shows progress: a callable, or None."""
    if callable(progress):
        return progress
    if progress is None:
        progress = _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
    if not progress:
        return None
    if progress not in (True, "tqdm", "bar"):
        raise ValueError(f"progress must be a bool, 'bar', 'tqdm' or a function, not {progress!r}")
    if progress == "tqdm" or (progress is True and _in_notebook()):
        try:
            return _TqdmBar()
        except ImportError:
            if progress == "tqdm":
                raise
    return _TerminalBar()


def warn(message: str) -> None:
    """A warning at the line that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, PsdvecWarning, stacklevel=level)


class _Calls:
    """How many calls use a context now."""

    def __init__(self) -> None:
        self.running = 0

    def __enter__(self) -> None:
        self.running += 1

    def __exit__(self, *_error: Any) -> None:
        self.running -= 1


def _free(handle: ctypes.c_void_p, calls: _Calls, process: int) -> None:
    """Frees a context; at the end of the interpreter, a thread may still use it. After a fork, its
    threads do not exist, and freeing it would wait for them."""
    if not calls.running and process == os.getpid():
        lib.psdvec_context_free(handle)


class Context:
    """A context of the library: threads, memory, and what happens while a call runs.

    It is freed with the object, or when the interpreter ends.
    """

    def __init__(self, options: Optional[Dict[str, Any]] = None, function: str = "",
                 progress: Show = False):
        settings = Settings(Kind.OPTIONS_CONTEXT, None, function, options or {})
        self._display = _display(progress)
        self._warnings: List[str] = []
        self._raised: Optional[BaseException] = None  # by a callback
        self._stop = ctypes.c_ubyte(0)
        struct = settings.struct(_abi.psdvec_context_options)
        this = weakref.ref(self)  # or the object would refer to itself through its callbacks

        def on_message(_user: Any, level: int, message: Any) -> None:
            context = this()
            if context is not None:
                context._message(level, message)

        def on_progress(_user: Any, pointer: Any) -> None:
            context = this()
            if context is not None:
                context._progress(pointer)
        # References keep the callbacks alive as long as the context.
        self._on_message = _abi.psdvec_message_fn(on_message)
        self._on_progress = _abi.psdvec_progress_fn(on_progress)
        struct.on_message = self._on_message
        if self._display:
            struct.on_progress = self._on_progress
        struct.should_cancel = ctypes.cast(lib.psdvec_cancel_if_set, _abi.psdvec_cancel_fn)
        struct.user = ctypes.addressof(self._stop)
        name = ctypes.create_string_buffer(NAME)  # the library copies it
        struct.input_name = ctypes.addressof(name)
        handle = ctypes.c_void_p()
        status = lib.psdvec_context_new(settings.cast(_abi.psdvec_context_options),
                                        ctypes.byref(handle))
        if status:
            raise error_for(status, status_name(status),
                            "cannot start with these values of threads and memory")
        self.handle = handle
        self._calls = _Calls()
        weakref.finalize(self, _free, handle, self._calls, os.getpid())

    def _message(self, level: int, message: Any) -> None:
        said = text(message)
        if level == Level.WARNING:
            self._warnings.append(said)
        else:
            logger.log(logging.INFO if level == Level.STEP else logging.DEBUG, "%s", said)

    def _progress(self, pointer: Any) -> None:
        try:
            p = pointer.contents
            self._display(Progress(text(p.stage), text(p.unit), p.done, p.total, p.elapsed,
                                   p.remaining, p.objective))
        except BaseException as error:  # a callback cannot raise through C
            self._raised = self._raised or error
            self._stop.value = 1

    def cancel(self) -> None:
        """Asks the running call to stop; any thread may do so."""
        self._stop.value = 1

    def check(self, status: int, inputs: Optional[Inputs] = None) -> None:
        """Raises the exception for a status that is not 0, and issues collected warnings."""
        def name(message: str) -> str:
            return nameless(inputs.name(message) if inputs is not None else message)
        said, self._warnings = self._warnings, []
        for message in said:
            # Each element of an iterable is a document, whatever its length.
            if inputs is not None and inputs.streamed and "lines are wrapped" in message:
                continue
            warn(name(message))
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        if status:
            raise error_for(status, status_name(status),
                            name(lib.psdvec_error_message(self.handle).decode("utf-8", "replace")))

    def call(self, function: Any, *arguments: Any) -> None:
        """Calls a function that returns soon."""
        with self._calls:
            status = function(self.handle, *arguments)
        self.check(status)

    def run(self, function: Any, *arguments: Any, inputs: Optional[Inputs] = None) -> None:
        """Calls a function that takes long; `inputs` are its texts, if it has some.

        It runs in a thread of its own, because Python handles Ctrl-C only in the main thread, and
        only between two of its instructions. Ctrl-C stops the call, which removes its temporary
        files and saves its state, before KeyboardInterrupt is raised.
        """
        self._stop.value = 0
        result: List[int] = []

        def work() -> None:
            try:
                with self._calls:
                    result.append(function(self.handle, *arguments))
            except BaseException as error:  # an argument of the wrong type
                self._raised = error
                result.append(0)
        worker = threading.Thread(target=work, name="psdvec", daemon=True)
        worker.start()
        if inputs is not None:
            inputs.start(self.cancel)
        interrupted: Optional[BaseException] = None
        while worker.is_alive():
            try:
                worker.join(0.1)  # a signal may arrive in another thread, which wakes nobody
            except KeyboardInterrupt as error:
                interrupted = error
                self.cancel()
                if inputs is not None:
                    inputs.abandon()
        if self._display is not None and hasattr(self._display, "close"):
            self._display.close()
        if interrupted is not None:
            self._warnings.clear()
            self._raised = None
            raise interrupted
        self.check(result[0], inputs)


_local = threading.local()


def _forget() -> None:
    """After a fork: the threads of the contexts do not exist in the new process."""
    global _local
    _local = threading.local()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def shared() -> Context:
    """The context of this thread for short calls."""
    context = getattr(_local, "context", None)
    if context is None:
        context = _local.context = Context()
    return context
