"""The names of gensim's KeyedVectors, of versions 3 and 4, for models.

Results are those of gensim: tests run the same calls on both.
"""

from typing import (TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Sequence,
                    Tuple, TypeVar, Union, overload)

import numpy as np

from ._results import Neighbours
from ._types import Array, FloatArray, Path, Queries, Word


_Self = TypeVar("_Self")


def _unit(vector: FloatArray) -> FloatArray:
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector


class _Vocab:
    """An entry of `vocab`, as gensim 3 has it."""

    def __init__(self, model: Any, index: int):
        self.index = index
        self.count = model.frequency(index)

    def __repr__(self) -> str:
        return f"Vocab(count:{self.count}, index:{self.index})"


class _VocabView(Dict[str, _Vocab]):
    """`vocab` of gensim 3; entries are made when they are read."""

    def __init__(self, model: Any):
        super().__init__()
        self._model = model

    def __missing__(self, word: str) -> _Vocab:
        return _Vocab(self._model, self._model.key_to_index[word])

    def __contains__(self, word: object) -> bool:
        return word in self._model.key_to_index

    def __len__(self) -> int:
        return len(self._model)

    def __iter__(self) -> Iterator[str]:
        return iter(self._model.index_to_key)

    def keys(self) -> Any:
        return self._model.key_to_index.keys()

    def get(self, word: str, default: Any = None) -> Any:
        return self[word] if word in self else default

    def items(self) -> Any:
        return ((word, self[word]) for word in self)

    def values(self) -> Any:
        return (self[word] for word in self)


class GensimNames:
    """Methods that gensim has under these names."""

    if TYPE_CHECKING:  # of the class that uses this one
        most_similar: Any
        index_to_key: Any
        key_to_index: Any
        vectors: Any
        norms: Any
        vector_size: Any

        def get_vector(self, key: Word, norm: bool = False) -> FloatArray: ...
        def similarity(self, first: Word, second: Word) -> float: ...
        def frequency(self, word: Word) -> int: ...
        def _number(self, word: Word) -> int: ...
        def __contains__(self, word: object) -> bool: ...

    # ---- Attributes -----------------------------------------------------------------------
    @property
    def wv(self: "_Self") -> "_Self":
        """The model itself, which in gensim is a part of it.

        Examples
        --------
        >>> model.wv is model
        True
        """
        return self

    @property
    def index2word(self) -> List[str]:
        """`index_to_key` of gensim 3.

        Examples
        --------
        >>> model.index2word[0]
        'the'
        """
        words: List[str] = self.index_to_key
        return words

    index2entity = index2word

    @property
    def vocab(self) -> Dict[str, _Vocab]:
        """`vocab` of gensim 3: an object with `count` and `index` for each word.

        Examples
        --------
        >>> model.vocab["king"].count == model.frequency("king")
        True
        """
        return _VocabView(self)

    @property
    def syn0(self) -> FloatArray:
        """`vectors` of old versions.

        Examples
        --------
        >>> model.syn0 is model.vectors
        True
        """
        vectors: FloatArray = self.vectors
        return vectors

    # ---- Single words ---------------------------------------------------------------------
    def word_vec(self, word: Word, use_norm: bool = False) -> FloatArray:
        """`get_vector` of gensim 3.

        Parameters
        ----------
        word : str or int
        use_norm : bool
            Scale the vector to length 1.

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> model.word_vec("king").shape
        (8,)
        """
        return self.get_vector(word, norm=use_norm)

    def get_index(self, key: Word, default: Optional[int] = None) -> int:
        """The number of a word.

        Parameters
        ----------
        key : str or int
        default : int, optional
            The result for a word that is not there; without it, KeyError is raised.

        Returns
        -------
        int

        Examples
        --------
        >>> model.get_index("the"), model.get_index("nothere", default=-1)
        (0, -1)
        """
        if key in self:
            return self._number(key)
        if default is not None:
            return default
        raise KeyError(f"Key '{key}' not present")

    def has_index_for(self, key: Word) -> bool:
        """Whether the model has a word.

        Parameters
        ----------
        key : str or int

        Returns
        -------
        bool

        Examples
        --------
        >>> model.has_index_for("king")
        True
        """
        return key in self

    def get_vecattr(self, key: Word, attr: str) -> int:
        """The attribute `count` of a word: its frequency. There are no others.

        Parameters
        ----------
        key : str or int
        attr : {"count"}

        Returns
        -------
        int

        Examples
        --------
        >>> model.get_vecattr("king", "count") == model.frequency("king")
        True
        """
        if attr != "count":
            raise KeyError(f"the attribute {attr!r} is not supported, only 'count'")
        return self.frequency(key)

    def get_normed_vectors(self) -> FloatArray:
        """All vectors, scaled to length 1: a copy.

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> np.allclose(np.linalg.norm(model.get_normed_vectors(), axis=1), 1)
        True
        """
        return np.asarray(self.vectors / np.maximum(self.norms, np.float32(1e-30))[:, None])

    # ---- Similarity -----------------------------------------------------------------------
    def similar_by_key(self, key: Word, topn: int = 10,
                       restrict_vocab: Optional[int] = None) -> Neighbours:
        """The nearest words of a word.

        Parameters
        ----------
        key : str or int
        topn : int
        restrict_vocab : int, optional
            Only the first words of the model.

        Returns
        -------
        list of (str, float)

        Examples
        --------
        >>> model.similar_by_key("king", topn=1)[0][0]
        'prince'
        """
        near: Neighbours = self.most_similar(positive=[key], topn=topn, restrict_vocab=restrict_vocab)
        return near

    similar_by_word = similar_by_key

    def similar_by_vector(self, vector: Array, topn: int = 10,
                          restrict_vocab: Optional[int] = None) -> Neighbours:
        """The nearest words of a vector.

        Parameters
        ----------
        vector : numpy.ndarray
        topn : int
        restrict_vocab : int, optional
            Only the first words of the model.

        Returns
        -------
        list of (str, float)

        Examples
        --------
        >>> model.similar_by_vector(model["king"], topn=1)[0][0]
        'king'
        """
        near: Neighbours = self.most_similar(positive=[np.asarray(vector)], topn=topn,
                                             restrict_vocab=restrict_vocab)
        return near

    def distance(self, first: Word, second: Word) -> float:
        """The cosine distance of two words: 1 - `similarity`.

        Parameters
        ----------
        first, second : str or int

        Returns
        -------
        float

        Examples
        --------
        >>> model.distance("king", "prince") < model.distance("king", "dog")
        True
        """
        return 1 - self.similarity(first, second)

    def distances(self, word_or_vector: Union[Word, Array],
                  other_words: Sequence[Word] = ()) -> FloatArray:
        """The cosine distances of a word or vector to other words.

        Parameters
        ----------
        word_or_vector : str, int or numpy.ndarray
        other_words : list of str or int
            All words, if it is empty.

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> model.distances("king").shape == (len(model),)
        True
        """
        vector = (word_or_vector if isinstance(word_or_vector, np.ndarray)
                  else self.get_vector(word_or_vector))
        if other_words:
            others = np.vstack([self.get_vector(word) for word in other_words])
            norms = np.linalg.norm(others, axis=1)
        else:
            others, norms = self.vectors, self.norms
        return np.asarray(1 - others @ vector / (np.linalg.norm(vector) * norms))

    def get_mean_vector(self, keys: Iterable[Union[Word, Array]], weights: Optional[Sequence[float]] = None,
                        pre_normalize: bool = True, post_normalize: bool = False,
                        ignore_missing: bool = True) -> FloatArray:
        """The weighted mean of words or vectors.

        Parameters
        ----------
        keys : list of str, int or numpy.ndarray
        weights : list of float, optional
        pre_normalize : bool
            Scale the vectors of words to length 1 first.
        post_normalize : bool
            Scale the mean to length 1.
        ignore_missing : bool
            Leave out words that the model does not have, instead of raising KeyError.

        Returns
        -------
        numpy.ndarray

        Examples
        --------
        >>> model.get_mean_vector(["king", "queen"], weights=[1, 3]).shape
        (8,)
        """
        keys = list(keys)
        if not keys:
            raise ValueError("cannot compute mean with no input")
        weights = [1.0] * len(keys) if weights is None else list(weights)
        if len(weights) != len(keys):
            raise ValueError("keys and weights array must have same number of elements")
        mean = np.zeros(self.vector_size, np.float32)
        total = 0.0
        for key, weight in zip(keys, weights):
            if isinstance(key, np.ndarray):
                mean += np.float32(weight) * key
            elif key in self:
                mean += np.float32(weight) * self.get_vector(key, norm=pre_normalize)
            elif not ignore_missing:
                raise KeyError(f"Key '{key}' not present in vocabulary")
            else:
                continue
            total += abs(weight)
        if total > 0:
            mean = mean / np.float32(total)
        return _unit(mean) if post_normalize else mean

    def n_similarity(self, first: Sequence[Word], second: Sequence[Word]) -> float:
        """The cosine of the mean vectors of two lists of words.

        Parameters
        ----------
        first, second : list of str or int

        Returns
        -------
        float

        Examples
        --------
        >>> model.n_similarity(["king", "queen"], ["crown", "throne"]) > 0
        True
        """
        if not (len(first) and len(second)):
            raise ZeroDivisionError("At least one of the passed list is empty.")
        a, b = (self.get_mean_vector(words, pre_normalize=False) for words in (first, second))
        return float(np.dot(_unit(a), _unit(b)))

    def rank_by_centrality(self, words: Iterable[Word],
                           use_norm: bool = True) -> List[Tuple[float, Word]]:
        """Words with the cosine of each to the mean of all, the most central first.

        Parameters
        ----------
        words : iterable of str or int
            Words that the model does not have are left out.
        use_norm : bool
            Scale the vectors to length 1 first.

        Returns
        -------
        list of (float, str)

        Examples
        --------
        >>> model.rank_by_centrality(["king", "prince", "dog"])[-1][1]
        'dog'
        """
        used = [word for word in words if word in self]
        if not used:
            raise ValueError("cannot select a word from an empty list")
        vectors = np.vstack([self.get_vector(word, norm=use_norm) for word in used])
        mean = _unit(vectors.mean(axis=0))
        return sorted(zip((float(x) for x in vectors @ mean), used), reverse=True)

    def doesnt_match(self, words: Iterable[Word]) -> Word:
        """The word that does not fit the others.

        Parameters
        ----------
        words : iterable of str or int

        Returns
        -------
        str or int

        Examples
        --------
        >>> model.doesnt_match(["king", "queen", "dog"])
        'dog'
        """
        if isinstance(words, str):
            words = words.split()
        return self.rank_by_centrality(words)[-1][1]

    def closer_than(self, key1: Word, key2: Word) -> List[str]:
        """The words that are nearer to the first word than the second one is.

        Parameters
        ----------
        key1, key2 : str or int

        Returns
        -------
        list of str

        Examples
        --------
        >>> "prince" in model.closer_than("king", "dog")
        True
        """
        cosines = self.most_similar(positive=[key1], topn=None)
        first, second = self._number(key1), self._number(key2)
        nearer = np.flatnonzero(cosines > cosines[second])
        return [self.index_to_key[i] for i in nearer if i != first]

    words_closer_than = closer_than

    def rank(self, key1: Word, key2: Word) -> int:
        """The rank of the second word among the neighbours of the first, from 1.

        Parameters
        ----------
        key1, key2 : str or int

        Returns
        -------
        int

        Examples
        --------
        >>> model.rank("king", "prince")
        1
        """
        return len(self.closer_than(key1, key2)) + 1

    @overload
    def most_similar_cosmul(self, positive: Queries = None, negative: Queries = None, topn: int = 10,
                            restrict_vocab: Optional[int] = None) -> Neighbours: ...

    @overload
    def most_similar_cosmul(self, positive: Queries = None, negative: Queries = None, *, topn: None,
                            restrict_vocab: Optional[int] = None) -> FloatArray: ...

    def most_similar_cosmul(self, positive: Queries = None, negative: Queries = None,
                            topn: Optional[int] = 10, restrict_vocab: Optional[int] = None
                            ) -> Union[Neighbours, FloatArray]:
        """The words with the highest product of cosines (Levy and Goldberg, 2014).

        Parameters
        ----------
        positive, negative : str, int, numpy.ndarray, or a list of these
        topn : int or None
            How many words; None gives the products of all words as an array.
        restrict_vocab : int, optional
            Only the first words of the model.

        Returns
        -------
        list of (str, float)

        Examples
        --------
        >>> model.most_similar_cosmul(["king", "woman"], ["man"], topn=1)[0][0]
        'queen'
        """
        def listed(queries: Any) -> List[Any]:
            return [queries] if isinstance(queries, str) else list(queries or ())
        terms: List[List[FloatArray]] = []
        used = set()
        for queries in (listed(positive), listed(negative)):
            terms.append([])
            for query in queries:
                if isinstance(query, np.ndarray):
                    terms[-1].append(_unit(query))
                else:
                    used.add(self._number(query))
                    terms[-1].append(self.get_vector(query, norm=True))
        if not terms[0]:
            raise ValueError("cannot compute similarity with no input")
        vectors, norms = self.vectors[:restrict_vocab], self.norms[:restrict_vocab]
        factors = [[((1 + vectors @ term / norms) / 2) for term in side] for side in terms]
        scores = np.prod(factors[0], axis=0)
        if factors[1]:
            scores = scores / (np.prod(factors[1], axis=0) + 0.000001)
        if topn is None:
            return np.asarray(scores, np.float32)
        order = np.argsort(-scores, kind="stable")[:topn + len(used)]
        return Neighbours([(self.index_to_key[i], float(scores[i]))
                           for i in order if i not in used][:topn])

    # ---- Conversion -----------------------------------------------------------------------
    def to_gensim(self) -> Any:
        """A copy as gensim.models.KeyedVectors, with the frequencies of words.

        Returns
        -------
        gensim.models.KeyedVectors

        Examples
        --------
        >>> model.to_gensim().most_similar("king", topn=1)[0][0]
        'prince'
        """
        from gensim.models import KeyedVectors
        vectors = KeyedVectors(self.vector_size)
        vectors.add_vectors(self.index_to_key, np.array(self.vectors))
        for i, word in enumerate(self.index_to_key):
            vectors.set_vecattr(word, "count", self.frequency(i))
        return vectors

    # ---- Evaluation -----------------------------------------------------------------------
    def evaluate_word_pairs(self, pairs: Path, delimiter: str = "\t", encoding: str = "utf8",
                            restrict_vocab: int = 300000, case_insensitive: bool = True,
                            dummy4unknown: bool = False) -> Tuple[Any, Any, float]:
        """The correlation of cosines with the ratings of a file.

        Parameters
        ----------
        pairs : path
            Lines of two words and a rating.
        delimiter, encoding : str
        restrict_vocab : int
            Only the first words of the model.
        case_insensitive : bool
        dummy4unknown : bool
            Give pairs with unknown words the cosine 0, instead of leaving them out.

        Returns
        -------
        tuple
            Pearson and Spearman correlation, each with its p-value (nan without scipy), and the
            percentage of pairs with unknown words.

        Examples
        --------
        >>> pearson, spearman, unknown = model.evaluate_word_pairs("pairs.txt", delimiter=" ")
        >>> float(spearman[0]) > 0, unknown
        (True, 0.0)
        """
        words = {word: i for i, word in enumerate(self.index_to_key[:restrict_vocab])}
        if case_insensitive:
            upper: Dict[str, int] = {}
            for word, i in words.items():
                upper.setdefault(word.upper(), i)
            words = upper
        gold, ours, unknown = [], [], 0
        with open(pairs, encoding=encoding) as file:
            for line in file:
                if not line.strip() or line.startswith("#"):
                    continue
                parts = line.rstrip("\n").split(delimiter)
                if len(parts) < 3:
                    continue
                a, b = (p.upper() if case_insensitive else p for p in parts[:2])
                try:
                    rating = float(parts[2])
                except ValueError:
                    continue
                if a in words and b in words:
                    ours.append(self.similarity(words[a], words[b]))
                else:
                    unknown += 1
                    if not dummy4unknown:
                        continue
                    ours.append(0.0)
                gold.append(rating)
        if len(gold) < 2:
            raise ValueError(f"{pairs}: fewer than two pairs with known words")
        total = len(gold) + (0 if dummy4unknown else unknown)
        return (*_correlations(gold, ours), 100.0 * unknown / total)

    def evaluate_word_analogies(self, analogies: Path, restrict_vocab: int = 300000,
                                case_insensitive: bool = True, dummy4unknown: bool = False,
                                similarity_function: str = "most_similar"
                                ) -> Tuple[float, List[Dict[str, Any]]]:
        """The share of right answers to the analogies of a file.

        Parameters
        ----------
        analogies : path
            Lines of four words, in sections that begin with a line ": name".
        restrict_vocab : int
            Only the first words of the model.
        case_insensitive : bool
        dummy4unknown : bool
            Count questions with unknown words as wrong, instead of leaving them out.
        similarity_function : {"most_similar", "most_similar_cosmul"}

        Returns
        -------
        float, list of dict
            The share, and the questions of each section.

        Examples
        --------
        >>> share, sections = model.evaluate_word_analogies("analogies.txt")
        >>> share, sections[0]["section"]
        (1.0, 'royal')
        """
        words: Dict[str, int] = {}
        for i, word in enumerate(self.index_to_key[:restrict_vocab]):
            words.setdefault(word.upper() if case_insensitive else word, i)
        sections: List[Dict[str, Any]] = []
        ask = getattr(self, similarity_function)
        with open(analogies, encoding="utf8") as file:
            for line in file:
                if line.startswith(": "):
                    sections.append({"section": line[2:].strip(), "correct": [], "incorrect": []})
                    continue
                parts = line.upper().split() if case_insensitive else line.split()
                if len(parts) != 4:
                    continue
                if not sections:
                    raise ValueError(f"{analogies}: the first line must name a section (: name)")
                section = sections[-1]
                if any(part not in words for part in parts):
                    if dummy4unknown:
                        section["incorrect"].append(tuple(parts))
                    continue
                a, b, c, expected = (words[part] for part in parts)
                keys = [self.index_to_key[i] for i in (a, b, c)]
                answer = None
                for word, _score in ask(positive=[keys[1], keys[2]], negative=[keys[0]], topn=5,
                                        restrict_vocab=restrict_vocab):
                    shown = word.upper() if case_insensitive else word
                    if shown in words and shown not in parts[:3]:
                        answer = words[shown]
                        break
                section["correct" if answer == expected else "incorrect"].append(tuple(parts))
        total = {"section": "Total accuracy",
                 "correct": [q for s in sections for q in s["correct"]],
                 "incorrect": [q for s in sections for q in s["incorrect"]]}
        sections.append(total)
        asked = len(total["correct"]) + len(total["incorrect"])
        return (len(total["correct"]) / asked if asked else 0.0), sections


def _ranks(values: Sequence[float]) -> Array:
    array = np.asarray(values, float)
    order = np.argsort(array, kind="stable")
    _, first, counts = np.unique(array[order], return_index=True, return_counts=True)
    ranks = np.empty(len(array))
    ranks[order] = np.repeat(first + (counts - 1) / 2, counts)
    return ranks


def _correlations(gold: Sequence[float], ours: Sequence[float]) -> Tuple[Any, Any]:
    try:
        from scipy import stats
    except ImportError:
        def pearson(a: Any, b: Any) -> Tuple[float, float]:
            return float(np.corrcoef(a, b)[0, 1]), float("nan")
        return pearson(gold, ours), pearson(_ranks(gold), _ranks(ours))
    return stats.pearsonr(gold, ours), stats.spearmanr(gold, ours)
