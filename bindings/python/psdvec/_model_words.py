"""Models: the file, and its words."""

import ctypes
import json
import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, cast

import numpy as np

from . import _abi
from ._abi import psdvec_precision as Precision
from ._context import shared
from ._handle import ModelHandle
from ._library import lib, text
from ._results import members
from ._types import FloatArray, Path, Word

if TYPE_CHECKING:
    from ._model import Model


class ModelWords:
    """A model as its list of words."""

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

    @property
    def _as_model(self) -> "Model":
        """This object, for functions that need all of its methods."""
        return cast("Model", self)

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
