"""Inputs: files, or texts and token lists that are streamed to the library."""

import os
import tempfile
import threading
from typing import Any, Callable, Iterable, Iterator, List, Optional

_SEPARATORS = str.maketrans({c: " " for c in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"})
_BLOCK = 1 << 16


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def is_missing(value: Any) -> bool:
    """None, and nan as pandas has it for missing values."""
    return value is None or (isinstance(value, float) and value != value)


def _line_of_tokens(tokens: Iterable[Any]) -> str:
    words = []
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"a token must be a str, not {type(token).__name__}")
        words.append("_".join(token.split()) if any(map(str.isspace, token)) else token)
    return " ".join(words)


class Inputs:
    """The inputs of a call; a context manager.

    A str or a path is a file or a folder, a list of os.PathLike objects is several of them.
    Anything else is iterated over: each element is the text of a document, or its list of tokens.
    The elements are written to a pipe by a thread while the library reads from it, so that they
    never are in memory together; or to a temporary file, if the library reads them `twice`.
    """

    def __init__(self, source: Any, twice: bool = False, folder: Optional[str] = None):
        self._twice, self._folder = twice, folder
        self._file: Any = None
        self.tokens = False      # the elements are lists of tokens
        self.paths: List[str] = []
        self.error: Optional[BaseException] = None  # raised by the iterable
        self._feeder: Optional[threading.Thread] = None
        self._read = self._write = -1
        self._elements: Iterator[Any] = iter(())
        self._first: Any = None
        self._abandoned = False
        self._cancel: Optional[Callable[[], None]] = None
        if _is_path(source):
            self.paths = [os.fspath(source)]
            return
        if isinstance(source, (bytes, bytearray)):
            raise TypeError("texts must be str; decode the bytes first")
        if isinstance(source, (list, tuple)) and source and all(
                isinstance(element, os.PathLike) for element in source):
            self.paths = [os.fspath(element) for element in source]
            return
        try:
            self._elements = iter(source)
        except TypeError:
            raise TypeError("give a path, a list of pathlib.Path objects, or an iterable of texts or "
                            f"token lists, not {type(source).__name__}") from None
        for element in self._elements:
            if not is_missing(element):
                self._first = element
                break
        if self._first is None:
            raise ValueError("there are no texts")
        self.tokens = not isinstance(self._first, str)
        if not self.tokens and len(self._first) < 4096 and self._first and not any(
                map(str.isspace, self._first)) and os.path.exists(self._first):
            raise ValueError(f"the first text, {self._first!r}, is the name of a file; to read files, "
                             "give one path, or a list of pathlib.Path objects")

    def _lines(self) -> Iterator[str]:
        def all_elements() -> Iterator[Any]:
            yield self._first
            yield from self._elements
        for element in all_elements():
            if is_missing(element):
                continue
            if isinstance(element, str) == self.tokens:
                raise TypeError("the texts are a mixture of str and token lists")
            line = _line_of_tokens(element) if self.tokens else element
            # A line is a document, so it must not contain the end of one.
            yield line.translate(_SEPARATORS) if not line.isascii() or "\n" in line or "\r" in line \
                or not line.isprintable() else line

    def _feed(self) -> None:
        with open(self._write, "wb", buffering=0) as pipe:
            try:
                block: List[str] = []
                size = 0
                for line in self._lines():
                    block.append(line)
                    size += len(line)
                    if size >= _BLOCK:
                        self._put(pipe, block)
                        block, size = [], 0
                if block:
                    self._put(pipe, block)
            except BrokenPipeError:
                pass  # the library stopped reading, and its error is reported
            except BaseException as error:  # of the caller's iterable
                self.error = error
                # Before the pipe is closed, or the library would take this for the end of the text.
                if self._cancel:
                    self._cancel()

    @staticmethod
    def _put(pipe: Any, lines: List[str]) -> None:
        data = memoryview(("\n".join(lines) + "\n").encode("utf-8", "replace"))
        while data:
            data = data[pipe.write(data):]

    def __enter__(self) -> "Inputs":
        if self._first is not None and self._twice:
            self._file = tempfile.NamedTemporaryFile(prefix="psdvec-", suffix=".txt",
                                                     dir=self._folder)
            try:
                for line in self._lines():
                    self._file.write(line.encode("utf-8", "replace") + b"\n")
                self._file.flush()
            except BaseException:
                self._file.close()
                raise
            self.paths = [self._file.name]
        elif self._first is not None:
            self._read, self._write = os.pipe()
            self.paths = [f"/dev/fd/{self._read}"]
        return self

    @property
    def streamed(self) -> bool:
        """Whether the texts come from an iterable."""
        return self._first is not None

    def name(self, message: str) -> str:
        """A message in which texts that are not a file have no file name."""
        return message.replace(self.paths[0], "the texts") if self.streamed else message

    def start(self, cancel: Callable[[], None]) -> None:
        """Starts to write the texts; `cancel` stops the library if the iterable raises."""
        if self._read >= 0:
            self._cancel = cancel
            self._feeder = threading.Thread(target=self._feed, name="psdvec texts", daemon=True)
            self._feeder.start()

    def abandon(self) -> None:
        """Ends the text for the library at once, even if the iterable is waiting for something."""
        if self._feeder is not None and not self._abandoned:
            self._abandoned = True
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._write)  # closes the pipe; the feeder writes on to nowhere
            os.close(null)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._file is not None:
            self._file.close()
        if self._read < 0:
            return
        os.close(self._read)  # the feeder gets EPIPE if it is still writing
        if self._feeder is None:
            os.close(self._write)
        elif not self._abandoned:
            self._feeder.join()
        if self.error is not None and not self._abandoned:
            raise self.error from None
