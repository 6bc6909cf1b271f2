"""Counts of word pairs."""

import ctypes
import json
import os
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi
from ._abi import psdvec_association_order as Order
from ._abi import psdvec_counts_format as Format
from ._context import shared
from ._handle import CountsHandle
from ._library import lib, text
from ._results import Records, html_table, plural
from ._types import Array, Path, Word


class Pair(NamedTuple):
    """How often a word occurs after another one.

    Examples
    --------
    >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
    >>> counts.pairs("c")[0]
    Pair(context='a', focus='c', count=1.0)
    """

    context: str
    focus: str
    count: float  # type: ignore[assignment]


class Association(NamedTuple):
    """A word that occurs before or after another one.

    Examples
    --------
    >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
    >>> counts.associations("a", by="count").after[0].count
    2.0
    """

    word: str
    count: float  # type: ignore[assignment]
    lift: float   #: ratio of the count to the count expected by chance
    score: float  #: ln(lift) ln(1 + count)


class Associations(NamedTuple):
    """The words around a word; notebooks show them as tables.

    Examples
    --------
    >>> around = psdvec.count(["a b c", "a b"], min_count=1).associations("b", min_count=1)
    >>> around.word, [a.word for a in around.before], [a.word for a in around.after]
    ('b', ['a'], ['c'])
    """

    word: str
    before: Records[Association]
    after: Records[Association]

    def _repr_html_(self) -> str:
        return (html_table(Association._fields, self.before, f"before {self.word}")
                + html_table(Association._fields, self.after, f"after {self.word}"))


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
        self._checked = False

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

    def _word(self, i: int) -> str:
        if self._words is not None:
            return self._words[i]
        length = ctypes.c_size_t()
        return text(lib.psdvec_counts_word(self._handle.pointer, i, ctypes.byref(length)),
                    length.value)

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
        self._check()
        row = _abi.psdvec_row()
        lib.psdvec_counts_row(self._handle.pointer, self._number(word), ctypes.byref(row))
        if not row.length:
            return np.empty(0, np.uint32), np.empty(0)
        values = row.values32 if row.values32 else row.values64
        return (np.ctypeslib.as_array(row.focus, (row.length,)).copy(),
                np.ctypeslib.as_array(values, (row.length,)) / self._info.scale)

    def _check(self) -> None:
        """Checks the rows once, because a damaged file could have words that do not exist."""
        if not self._checked:
            shared().call(lib.psdvec_counts_check_rows, self._handle.pointer)
            self._checked = True

    def _matrix(self) -> Tuple[Array, Array, Array]:
        """The counts, their columns, and the first entry of each row."""
        begin = np.zeros(len(self) + 1, np.int64)
        rows = [self.row(i) for i in range(len(self))]
        np.cumsum([len(focus) for focus, _ in rows], out=begin[1:])
        focus = np.concatenate([f for f, _ in rows]) if rows else np.empty(0, np.uint32)
        values = np.concatenate([v for _, v in rows]) if rows else np.empty(0)
        return values, focus.astype(np.int32), begin

    def to_scipy(self) -> Any:
        """The counts as a sparse matrix, which needs scipy.

        Counts of subsampled text are those before subsampling; multiply them by the retentions of
        both words for the expected counts.

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
        return csr_matrix(self._matrix(), shape=(len(self), len(self)))

    def _each(self, function: Any, scale: float = 1.0) -> Array:
        """What a function of the library returns for each word, divided by the scale."""
        pointer = self._handle.pointer
        return np.fromiter((function(pointer, i) / scale for i in range(len(self))), np.float64,
                           len(self))

    @property
    def context_totals(self) -> Array:
        """The sum of each row: how often a word occurs as the first of a pair.

        Examples
        --------
        >>> psdvec.count(["a b c", "a b"], min_count=1).context_totals.tolist()
        [3.0, 1.0, 0.0]
        """
        return self._each(lib.psdvec_counts_context_total, self._info.scale)

    @property
    def focus_totals(self) -> Array:
        """The sum of each column: how often a word occurs as the second of a pair.

        Examples
        --------
        >>> psdvec.count(["a b c", "a b"], min_count=1).focus_totals.tolist()
        [0.0, 2.0, 2.0]
        """
        return self._each(lib.psdvec_counts_focus_total, self._info.scale)

    @property
    def retentions(self) -> Array:
        """The subsampling factor of each word; 1 without subsampling.

        Examples
        --------
        >>> psdvec.count(["a b c", "a b"], min_count=1).retentions.tolist()
        [1.0, 1.0, 1.0]
        """
        return self._each(lib.psdvec_counts_retention)

    def pairs(self, words: Union[None, str, Iterable[str]] = None,
              topn: Optional[int] = None) -> Records[Pair]:
        """The pairs of words and their counts.

        Parameters
        ----------
        words : str or list of str, optional
            Only pairs with one of these words.
        topn : int, optional
            Only the pairs with the largest counts, the largest first; without it, all pairs in the
            order of the file.

        Returns
        -------
        list of Pair
            ``to_pandas()`` makes a DataFrame of it.

        Examples
        --------
        >>> counts = psdvec.count(["a cat and a dog"] * 5, window=1, min_count=1)
        >>> counts.pairs("cat")
        [Pair(context='a', focus='cat', count=5.0), Pair(context='cat', focus='and', count=5.0)]
        """
        values, columns, begin = self._matrix()
        rows = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(begin))
        if words is not None:
            chosen = [self._number(w) for w in ([words] if isinstance(words, str) else words)]
            some = np.isin(rows, chosen) | np.isin(columns, chosen)
            values, rows, columns = values[some], rows[some], columns[some]
        if topn is not None:
            order = np.argsort(-values, kind="stable")[:max(0, topn)]
            values, rows, columns = values[order], rows[order], columns[order]
        names = self.index_to_key
        found: Records[Pair] = Records(
            Pair(names[i], names[j], x)
            for i, j, x in zip(rows.tolist(), columns.tolist(), values.tolist()))
        found._fields = Pair._fields
        return found

    def to_pandas(self) -> Any:
        """All pairs as a DataFrame, which needs pandas.

        Returns
        -------
        pandas.DataFrame
            With the columns `context`, `focus` and `count`.

        Examples
        --------
        >>> len(psdvec.count(["a b c", "a b"], min_count=1).to_pandas())
        3
        """
        return self.pairs().to_pandas()

    def associations(self, words: Union[Word, Sequence[Word]], topn: int = 12, *,
                     min_count: float = 2, by: str = "association") -> Any:
        """The words that occur before and after a word, the most strongly associated first.

        Parameters
        ----------
        words : str or int, or a list of them
        topn : int
            How many words on either side.
        min_count : float
            Leave out pairs with a smaller count.
        by : {"association", "count"}
            Sort by ln(ratio to chance) ln(1 + count), or by count.

        Returns
        -------
        Associations, or a list of them if `words` is a list

        Examples
        --------
        >>> counts = psdvec.count(["a cat and a dog"] * 5, window=1, min_count=1)
        >>> [a.word for a in counts.associations("cat").before]
        ['a']
        """
        orders = {"association": Order.ASSOCIATION_SCORE, "count": Order.ASSOCIATION_COUNT}
        if by not in orders:
            raise ValueError(f"by must be 'association' or 'count', not {by!r}")
        one = isinstance(words, (str, int, np.integer))
        numbers = [self._number(w) for w in ([words] if one else words)]  # type: ignore
        found: List[Associations] = []

        def side(items: Any, count: int) -> Records[Association]:
            records: Records[Association] = Records(
                Association(self._word(a.word), a.count, a.lift, a.score) for a in items[:count])
            records._fields = Association._fields
            return records

        def take(_user: Any, word: int, before: Any, before_count: int, after: Any,
                 after_count: int) -> None:
            found.append(Associations(self._word(word), side(before, before_count),
                                      side(after, after_count)))
        shared().call(lib.psdvec_counts_associations, self._handle.pointer,
                      (ctypes.c_uint32 * max(1, len(numbers)))(*numbers), len(numbers), orders[by],
                      float(min_count), topn, _abi.psdvec_association_fn(take), None)
        return found[0] if one else found

    def export(self, output: Union[str, "os.PathLike[str]"], format: str, *,
               vocab_output: Union[None, str, "os.PathLike[str]"] = None,
               symmetric: bool = False) -> None:
        """Writes the counts in the format of another program.

        Parameters
        ----------
        output : path
        format : {"glove", "matrix-market", "top2grams"}
        vocab_output : path, optional
            A file for the words and their frequencies, which "glove" and "matrix-market" need.
        symmetric : bool
            Add up both directions of a pair.

        Examples
        --------
        >>> counts = psdvec.count(["a b c", "a b"], min_count=1)
        >>> counts.export("ab.mtx", "matrix-market", vocab_output="ab.words")
        """
        formats = {one.name[len("FORMAT_"):].lower().replace("_", "-"): one for one in Format}
        if format not in formats:
            raise ValueError(f"format must be one of {', '.join(map(repr, formats))}, "
                             f"not {format!r}")
        shared().call(lib.psdvec_counts_export, self._handle.pointer, formats[format], symmetric,
                      os.fsencode(output),
                      os.fsencode(vocab_output) if vocab_output is not None else None)

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


    def _repr_html_(self) -> str:
        first, second = repr(self)[1:-1].split("\n")
        names = [self._word(i) for i in range(min(6, len(self)))]
        rows = [(word, self.frequency(i), *(self[i, j] for j in range(len(names))))
                for i, word in enumerate(names)]
        return html_table(["", "frequency", *names], rows, f"{first},{second}")


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
