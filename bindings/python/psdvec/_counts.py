"""Counts of word pairs."""

import ctypes
import json
import os
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _abi
from ._context import shared
from ._handle import CountsHandle
from ._library import lib, text
from ._results import plural
from ._types import Array, Path, Word


class Counts:
    """How often words occur together: x[i, j] counts word j after word i within the window.

    Parameters
    ----------
    path : str or os.PathLike
        A counts file.

    Examples
    --------
    >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
    >>> counts["a", "b"], counts["b", "a"], len(counts), "c" in counts
    (2.0, 0.0, 3, True)
    """

    def __init__(self, path: Path, *, _handle: Optional[CountsHandle] = None):
        self._handle = _handle or CountsHandle(os.fspath(path))
        self._info = lib.psdvec_counts_get_info(self._handle.pointer).contents
        self._words: Optional[List[str]] = None

    @property
    def path(self) -> str:
        """The counts file.

        Examples
        --------
        >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
        >>> counts.path.endswith(".safetensors")
        True
        """
        return self._handle.path

    def __len__(self) -> int:
        return int(self._info.words)

    @property
    def info(self) -> Dict[str, Any]:
        """Sizes, and how the counts were made.

        Examples
        --------
        >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
        >>> counts.info["tokens"], counts.info["documents"]
        (5, 2)
        """
        i = self._info
        facts: Dict[str, Any] = {name: int(getattr(i, name)) for name in (
            "words", "bigrams", "tokens", "documents", "window", "held_out", "phrases", "file_bytes")}
        for name in ("settings", "vocabulary", "inputs"):
            stored = text(getattr(i, name + "_json"))
            facts[name] = json.loads(stored) if stored else None
        return facts

    @property
    def index_to_key(self) -> List[str]:
        """All words, by number.

        Examples
        --------
        >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
        >>> counts.index_to_key
        ['a', 'b', 'c']
        """
        if self._words is None:
            length = ctypes.c_size_t()
            by = ctypes.byref(length)
            self._words = [text(lib.psdvec_counts_word(self._handle.pointer, i, by), length.value)
                           for i in range(len(self))]
        return self._words

    def find(self, word: str) -> Optional[int]:
        """The number of a word.

        Parameters
        ----------
        word : str

        Returns
        -------
        int or None
            None, if the counts do not have the word.

        Examples
        --------
        >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
        >>> counts.find("b"), counts.find("d")
        (1, None)
        """
        data, i = word.encode("utf-8", "replace"), ctypes.c_uint32()
        found = lib.psdvec_counts_find(self._handle.pointer, data, len(data), ctypes.byref(i))
        return i.value if found else None

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) is not None

    def _number(self, word: Word) -> int:
        i = self.find(word) if isinstance(word, str) else int(word)
        if i is None or not 0 <= i < len(self):
            raise KeyError(f"the counts do not have the word {word!r}")
        return i

    def frequency(self, word: Word) -> int:
        """How often a word occurs in the text.

        Parameters
        ----------
        word : str or int

        Returns
        -------
        int

        Examples
        --------
        >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
        >>> counts.frequency("a")
        2
        """
        return int(lib.psdvec_counts_frequency(self._handle.pointer, self._number(word)))

    def __getitem__(self, pair: Tuple[Union[str, int], Union[str, int]]) -> float:
        context, focus = (self._number(word) for word in pair)
        return float(lib.psdvec_counts_get(self._handle.pointer, context, focus) / self._info.scale)

    def row(self, word: Word) -> Tuple[Array, Array]:
        """The words that follow a word within the window.

        Parameters
        ----------
        word : str or int

        Returns
        -------
        numpy.ndarray, numpy.ndarray
            The numbers of the words, ascending, and their counts.

        Examples
        --------
        >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
        >>> words, values = counts.row("a")
        >>> words.tolist(), values.tolist()
        ([1, 2], [2.0, 1.0])
        """
        row = _abi.psdvec_row()
        lib.psdvec_counts_row(self._handle.pointer, self._number(word), ctypes.byref(row))
        if not row.length:
            return np.empty(0, np.uint32), np.empty(0)
        values = row.values32 if row.values32 else row.values64
        return (np.ctypeslib.as_array(row.focus, (row.length,)).copy(),
                np.ctypeslib.as_array(values, (row.length,)) / self._info.scale)

    def to_scipy(self) -> Any:
        """The counts as a sparse matrix, which needs scipy.

        Returns
        -------
        scipy.sparse.csr_matrix
            Rows are the words before.

        Examples
        --------
        >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
        >>> counts.to_scipy().toarray().tolist()
        [[0.0, 2.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
        """
        from scipy.sparse import csr_matrix
        begin = np.zeros(len(self) + 1, np.int64)
        rows = [self.row(i) for i in range(len(self))]
        np.cumsum([len(focus) for focus, _ in rows], out=begin[1:])
        focus = np.concatenate([f for f, _ in rows]) if rows else np.empty(0, np.uint32)
        values = np.concatenate([v for _, v in rows]) if rows else np.empty(0)
        return csr_matrix((values, focus.astype(np.int32), begin), shape=(len(self), len(self)))

    def verify(self) -> None:
        """Reads the whole file and checks it.

        Raises
        ------
        FormatError
            If the file is damaged.

        Examples
        --------
        >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
        >>> counts.verify()
        """
        shared().call(lib.psdvec_counts_verify, self._handle.pointer)

    def __repr__(self) -> str:
        name = os.path.basename(self.path) if self._handle.folder is None else "in memory"
        return (f"<psdvec.Counts {name!r}: {plural(len(self), 'word')}, "
                f"{plural(int(self._info.bigrams), 'pair')}\n window {self._info.window}, "
                f"{plural(int(self._info.tokens), 'token')}>")


def load_counts(path: Path) -> Counts:
    """Opens a counts file.

    Parameters
    ----------
    path : str or os.PathLike

    Returns
    -------
    Counts

    Examples
    --------
    >>> len(psdvec.count(["a b"], "ab.safetensors", min_count=1))
    2
    >>> psdvec.load_counts("ab.safetensors")["a", "b"]
    1.0
    """
    return Counts(path)
