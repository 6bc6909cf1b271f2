"""Inputs: files, or texts and token lists that are streamed to the library."""

import itertools
import os
import sys
import tempfile
import threading
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence

import numpy as np

from . import _arrow

#: What files record as the name of an input that is not a file.
NAME = b"(Python iterable)"

_BLOCK = 1 << 18           # bytes that are written at once, about
_MOST = 1 << 12            # elements that are taken at once
_PIPE = 1 << 20            # bytes that the pipe holds, if the system permits it
_BLANKS = bytes(range(33))  # what separates tokens, besides the paragraph separator
_PARAGRAPH = "\u2029"
_TO_BLANK = {**{i: " " for i in _BLANKS}, ord(_PARAGRAPH): " "}


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def is_missing(value: Any) -> bool:
    """None, nan and NA, as pandas has them for missing values."""
    return value is None or (isinstance(value, float) and value != value) \
        or type(value).__name__ in ("NAType", "NaTType")


def _flat(tokens: Iterable[Any]) -> Iterator[str]:
    """The tokens of a document, which may be a list of sentences."""
    for token in tokens:
        if isinstance(token, str):
            yield token
        elif isinstance(token, (list, tuple, np.ndarray)):
            yield from _flat(token)
        else:
            raise TypeError(f"a token must be a str, not {type(token).__name__}")


def _line_of_tokens(tokens: Iterable[Any]) -> str:
    return " ".join("_".join(token.translate(_TO_BLANK).split(" ")) for token in _flat(tokens))


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return text.encode("utf-8", "replace")


def _lines_of_texts(block: List[Any]) -> bytes:
    """A line for each text, in which a line end is a blank."""
    data = _encode("\n".join(block))
    if data.count(b"\n") != len(block) - 1:
        data = _encode("\n".join(text.replace("\n", " ") for text in block))
    return data + b"\n"


def _lines_of_tokens(block: List[Any]) -> bytes:
    """A line for each list of tokens. Lists are joined as they are if no token has a blank."""
    try:
        data = _encode("\n".join(map(" ".join, block)))
        blanks = sum(map(len, block)) - block.count([]) - block.count(()) - 1
    except TypeError:  # other elements than str
        blanks = -2
    if blanks == -2 or len(data) - len(data.translate(None, _BLANKS)) != blanks \
            or b"\xe2\x80\xa9" in data:
        data = _encode("\n".join(map(_line_of_tokens, block)))
    return data + b"\n"


def _cell(value: Any) -> str:
    """A label, date or name as a column: on one line, without tabs."""
    if is_missing(value):
        return ""
    if isinstance(value, float) and value == int(value):  # pandas has floats for missing integers
        value = int(value)
    return " ".join(str(value).split())


def _prefixes(details: Sequence[Optional[Iterable[Any]]]) -> Iterator[bytes]:
    """The columns before the text of each document."""
    given = [iter(column) if column is not None else itertools.repeat(None) for column in details]
    for row in zip(*given):
        yield _encode("".join(_cell(value) + "\t" for value in row))


#: The columns of texts with details.
COLUMNS = "label,date,name,text"


class Inputs:
    """The inputs of a call; a context manager.

    A str or a path is a file or a folder, a list of os.PathLike objects is several of them, and an
    object with a `path`, such as Counts, is its file. Anything else is iterated over: each element
    is the text of a document, or its list of tokens. The elements are written to a pipe by a thread
    while the library reads from it, so that they never are in memory together; or to a temporary
    file, if the library reads them `twice`. `details` are the labels, dates and names of the
    elements; with them, the library must read the columns COLUMNS.
    """

    def __init__(self, source: Any, twice: bool = False, folder: Optional[str] = None,
                 details: Sequence[Optional[Iterable[Any]]] = ()):
        self._twice, self._folder = twice, folder
        self._before: Optional[Iterator[bytes]] = None  # what precedes each text in its line
        if any(column is not None for column in details):
            self._before = _prefixes(details)
        self._file: Any = None
        self.tokens = False      # the elements are lists of tokens
        self.paths: List[str] = []
        self.error: Optional[BaseException] = None  # raised by the iterable
        self.streamed = False    # the texts come from an iterable
        self._feeder: Optional[threading.Thread] = None
        self._read = self._write = -1
        self._elements: Iterator[Any] = iter(())
        self._abandoned = False
        self._cancel: Optional[Callable[[], None]] = None
        if _is_path(source):
            self.paths = [os.fspath(source)]
        elif isinstance(getattr(type(source), "path", None), property):
            self._keep = source
            self.paths = [source.path]
        elif isinstance(source, (list, tuple)) and source and all(
                isinstance(element, os.PathLike) for element in source):
            self.paths = [os.fspath(element) for element in source]
        else:
            self.streamed = True
            self._begin(source)
        if self._before and not self.streamed:
            raise TypeError("labels, dates and names are for texts; for files, name the columns "
                            "(`columns`) or the members of JSON lines (`label_field`, ...)")

    def _begin(self, source: Any) -> None:
        if isinstance(source, (bytes, bytearray)):
            raise TypeError("texts must be str; decode the bytes first")
        self._elements = _iterate(source)
        skipped = 0
        first = None
        for first in self._elements:
            if not is_missing(first):
                break
            skipped += 1
        if is_missing(first):
            raise ValueError("there are no texts")
        if self._before:
            self._before = itertools.islice(self._before, skipped, None)
        if isinstance(first, (bytes, bytearray)):
            raise TypeError("texts must be str; decode the bytes first")
        self._elements = itertools.chain([first], self._elements)
        self.tokens = not isinstance(first, str)
        if not self.tokens and 0 < len(first) < 4096 and not any(
                map(str.isspace, first)) and os.path.exists(first):
            raise ValueError(f"the first text, {first!r}, is the name of a file; to read files, "
                             "give one path, or a list of pathlib.Path objects")

    def _checked(self, block: List[Any]) -> List[Any]:
        """The elements of a block in the form that is joined: str, or list of tokens."""
        kinds = set(map(type, block))
        if kinds == {str}:
            if self.tokens:
                raise TypeError("the texts are a mixture of str and token lists")
            return block
        if self.tokens and kinds <= {list, tuple}:
            return block
        checked = []
        for element in block:
            if is_missing(element):
                continue
            if isinstance(element, str) == self.tokens:
                raise TypeError("the texts are a mixture of str and token lists")
            if self.tokens and not isinstance(element, (list, tuple)):
                element = element.tolist() if isinstance(element, np.ndarray) else list(element)
            checked.append(element)
        return checked

    def _blocks(self) -> Iterator[bytes]:
        """The lines of all texts, some at a time."""
        count, join = 16, _lines_of_tokens if self.tokens else _lines_of_texts
        while True:
            taken = list(itertools.islice(self._elements, count))
            if not taken:
                if self._before and next(self._before, None) is not None:
                    raise ValueError("there are more labels, dates or names than texts")
                return
            block = self._checked(taken)
            before = list(itertools.islice(self._before, len(taken))) if self._before else []
            if self._before and len(before) < len(taken):
                raise ValueError("there are fewer labels, dates or names than texts")
            if block:
                data = join(block)
                if before:
                    kept = (b for b, e in zip(before, taken) if not is_missing(e))
                    data = b"".join(itertools.chain.from_iterable(
                        zip(kept, (line + b"\n" for line in data.split(b"\n")))))
                yield data
                count = max(1, min(_MOST, 2 * count, count * _BLOCK // len(data)))

    def _feed(self) -> None:
        with open(self._write, "wb", buffering=0) as pipe:
            try:
                for block in self._blocks():
                    data = memoryview(block)
                    while data:
                        data = data[pipe.write(data):]
            except BrokenPipeError:
                pass  # the library stopped reading, and its error is reported
            except BaseException as error:  # of the caller's iterable
                self.error = error
                # Before the pipe is closed, or the library would take this for the end of the text.
                if self._cancel:
                    self._cancel()

    def __enter__(self) -> "Inputs":
        if not self.streamed:
            return self
        if not self._twice:
            self._read, self._write = os.pipe()
            _enlarge(self._write)
            self.paths = [f"/dev/fd/{self._read}"]
            return self
        # On Linux /dev/fd opens the file anew, so that it needs no name.
        nameless = sys.platform.startswith("linux")
        make: Any = tempfile.TemporaryFile if nameless else tempfile.NamedTemporaryFile
        self._file = make(prefix="psdvec-", suffix=".txt", dir=self._folder)
        try:
            for block in self._blocks():
                self._file.write(block)
            self._file.flush()
        except BaseException:
            self._file.close()
            raise
        self.paths = [f"/dev/fd/{self._file.fileno()}" if nameless else self._file.name]
        return self

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


def _iterate(source: Any) -> Iterator[Any]:
    """An iterator over the documents of any object."""
    read = _arrow.importer(source)
    if read is not None:
        try:
            documents = read(source)
            return itertools.chain([next(documents)], documents)
        except StopIteration:
            return iter(())
        except ImportError:  # pandas needs pyarrow for it, but can be iterated over
            pass
    if isinstance(source, np.ndarray):
        if source.ndim == 0 or source.dtype.kind == "S":
            raise TypeError("give an array of str, one per document")
        # A part at a time, because the strings of an array are slower to take one by one.
        return itertools.chain.from_iterable(
            source[k:k + _MOST].tolist() for k in range(0, len(source), _MOST))
    try:
        return iter(source)
    except TypeError:
        raise TypeError("give a path, a list of pathlib.Path objects, or an iterable of texts or "
                        f"token lists, not {type(source).__name__}") from None


def _enlarge(pipe: int) -> None:
    """Lets a pipe hold more, so that reader and writer wait for each other less often."""
    try:
        import fcntl
        fcntl.fcntl(pipe, 1031, _PIPE)  # F_SETPIPE_SZ; a constant since Python 3.10
    except (ImportError, OSError):
        pass
