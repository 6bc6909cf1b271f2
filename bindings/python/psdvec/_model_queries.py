"""Models: neighbours, sums of words, analogies."""

import ctypes
from typing import Any, List, Optional, Sequence, Tuple, Union, overload

import numpy as np

from . import _abi
from ._abi import psdvec_measure as Measure
from ._context import shared
from ._library import lib
from ._model_vectors import FLOATS, ModelVectors
from ._results import Neighbours
from ._types import FloatArray, Queries, Query, Word


def _as_list(queries: Any) -> List[Any]:
    if queries is None:
        return []
    if isinstance(queries, (str, int, np.integer, tuple)) or (
            isinstance(queries, np.ndarray) and queries.ndim == 1):
        return [queries]
    return list(queries)


class ModelQueries(ModelVectors):
    """A model that answers questions about words."""

    def _options(self, restrict: Optional[int], min_frequency: int, min_score: Optional[float],
                 excluded: Sequence[int]) -> _abi.psdvec_query_options:
        options = _abi.psdvec_query_options()
        lib.psdvec_options_init(_abi.psdvec_options_kind.OPTIONS_QUERY, ctypes.byref(options),
                                ctypes.sizeof(options), 0, None)
        if restrict is not None:
            if restrict < 0:
                raise ValueError("restrict_vocab must not be negative")
            options.restrict_words = restrict
        options.min_frequency = min_frequency
        if min_score is not None:
            options.min_score = min_score
        array = (ctypes.c_uint32 * max(1, len(excluded)))(*excluded)
        setattr(options, "except", array)
        options.except_count = len(excluded)
        return options

    def _target(self, positive: Queries, negative: Queries) -> Tuple[FloatArray, List[int]]:
        """The sum of unit vectors, and the words that must not be answers."""
        total = np.zeros(self.vector_size, np.float64)
        used: List[int] = []
        for sign, queries in ((1.0, positive), (-1.0, negative)):
            for query in _as_list(queries):
                weight = sign
                if isinstance(query, tuple):
                    query, weight = query[0], float(query[1]) * sign
                if isinstance(query, np.ndarray):
                    vector = np.asarray(query, np.float64)
                    if vector.shape != (self.vector_size,):
                        raise ValueError(f"a vector has the shape {vector.shape}, not "
                                         f"({self.vector_size},)")
                else:
                    vector = self.get_vector(query).astype(np.float64)
                    number = self.find(query) if isinstance(query, str) else int(query)
                    if number is not None:
                        used.append(number)
                length = np.linalg.norm(vector)
                if length > 0:
                    total += weight * vector / length
        if not _as_list(positive) and not _as_list(negative):
            raise ValueError("give at least one word or vector")
        if not np.all(np.isfinite(total)):
            raise ValueError("the vectors of the query are not finite")
        return total.astype(np.float32), used

    @overload
    def most_similar(self, positive: Queries = None, negative: Queries = None, topn: int = 10,
                     clip_start: int = 0, clip_end: Optional[int] = None,
                     restrict_vocab: Optional[int] = None, indexer: None = None, *,
                     forms: bool = True, min_frequency: int = 0,
                     min_score: Optional[float] = None) -> Neighbours: ...

    @overload
    def most_similar(self, positive: Queries = None, negative: Queries = None, *, topn: None,
                     clip_start: int = 0, clip_end: Optional[int] = None,
                     restrict_vocab: Optional[int] = None) -> FloatArray: ...

    def most_similar(self, positive: Queries = None, negative: Queries = None,
                     topn: Optional[int] = 10, clip_start: int = 0, clip_end: Optional[int] = None,
                     restrict_vocab: Optional[int] = None, indexer: Any = None, *,
                     forms: bool = True, min_frequency: int = 0,
                     min_score: Optional[float] = None) -> Union[Neighbours, FloatArray]:
        """The words whose vectors are nearest, by cosine.

        Parameters
        ----------
        positive, negative : str, int, numpy.ndarray, (word, weight), or a list of these
            Words or vectors that are added and subtracted, each scaled to length 1.
        topn : int or None
            How many words; None gives the cosines of all words as an array.
        clip_start, clip_end, restrict_vocab : int, optional
            Only words with these numbers; `restrict_vocab` is another name for `clip_end`.
        indexer : None
            Not supported: the search is exact.
        forms : bool
            False leaves out forms of the given words: king's and kings for king.
        min_frequency : int
            Only words that are at least that frequent.
        min_score : float, optional
            Only words that have at least that cosine.

        Returns
        -------
        list of (str, float)
            Words and cosines, the nearest first; notebooks show it as a chart.

        Examples
        --------
        >>> model.most_similar("king", topn=1)[0][0]
        'prince'
        >>> model.most_similar(["king", "woman"], ["man"], topn=1)[0][0]
        'queen'
        """
        if indexer is not None:
            raise TypeError("the search is exact; approximate indexers are not supported")
        target, used = self._target(positive, negative)
        if clip_end is None:
            clip_end = restrict_vocab
        if topn is None:
            return self._all_cosines(target)[clip_start:clip_end]
        if topn < 1:
            return Neighbours()
        if not forms:
            for query in _as_list(positive):
                if isinstance(query, str):
                    used += [self._number(word) for word in self.inflections(query)]
        # The library restricts at the end only; words before clip_start are dropped here.
        extra = min(clip_start, len(self))
        found = self._search(target[None, :], topn + extra,
                             self._options(clip_end, min_frequency, min_score, sorted(set(used))))[0]
        return Neighbours([(word, score) for i, word, score in found if i >= clip_start][:topn])

    def most_similar_many(self, queries: Sequence[Query], topn: int = 10, *,
                          restrict_vocab: Optional[int] = None, min_frequency: int = 0,
                          min_score: Optional[float] = None) -> List[Neighbours]:
        """The nearest words of many words or vectors at once, many times faster than one by one.

        Parameters
        ----------
        queries : list of str, int, numpy.ndarray or (word, weight)
        topn : int
            How many words for each.
        restrict_vocab, min_frequency, min_score : optional
            As for `most_similar`.

        Returns
        -------
        list of list of (str, float)

        Examples
        --------
        >>> [near[0][0] for near in model.most_similar_many(["king", "prince"], topn=1)]
        ['prince', 'king']
        """
        if not len(queries):
            return []
        targets, excluded, begin = [], [], [0]
        for query in queries:
            target, used = self._target([query], None)
            targets.append(target)
            excluded += used
            begin.append(len(excluded))
        options = self._options(restrict_vocab, min_frequency, min_score, excluded)
        options.except_begin = (ctypes.c_size_t * len(begin))(*begin)
        return [Neighbours((word, score) for _, word, score in found)
                for found in self._search(np.vstack(targets), topn, options)]

    def _search(self, targets: FloatArray, topn: int, options: Any) -> List[List[Tuple[int, str, float]]]:
        targets = np.ascontiguousarray(targets, np.float32)
        count = len(targets)
        topn = max(1, min(topn, len(self)))
        room = (_abi.psdvec_neighbour * (count * topn))()
        found = (ctypes.c_size_t * count)()
        shared().call(lib.psdvec_model_similar_many, self._model, targets.ctypes.data_as(FLOATS),
                      count, ctypes.byref(options), topn, room, found)
        return [[(near.word, self._word(near.word), float(near.cosine))
                 for near in room[topn * q:topn * q + found[q]]] for q in range(count)]

    def _all_cosines(self, target: FloatArray) -> FloatArray:
        length = np.linalg.norm(target)
        with np.errstate(divide="ignore", invalid="ignore"):
            cosines = self.vectors @ target / (self.norms * (length or 1.0))
        return np.nan_to_num(cosines, copy=False)

    def similarity(self, first: Word, second: Word) -> float:
        """The cosine of two words.

        Parameters
        ----------
        first, second : str or int

        Returns
        -------
        float

        Examples
        --------
        >>> round(model.similarity("king", "king"), 4)
        1.0
        """
        a, b = self.get_vector(first, norm=True), self.get_vector(second, norm=True)
        return float(np.dot(a.astype(np.float64), b.astype(np.float64)))

    def analogy(self, a: Word, b: Word, c: Word, topn: int = 10, *, method: str = "add",
                restrict_vocab: Optional[int] = None, forms: bool = True, min_frequency: int = 0,
                min_score: Optional[float] = None) -> Neighbours:
        """Answers "a is to b as c is to what?".

        Parameters
        ----------
        a, b, c : str or int
            The words of the question, which are never answers.
        topn : int
        method : {"add", "mul"}
            3CosAdd or 3CosMul.
        restrict_vocab, forms, min_frequency, min_score : optional
            As for `most_similar`; `min_score` applies to the score of the method.

        Returns
        -------
        list of (str, float)

        Examples
        --------
        >>> model.analogy("man", "king", "woman", topn=1)[0][0]
        'queen'
        """
        measures = {"add": Measure.MEASURE_ADD, "mul": Measure.MEASURE_MUL}
        if method not in measures:
            raise ValueError(f"method must be 'add' or 'mul', not {method!r}")
        vectors = [np.ascontiguousarray(self.get_vector(word)) for word in (a, b, c)]
        used = [self.find(word) if isinstance(word, str) else int(word) for word in (a, b, c)]
        if not forms:
            used += [self._number(form) for word in (a, b, c) if isinstance(word, str)
                     for form in self.inflections(word)]
        options = self._options(restrict_vocab, min_frequency, min_score,
                                sorted({i for i in used if i is not None}))
        room, found = (_abi.psdvec_neighbour * max(1, topn))(), ctypes.c_size_t()
        shared().call(lib.psdvec_model_analogy, self._model, measures[method],
                      *(vector.ctypes.data_as(FLOATS) for vector in vectors),
                      ctypes.byref(options), topn, room, ctypes.byref(found))
        return Neighbours((self._word(near.word), float(near.cosine)) for near in room[:found.value])

    def odd_one_out(self, words: Sequence[Word]) -> Neighbours:
        """Finds the word that does not fit the others.

        Parameters
        ----------
        words : list of str or int
            At least three words.

        Returns
        -------
        list of (str, float)
            The words with their mean cosine to the others, lowest first.

        Examples
        --------
        >>> model.odd_one_out(["crown", "throne", "castle", "bread"])[0][0]
        'bread'
        """
        names = [word if isinstance(word, str) else self._word(self._number(word)) for word in words]
        if len(names) < 3 or len(set(names)) != len(names):
            raise ValueError("give at least three different words")
        units = np.vstack([self.get_vector(word, norm=True) for word in words]).astype(np.float64)
        cosines = units @ units.T
        means = (cosines.sum(axis=1) - cosines.diagonal()) / (len(names) - 1)
        order = np.argsort(means, kind="stable")
        return Neighbours((names[k], float(means[k])) for k in order)

    def plot(self, words: Sequence[Word], ax: Any = None, **options: Any) -> Any:
        """Draws words by the first two principal components of their vectors, with matplotlib.

        Parameters
        ----------
        words : list of str or int
            The words to draw.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.
        **options
            `labels=False` leaves out the words; others are passed to ``ax.scatter``.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> ax = model.plot(["king", "queen", "man", "woman"])  # doctest: +SKIP
        """
        from ._plot import plot
        return plot(self._as_model, words, ax, **options)
