"""Models: vectors, neighbours, analogies."""

import ctypes
import json
import os
from html import escape
from typing import (TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple,
                    Union, overload)

import numpy as np

from . import _abi
from ._abi import psdvec_measure as Measure
from ._abi import psdvec_options_kind as Kind
from ._abi import psdvec_precision as Precision
from ._context import shared
from ._errors import FormatError
from ._gensim import GensimNames
from ._handle import Handle, ModelHandle
from ._library import lib, text
from ._options import documented
from ._results import Neighbours, members, plural
from ._temporary import temporary
from ._types import Array, FloatArray, Path, Queries, Query, Show, Texts, Word

if TYPE_CHECKING:
    from ._map import WordMap
    from ._analysis import Comparison, Interactions, Residuals, TemperatureFit, WordScores
    from ._counts import Counts
    from ._documents import DocumentScores
    from ._operations import Scores

_FLOATS = ctypes.POINTER(ctypes.c_float)


class _Memory:
    """Memory of a model as numpy sees it; the array keeps this object, and so the model, alive."""

    def __init__(self, owner: Handle, address: int, shape: Tuple[int, ...], kind: str = "<f4"):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape,
                                    "typestr": kind}


def view(owner: Handle, address: int, shape: Tuple[int, ...]) -> FloatArray:
    """A read-only float32 array without a copy."""
    return np.asarray(_Memory(owner, address, shape))


class Score(NamedTuple):
    """The score of a model on a test set, or on a section of it.

    Examples
    --------
    >>> score = model.evaluate("pairs.txt")[0]
    >>> score.test, score.measure, score.total
    ('pairs', 'spearman', 4)
    """

    test: str
    section: Optional[str]   #: None: the whole set
    measure: str             #: "spearman", "add" (3CosAdd), "mul" (3CosMul), "right", "purity"
    value: float             #: nan if too few questions are known
    low: float               #: confidence interval
    high: float
    known: int               #: questions whose words the model has
    total: int


class Model(GensimNames):
    """Word vectors, opened from a file or trained.

    Words are numbered from 0, in models trained by psdvec the most frequent first. All vectors are
    those of the read-out, which is for comparing words; `generative_vectors` are the vectors of the
    generative model.

    The names of gensim's ``KeyedVectors``, of versions 3 and 4, work too.

    Parameters
    ----------
    path : str or os.PathLike
        A model of psdvec, or vectors of another program: word2vec text or binary, GloVe or fastText
        text, or .npy with its list of words beside it.

    Examples
    --------
    >>> model = psdvec.load("story.safetensors")
    >>> model
    <psdvec.Model 'story.safetensors': ... words, 8 dimensions
     psd, float32, with spelling>
    >>> "king" in model
    True
    """

    def __init__(self, path: Path, *, _handle: Optional[ModelHandle] = None):
        self._open(_handle or ModelHandle(os.fspath(path)))

    def _open(self, handle: ModelHandle) -> None:
        self._handle = handle
        self._info = lib.psdvec_model_get_info(handle.pointer).contents
        self._words: Optional[List[str]] = None
        self._index: Optional[Dict[str, int]] = None
        self._vectors: Optional[FloatArray] = None
        self._norms: Optional[FloatArray] = None
        self._view_of: Optional[Tuple["Model", float]] = None  # with_spelling: the model, the weight

    @property
    def _model(self) -> int:
        if self._handle.pointer is None:
            raise ValueError("the model is closed")
        return self._handle.pointer

    # ---- What the model is ----------------------------------------------------------------
    @property
    def path(self) -> str:
        """The file of the model.

        Examples
        --------
        >>> import os
        >>> os.path.basename(model.path)
        'story.safetensors'
        """
        return self._handle.path

    @property
    def vector_size(self) -> int:
        """The number of dimensions.

        Examples
        --------
        >>> model.vector_size
        8
        """
        return int(self._info.dim)

    def __len__(self) -> int:
        return int(self._info.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.index_to_key)

    @property
    def info(self) -> Dict[str, Any]:
        """Sizes, method, and the settings of training and counting.

        Examples
        --------
        >>> model.info["method"], model.info["settings"]["dim"]
        ('psd', 8)
        """
        i = self._info
        facts: Dict[str, Any] = {
            "words": int(i.words), "core_words": int(i.core_words), "dim": int(i.dim),
            "positive": int(i.positive), "file_bytes": int(i.file_bytes),
            "precision": Precision(i.precision).name.lower(), "method": text(i.method) or None,
            "written_by": text(i.written_by) or None, "sparse": bool(i.sparse),
            "has_readout": bool(i.has_readout), "has_spelling": bool(i.has_spelling),
            "ngrams": int(i.ngrams), "phrases": int(i.phrases),
        }
        for name in ("settings", "counts", "extensions", "fit", "joint"):
            stored = text(getattr(i, name + "_json"))
            facts[name] = json.loads(stored) if stored else None
        facts["iterations"] = [members(one) for one in i.iterations[:i.iteration_count]] \
            if i.iteration_count else []
        return facts

    def verify(self) -> None:
        """Reads the whole file and compares all checksums.

        Raises
        ------
        FormatError
            If a checksum differs.

        Examples
        --------
        >>> model.verify()
        """
        shared().call(lib.psdvec_model_verify, self._model)

    # ---- Words ----------------------------------------------------------------------------
    @property
    def index_to_key(self) -> List[str]:
        """All words, by number.

        Examples
        --------
        >>> model.index_to_key[:2]
        ['the', 'and']
        """
        if self._words is None:
            length = ctypes.c_size_t()
            by = ctypes.byref(length)
            word, model, at = lib.psdvec_model_word, self._model, ctypes.string_at
            self._words = [at(word(model, i, by), length.value).decode("utf-8", "replace")
                           for i in range(len(self))]
        return self._words

    @property
    def key_to_index(self) -> Dict[str, int]:
        """The number of each word.

        Examples
        --------
        >>> model.key_to_index["the"]
        0
        """
        if self._index is None:
            self._index = {word: i for i, word in enumerate(self.index_to_key)}
        return self._index

    def _word(self, i: int) -> str:
        if self._words is not None:
            return self._words[i]
        length = ctypes.c_size_t()
        return text(lib.psdvec_model_word(self._model, i, ctypes.byref(length)), length.value)

    def find(self, word: str) -> Optional[int]:
        """The number of a word as a user types it.

        A word is found by its exact spelling, or as the model's tokenizer writes it, so that
        "Paris" finds "paris".

        Parameters
        ----------
        word : str

        Returns
        -------
        int or None
            None, if the model does not have the word.

        Examples
        --------
        >>> model.find("THE"), model.find("nothere")
        (0, None)
        """
        data, i = word.encode("utf-8", "replace"), ctypes.c_uint32()
        if lib.psdvec_model_find(self._model, data, len(data), ctypes.byref(i)):
            return i.value
        shared().call(lib.psdvec_model_find_normalized, self._model, data, len(data),
                      ctypes.byref(i))
        return None if i.value == _abi.PSDVEC_UNKNOWN_WORD else i.value

    def __contains__(self, word: object) -> bool:
        if isinstance(word, str):
            return self.find(word) is not None
        return isinstance(word, (int, np.integer)) and 0 <= int(word) < len(self)

    def form(self, word: Word) -> str:
        """A word as it is usually written in the text: "Größe" for the word "grösse".

        Parameters
        ----------
        word : str or int

        Returns
        -------
        str

        Examples
        --------
        >>> model.form("king")
        'king'
        """
        length = ctypes.c_size_t()
        return text(lib.psdvec_model_form(self._model, self._number(word), ctypes.byref(length)),
                    length.value)

    def frequency(self, word: Word) -> int:
        """How often a word occurs in the text of training.

        Parameters
        ----------
        word : str or int

        Returns
        -------
        int
            0, if it is not known.

        Examples
        --------
        >>> model.frequency("king") == sum(text.split().count("king") for text in texts)
        True
        """
        return int(lib.psdvec_model_frequency(self._model, self._number(word)))

    def probability(self, word: Word) -> float:
        """The unigram probability of a word that training used.

        Parameters
        ----------
        word : str or int

        Returns
        -------
        float
            0 if it is not known.

        Examples
        --------
        >>> 0 < model.probability("king") < model.probability("the")
        True
        """
        return float(lib.psdvec_model_unigram(self._model, self._number(word)))

    def spread(self, word: Word) -> float:
        """The posterior standard deviation of the components of a word's vector.

        The larger it is, the less certain the vector.

        Parameters
        ----------
        word : str or int

        Returns
        -------
        float
            0 if it is not known.

        Examples
        --------
        >>> model.spread("king") >= 0
        True
        """
        return float(lib.psdvec_model_spread(self._model, self._number(word)))

    def find_parts(self, words: str) -> List[Tuple[str, Optional[int]]]:
        """The words of what a user types, which may be several words, and their numbers.

        "New York" is one word if the model has new_york, and otherwise two.

        Parameters
        ----------
        words : str

        Returns
        -------
        list of (str, int or None)
            The number of a word that the model does not have is None.

        Examples
        --------
        >>> [(word, number is None) for word, number in model.find_parts("King, emperor")]
        [('king', False), ('emperor', True)]
        """
        found: List[Tuple[str, Optional[int]]] = []
        data = words.encode("utf-8", "replace")

        def take(_user: Any, word: Any, length: int, i: int) -> None:
            found.append((text(word, length), None if i == _abi.PSDVEC_UNKNOWN_WORD else i))
        shared().call(lib.psdvec_model_find_parts, self._model, data, len(data),
                      _abi.psdvec_part_fn(take), None)
        return found

    def suggest(self, word: str, topn: int = 5) -> List[str]:
        """Words that are spelled almost like this one.

        Parameters
        ----------
        word : str
        topn : int

        Returns
        -------
        list of str

        Examples
        --------
        >>> model.suggest("quen")
        ['queen']
        """
        data = word.encode("utf-8", "replace")
        room, count = (ctypes.c_uint32 * max(1, topn))(), ctypes.c_size_t()
        shared().call(lib.psdvec_model_suggest, self._model, data, len(data),
                      lib.psdvec_edit_limit(len(data)), room, topn, ctypes.byref(count))
        return [self._word(i) for i in room[:count.value]]

    def inflections(self, word: str) -> List[str]:
        """Words of the model that are forms of this one by their spelling: king's, kings.

        Parameters
        ----------
        word : str

        Returns
        -------
        list of str

        Examples
        --------
        >>> model.inflections("king")
        []
        """
        data, count = word.encode("utf-8", "replace"), ctypes.c_size_t()
        room = (ctypes.c_uint32 * 1000)()
        shared().call(lib.psdvec_model_inflections, self._model, data, len(data), room, 1000,
                      ctypes.byref(count))
        return [self._word(i) for i in room[:min(1000, count.value)]]

    def tokenize(self, document: str) -> List[str]:
        """Splits a text into words as the model's text was.

        Parameters
        ----------
        document : str

        Returns
        -------
        list of str

        Examples
        --------
        >>> model.tokenize("The King!")
        ['the', 'king']
        """
        words: List[str] = []
        data = document.encode("utf-8", "replace")

        def take(_user: Any, word: Any, length: int) -> None:
            if word:
                words.append(text(word, length))
        shared().call(lib.psdvec_model_tokenize, self._model, data, len(data),
                      _abi.psdvec_token_fn(take), None)
        return words

    def _number(self, word: Word) -> int:
        if isinstance(word, str):
            i = self.find(word)
            if i is None:
                near = self.suggest(word, 3)
                hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
                raise KeyError(f"the model does not have the word {word!r}{hint}")
            return i
        if isinstance(word, (int, np.integer)) and not isinstance(word, bool):
            if not 0 <= word < len(self):
                raise KeyError(f"the model has no word with the number {word}")
            return int(word)
        raise TypeError(f"a word must be a str or its number, not {type(word).__name__}")

    # ---- Vectors --------------------------------------------------------------------------
    @property
    def vectors(self) -> FloatArray:
        """The vectors of all words, one per row: a read-only view of the file, without a copy.

        Examples
        --------
        >>> model.vectors.shape == (len(model), 8)
        True
        """
        if self._vectors is None:
            pointer = _FLOATS()
            shared().call(lib.psdvec_model_readout, self._model, ctypes.byref(pointer))
            address = ctypes.cast(pointer, ctypes.c_void_p).value or 0
            self._vectors = view(self._handle, address, (len(self), self.vector_size))
        return self._vectors

    @property
    def generative_vectors(self) -> FloatArray:
        """The generative vectors of all words: a read-only view.

        Examples
        --------
        >>> model.generative_vectors.shape == model.vectors.shape
        True
        """
        pointer = lib.psdvec_model_vector(self._model, 0)
        if not pointer:
            raise FormatError("the model has no generative vectors, or they do not fit into memory")
        address = ctypes.cast(pointer, ctypes.c_void_p).value or 0
        return view(self._handle, address, (len(self), self.vector_size))

    def generative_vector(self, word: Word) -> FloatArray:
        """The generative vector of a word, whose products with others estimate PMI.

        Parameters
        ----------
        word : str or int

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> model.generative_vector("king").shape
        (8,)
        """
        vector = np.zeros(self.vector_size, np.float32)
        lib.psdvec_model_vector_copy(self._model, self._number(word), vector.ctypes.data_as(_FLOATS))
        return vector

    def product(self, first: Word, second: Word) -> float:
        """The product of the generative vectors of two words.

        It is the model's estimate of their pointwise mutual information (PMI).

        Parameters
        ----------
        first, second : str or int

        Returns
        -------
        float

        Examples
        --------
        >>> model.product("king", "crown") > model.product("king", "bread")
        True
        """
        return float(lib.psdvec_model_product(self._model, self._number(first),
                                              self._number(second)))

    def to_scipy(self) -> Any:
        """The vectors as a sparse matrix, which needs scipy.

        It is for models with sparse vectors, such as those of ``psdvec.baseline(texts, "ppmi")``.

        Returns
        -------
        scipy.sparse.csr_matrix
            One row per word.

        Examples
        --------
        >>> ppmi = psdvec.baseline(texts, "ppmi", min_count=1)
        >>> ppmi.to_scipy().shape == (len(ppmi), ppmi.vector_size)
        True
        """
        from scipy.sparse import csr_matrix
        if not self._info.sparse:
            return csr_matrix(self.vectors)
        columns, values = ctypes.POINTER(ctypes.c_uint32)(), _FLOATS()
        count = ctypes.c_size_t()
        begin, all_columns, all_values = [0], [], []
        for i in range(len(self)):
            lib.psdvec_model_sparse_row(self._model, i, ctypes.byref(columns), ctypes.byref(values),
                                        ctypes.byref(count))
            if count.value:
                all_columns.append(np.ctypeslib.as_array(columns, (count.value,)).copy())
                all_values.append(np.ctypeslib.as_array(values, (count.value,)).copy())
            begin.append(begin[-1] + count.value)
        empty = [np.empty(0, np.float32)]
        return csr_matrix((np.concatenate(all_values or empty),
                           np.concatenate(all_columns or empty).astype(np.int32), begin),
                          shape=(len(self), self.vector_size))

    @property
    def eigenvalues(self) -> Optional[FloatArray]:
        """The eigenvalues of the core matrix with their signs, or None.

        Examples
        --------
        >>> model.eigenvalues.shape
        (8,)
        """
        pointer = self._info.eigenvalues
        if not pointer:
            return None
        address = ctypes.cast(pointer, ctypes.c_void_p).value or 0
        return view(self._handle, address, (self.vector_size,))

    @property
    def norms(self) -> FloatArray:
        """The lengths of all vectors.

        Examples
        --------
        >>> model.norms.shape == (len(model),)
        True
        """
        if self._norms is None:
            self._norms = np.linalg.norm(self.vectors, axis=1)
        return self._norms

    def get_vector(self, key: Word, norm: bool = False) -> FloatArray:
        """The vector of a word.

        A word that the model does not have gets a vector by its spelling, if the model has learnt
        spelling; otherwise KeyError is raised.

        Parameters
        ----------
        key : str or int
            The word, or its number.
        norm : bool
            Scale the vector to length 1.

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> model.get_vector("king").shape
        (8,)
        >>> model[["king", "queen"]].shape
        (2, 8)
        """
        vector = np.zeros(self.vector_size, np.float32)
        pointer = vector.ctypes.data_as(_FLOATS)
        i = self.find(key) if isinstance(key, str) else self._number(key)
        if i is not None:
            lib.psdvec_model_copy(self._model, i, pointer)
        elif not self._spell(str(key), pointer):
            self._number(key)  # raises the error
        length = float(np.linalg.norm(vector)) if norm else 0.0
        return vector / np.float32(length) if length > 0 else vector

    def _spell(self, word: str, pointer: Any) -> bool:
        if not self._info.has_spelling:
            return False
        data, needed = word.encode("utf-8", "replace"), ctypes.c_size_t()
        room = ctypes.create_string_buffer(4 * len(data) + 16)
        shared().call(lib.psdvec_model_normalize, self._model, data, len(data), room, len(room),
                      ctypes.byref(needed))
        spelled = room.raw[:needed.value] if 0 < needed.value < len(room) else data
        return bool(lib.psdvec_model_spell(self._model, spelled, len(spelled), pointer))

    def __getitem__(self, key: Union[Word, Sequence[Word]]) -> FloatArray:
        if isinstance(key, (str, int, np.integer)):
            return self.get_vector(key)
        return np.vstack([self.get_vector(k) for k in key])

    def with_spelling(self, weight: float) -> "Model":
        """A view of the model in which spelling has another weight.

        Parameters
        ----------
        weight : float
            1 is that of training, 0 leaves spelling out.

        Returns
        -------
        Model

        Examples
        --------
        >>> model.with_spelling(0).most_similar("king", topn=1)[0][0]
        'prince'
        """
        pointer = ctypes.c_void_p()
        shared().call(lib.psdvec_model_with_spelling, self._model, float(weight),
                      ctypes.byref(pointer))
        other = Model(self.path, _handle=ModelHandle(self.path, pointer.value))
        other._view_of = (self, float(weight))
        return other

    # ---- Queries --------------------------------------------------------------------------
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
        shared().call(lib.psdvec_model_similar_many, self._model, targets.ctypes.data_as(_FLOATS),
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
                      *(vector.ctypes.data_as(_FLOATS) for vector in vectors),
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
        return plot(self, words, ax, **options)

    # ---- Operations, as functions of the package ------------------------------------------
    @documented([Kind.OPTIONS_EXTEND, Kind.OPTIONS_CONTEXT])
    def extend(self, texts: Texts, output: Optional[Path] = None, *, progress: Show = None,
               **options: Any) -> "Model":
        """A new model that also has the words of new text; see `psdvec.extend`.

        Parameters
        ----------
        texts : path, list of pathlib.Path, or iterable of str or of token lists
        output : path, optional
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        Model

        Examples
        --------
        >>> more = model.extend(["the duke inherits the castle"] * 9, min_count=5)
        >>> "duke" in more, len(more) - len(model)
        (True, 1)
        """
        from ._operations import extend
        return extend(self, texts, output, progress=progress, **options)

    @documented([Kind.OPTIONS_MAP, Kind.OPTIONS_CONTEXT])
    def map(self, words: Optional[Sequence[Union[str, int]]] = None, *, around: Optional[Query] = None,
            nearest: int = 300, progress: Show = False, **options: Any) -> "WordMap":
        """A map of the words: places in the plane, clusters and labels.

        Parameters
        ----------
        words : list of str or int, optional
            Only these words.
        around : str or numpy.ndarray, optional
            Only a word and its nearest neighbours, or the neighbours of a vector.
        nearest : int
            How many neighbours with `around`.
        progress : bool, "bar", "tqdm" or a function, optional
            As for `train`.
        **options

        Returns
        -------
        WordMap

        Examples
        --------
        >>> near = model.map(around="king", nearest=3)
        >>> "king" in near.words, len(near), near.points.shape
        (True, 4, (4, 2))
        """
        from ._map import make_map
        return make_map(self, words, around, nearest, progress, options)

    @documented([Kind.OPTIONS_MAP, Kind.OPTIONS_CONTEXT])
    def map_memory(self, words: int = 0, **options: Any) -> int:
        """The memory that `map` needs.

        Parameters
        ----------
        words : int
            For this number of words; 0 for all words, or those that `restrict` selects.
        **options
            Those of `map`.

        Returns
        -------
        int
            Bytes.

        Examples
        --------
        >>> model.map_memory(10) < model.map_memory()
        True
        """
        from ._map import map_memory
        return map_memory(self, words, options)

    def read_map(self, path: Path) -> "WordMap":
        """A map of the words from a table.

        Parameters
        ----------
        path : str or os.PathLike
            A table of `WordMap.save` or of ``psdvec map``, or one of another program: columns word, x and y,
            separated by tabs and named in the first line. Clusters and labels are computed if the columns
            cluster, or level and region, are missing. Words that the model does not have are left out.

        Returns
        -------
        WordMap

        Examples
        --------
        >>> made = model.map()
        >>> made.save("map.tsv")
        >>> bool((model.read_map("map.tsv").points == made.points).all())
        True
        """
        from ._map import read_map
        return read_map(self, path)

    @documented([Kind.OPTIONS_DESCRIBE, Kind.OPTIONS_CONTEXT])
    def report(self, path: Path, words: Optional[Sequence[Union[str, int]]] = None, *,
               sets: Union[None, Path, Sequence[Path]] = None, progress: Show = False, **options: Any) -> None:
        """Writes a report on the model: an HTML page that works offline and prints well.

        It shows how the model was made, the course of training, its spectrum, the frequencies of
        words and the lengths of vectors, a map, scores, the neighbours of sample words, and what to
        cite.

        Parameters
        ----------
        path : str or os.PathLike
            The page; an existing file is replaced when the new one is complete.
        words : list of str or int, optional
            Sample words whose neighbours are listed.
        sets : path or list of paths, optional
            Test sets, files or folders, in addition to the built-in ones.
        progress : bool, "bar", "tqdm" or a function, optional
            As for `train`.
        **options

        Examples
        --------
        >>> model.report("report.html", ["king", "dog"], map=0)
        >>> "<title>psdvec report</title>" in open("report.html", encoding="utf-8").read()
        True
        """
        from ._page import write_page
        from ._report import describe
        data, plain = describe("report", self, words, sets, progress, options)
        write_page("report", path, data, plain)

    @documented([Kind.OPTIONS_DESCRIBE, Kind.OPTIONS_CONTEXT])
    def describe(self, words: Optional[Sequence[Union[str, int]]] = None, *,
                 sets: Union[None, Path, Sequence[Path]] = None, progress: Show = False,
                 **options: Any) -> Dict[str, Any]:
        """All that a report on the model shows.

        Parameters
        ----------
        words : list of str or int, optional
            Sample words whose neighbours are listed.
        sets : path or list of paths, optional
            Test sets, files or folders, in addition to the built-in ones.
        progress : bool, "bar", "tqdm" or a function, optional
            As for `train`.
        **options

        Returns
        -------
        dict
            With the members that `docs/reference/report.md` lists.

        Examples
        --------
        >>> found = model.describe(["king"], map=0, builtin=False)
        >>> found["model"]["words"] == len(model), found["neighbours"][0]["word"]
        (True, 'king')
        """
        from ._report import describe
        return dict(json.loads(describe("describe", self, words, sets, progress, options)[0]))

    @documented([Kind.OPTIONS_EVAL, Kind.OPTIONS_CONTEXT])
    def evaluate(self, sets: Union[None, Path, Sequence[Path]] = None, *, builtin: bool = False,
                 progress: Show = None, **options: Any) -> "Scores":
        """Scores on test sets; see `psdvec.evaluate`, which also compares several models.

        Parameters
        ----------
        sets : path or list of paths, optional
        builtin : bool
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        Scores

        Examples
        --------
        >>> model.evaluate("pairs.txt")[0].known
        4
        """
        from ._operations import evaluate
        return evaluate(self, sets, builtin=builtin, progress=progress, **options)

    def compare(self, first: Word, second: Word, *, counts: Optional["Counts"] = None,
                contexts: int = 8, dimensions: int = 5) -> "Comparison":
        """How similar two words are, and why; see `psdvec.compare`.

        Parameters
        ----------
        first, second : str or int
        counts : Counts, optional
        contexts, dimensions : int

        Returns
        -------
        Comparison

        Examples
        --------
        >>> why = model.compare("king", "queen")
        >>> abs(why.cosine - model.similarity("king", "queen")) < 1e-6
        True
        """
        from ._analysis import compare
        return compare(self, first, second, counts=counts, contexts=contexts, dimensions=dimensions)

    @documented([Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT], without=("influences",))
    def explain(self, /, document: str, *, counts: Optional["Counts"] = None,
                **options: Any) -> "WordScores":
        """Why the words of a text are likely or not; see `psdvec.explain`.

        Parameters
        ----------
        document : str
        counts : Counts, optional
        **options

        Returns
        -------
        WordScores

        Examples
        --------
        >>> [score.word for score in model.explain("The king!")]
        ['the', 'king']
        """
        from ._analysis import explain
        return explain(self, document, counts=counts, **options)

    @documented([Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT])
    def fit_temperature(self, texts: Texts, output: Optional[Path] = None, *,
                        counts: Optional["Counts"] = None, most_words: Optional[int] = 10000,
                        progress: Show = None, **options: Any) -> "TemperatureFit":
        """Fits the temperature of document probabilities; see `psdvec.fit_temperature`.

        Parameters
        ----------
        texts : path, list of pathlib.Path, or iterable of str or of token lists
        output : path, optional
        counts : Counts, optional
        most_words : int or None
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        TemperatureFit

        Examples
        --------
        >>> model.fit_temperature(texts[:50]).temperature > 0
        True
        """
        from ._analysis import fit_temperature
        return fit_temperature(self, texts, output, counts=counts, most_words=most_words,
                               progress=progress, **options)

    @documented([Kind.OPTIONS_CONTEXT])
    def residuals(self, counts: "Counts", output: Optional[Path] = None, *,
                  topn: Optional[int] = 10, order: str = "loss", min_count: float = 10,
                  progress: Show = None, **options: Any) -> "Residuals":
        """What the vectors do not explain of the counts; see `psdvec.residuals`.

        Parameters
        ----------
        counts : Counts
        output : path, optional
        topn : int or None
        order : {"loss", "more", "less"}
        min_count : float
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        Residuals

        Examples
        --------
        >>> counts = psdvec.count(texts, min_count=1)
        >>> len(psdvec.train(counts, dim=4).residuals(counts, topn=3))
        3
        """
        from ._analysis import residuals
        return residuals(self, counts, output, topn=topn, order=order, min_count=min_count,
                         progress=progress, **options)

    @documented([Kind.OPTIONS_CONTEXT])
    def interactions(self, texts: Texts, triples: Sequence[Tuple[str, str, str]] = (), *,
                     window: Optional[int] = None, topn: int = 20, min_count: int = 10,
                     progress: Show = None, **options: Any) -> "Interactions":
        """Interactions of three words in text; see `psdvec.interactions`.

        Parameters
        ----------
        texts : path, list of pathlib.Path, or iterable of str
        triples : list of (str, str, str), optional
        window : int, optional
        topn, min_count : int
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        Interactions

        Examples
        --------
        >>> len(model.interactions(texts, topn=3))
        3
        """
        from ._analysis import interactions
        return interactions(self, texts, triples, window=window, topn=topn, min_count=min_count,
                            progress=progress, **options)

    @documented([Kind.OPTIONS_SCORER, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT],
                without=("influences",))
    def score(self, /, texts: Texts, *, counts: Optional["Counts"] = None,
              per_word: bool = False, progress: Show = None, **options: Any) -> "DocumentScores":
        """The probability of documents; see `psdvec.score`.

        Parameters
        ----------
        texts : path, list of pathlib.Path, or iterable of str or of token lists
        counts : Counts, optional
        per_word : bool
        progress : bool, "bar", "tqdm" or a function, optional
        **options

        Returns
        -------
        DocumentScores

        Examples
        --------
        >>> right, wrong = model.score(["the king wears his crown", "the king carries his bread"])
        >>> right.perplexity[0] < wrong.perplexity[0]
        True
        """
        from ._documents import score
        return score(self, texts, counts=counts, per_word=per_word, progress=progress,
                     **options)

    @documented([Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT])
    def next_words(self, /, before: Union[str, Sequence[str]], topn: int = 10, *,
                   counts: Optional["Counts"] = None, **options: Any) -> Neighbours:
        """The most probable words after a text; see `psdvec.next_words`.

        Parameters
        ----------
        before : str or list of str
        topn : int
        counts : Counts, optional
        **options

        Returns
        -------
        list of (str, float)

        Examples
        --------
        >>> len(model.next_words("the king wears his", topn=3))
        3
        """
        from ._documents import next_words
        return next_words(self, before, topn, counts=counts, **options)

    @documented([Kind.OPTIONS_GENERATE, Kind.OPTIONS_SCORER, Kind.OPTIONS_CONTEXT])
    def generate(self, /, prompt: Union[str, Sequence[str]] = "", *, counts: Optional["Counts"] = None,
                 **options: Any) -> List[str]:
        """Words drawn from the model; see `psdvec.generate`.

        Parameters
        ----------
        prompt : str or list of str
        counts : Counts, optional
        **options

        Returns
        -------
        list of str

        Examples
        --------
        >>> model.generate("the king", length=5) == model.generate("the king", length=5)
        True
        """
        from ._documents import generate
        return generate(self, prompt, counts=counts, **options)

    # ---- Files ----------------------------------------------------------------------------
    @documented([Kind.OPTIONS_CONVERT, Kind.OPTIONS_CONTEXT])
    def save(self, path: Path, **options: Any) -> None:
        """Writes the model to a file.

        Parameters
        ----------
        path : path
            The suffix is the format: .safetensors, .vec, .bin, .txt (GloVe), .npy.
        **options

        Examples
        --------
        >>> model.save("story.vec")
        >>> model.save("small.safetensors", precision="int8", dim=4)
        """
        from ._operations import convert
        convert(self.path, path, **options)

    def close(self) -> None:
        """Lets go of the file. It stays open as long as arrays such as `vectors` are in use.

        Examples
        --------
        >>> with psdvec.load("story.safetensors") as other:  # closes it at the end
        ...     len(other) == len(model)
        True
        >>> other
        <psdvec.Model, closed>
        """
        self._vectors = self._norms = None
        self._handle = ModelHandle.__new__(ModelHandle)
        self._handle.pointer = self._handle.folder = None
        self._handle.path = ""

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_error: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        if self._view_of is not None:
            return (Model.with_spelling, self._view_of)
        if self._handle.folder is None:
            return (Model, (os.path.abspath(self.path),))
        return (from_bytes, (self.to_bytes(),))

    def to_bytes(self) -> bytes:
        """The contents of a model file, for databases and pickles.

        Returns
        -------
        bytes
            `psdvec.from_bytes` opens them.

        Examples
        --------
        >>> len(psdvec.from_bytes(model.to_bytes())) == len(model)
        True
        """
        if self.path.endswith(".safetensors"):
            with open(self.path, "rb") as file:
                return file.read()
        _folder, path = temporary()
        self.save(path)
        with open(path, "rb") as file:
            return file.read()

    def __copy__(self) -> "Model":
        other = Model(self.path, _handle=self._handle)
        other._view_of = self._view_of
        return other

    def __deepcopy__(self, _memo: Any) -> "Model":
        return self.__copy__()  # models never change

    # ---- Display --------------------------------------------------------------------------
    def _title(self) -> Tuple[str, str]:
        method = text(self._info.method)
        name = os.path.basename(self.path) if self._handle.folder is None else "in memory"
        return (f"psdvec.Model {name!r}: {plural(len(self), 'word')}, "
                f"{plural(self.vector_size, 'dimension')}",
                f"{method or 'vectors of another program'}, "
                f"{Precision(self._info.precision).name.lower()}"
                + (", with spelling" if self._info.has_spelling else ""))

    def _origin(self) -> str:
        """The text and the settings of the model in a line; empty if they are not known."""
        counts = self.info["counts"] or {}
        settings, vocabulary = counts.get("settings") or {}, counts.get("vocabulary") or {}
        inputs = counts.get("inputs") or []
        parts = [f"{name.replace('_', ' ')} {settings[name]}" for name in ("window", "distance")
                 if name in settings]
        if vocabulary.get("min_count"):
            parts.append(f"at least {plural(vocabulary['min_count'], 'occurrence')}")
        if inputs:
            tokens = sum(one.get("tokens", 0) for one in inputs)
            parts.insert(0, f"{plural(tokens, 'token')} of "
                         + ", ".join(os.path.basename(one.get("name", "")) or one.get("name", "")
                                     for one in inputs[:3]) + (", ..." if inputs[3:] else ""))
        return ", ".join(parts)

    def __repr__(self) -> str:
        if self._handle.pointer is None:
            return "<psdvec.Model, closed>"
        return "<" + "\n ".join(self._title()) + ">"

    def _repr_html_(self) -> str:
        if self._handle.pointer is None:
            return escape(repr(self))
        title, details = self._title()
        rows: List[str] = []
        # Words that are neither rare nor function words.
        first = min(len(self) // 20, 1000)
        for i in range(first, len(self), max(1, first // 50)):
            if len(rows) == 5:
                break
            word = self._word(i)
            if len(word) > 3:
                near = ", ".join(other for other, _ in self.most_similar(i, topn=5))
                rows.append(f"<tr><td style='text-align:left'><b>{escape(word)}</b></td>"
                            f"<td style='text-align:left'>{escape(near)}</td></tr>")
        return (f"<div><b>{escape(title)}</b><br>{escape(details)}"
                f"{'<br>' + escape(self._origin()) if self._origin() else ''}</div>"
                f"<table><thead><tr><th style='text-align:left'>word</th>"
                f"<th style='text-align:left'>nearest words</th></tr></thead>"
                f"<tbody>{''.join(rows)}</tbody></table>")


def _as_list(queries: Any) -> List[Any]:
    if queries is None:
        return []
    if isinstance(queries, (str, int, np.integer, tuple)) or (
            isinstance(queries, np.ndarray) and queries.ndim == 1):
        return [queries]
    return list(queries)


def from_bytes(data: bytes) -> Model:
    """Opens a model from the contents of its file.

    Parameters
    ----------
    data : bytes
        As `Model.to_bytes` returns them.

    Returns
    -------
    Model

    Examples
    --------
    >>> psdvec.from_bytes(open("story.safetensors", "rb").read()).vector_size
    8
    """
    folder, path = temporary()
    with open(path, "wb") as file:
        file.write(data)
    return Model(path, _handle=ModelHandle(path, folder=folder))


def load(path: Path) -> Model:
    """Opens a model of psdvec, or vectors of another program.

    Parameters
    ----------
    path : str or os.PathLike
        A .safetensors file of psdvec, word2vec text or binary, GloVe or fastText text, or .npy with
        its list of words beside it. Model files are mapped, not read.

    Returns
    -------
    Model

    Examples
    --------
    >>> psdvec.load("story.safetensors").vector_size
    8
    """
    return Model(path)


def from_gensim(vectors: Any) -> Model:
    """A model with the vectors of gensim.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        Or a model that has them as `wv`.

    Returns
    -------
    Model

    Examples
    --------
    >>> psdvec.from_gensim(model).vector_size    # any object with `vectors` and `index_to_key`
    8
    """
    vectors = getattr(vectors, "wv", vectors)
    words = list(getattr(vectors, "index_to_key", None) or vectors.index2word)
    folder, path = temporary(suffix=".npy")
    np.save(path, np.ascontiguousarray(vectors.vectors, np.float32))
    with open(path[:-len(".npy")] + ".words.txt", "w", encoding="utf-8") as file:
        file.writelines(word + "\n" for word in words)
    return Model(path, _handle=ModelHandle(path, folder=folder))
