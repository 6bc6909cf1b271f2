"""Models: vectors of words."""

import ctypes
from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple, Union

import numpy as np

from ._context import shared
from ._errors import FormatError
from ._handle import Handle, ModelHandle
from ._library import lib
from ._model_words import ModelWords
from ._types import FloatArray, Word

if TYPE_CHECKING:
    from ._model import Model

FLOATS = ctypes.POINTER(ctypes.c_float)


class _Memory:
    """Memory of a model as numpy sees it; the array keeps this object, and so the model, alive."""

    def __init__(self, owner: Handle, address: int, shape: Tuple[int, ...], kind: str = "<f4"):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape,
                                    "typestr": kind}


def view(owner: Handle, address: int, shape: Tuple[int, ...]) -> FloatArray:
    """A read-only float32 array without a copy."""
    return np.asarray(_Memory(owner, address, shape))


class ModelVectors(ModelWords):
    """A model with its vectors."""

    @property
    def vectors(self) -> FloatArray:
        """The vectors of all words, one per row: a read-only view of the file, without a copy.

        Examples
        --------
        >>> model.vectors.shape == (len(model), 8)
        True
        """
        if self._vectors is None:
            pointer = FLOATS()
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
        lib.psdvec_model_vector_copy(self._model, self._number(word), vector.ctypes.data_as(FLOATS))
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
        columns, values = ctypes.POINTER(ctypes.c_uint32)(), FLOATS()
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
        pointer = vector.ctypes.data_as(FLOATS)
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
        from ._model import Model
        other = Model(self.path, _handle=ModelHandle(self.path, pointer.value))
        other._view_of = (self._as_model, float(weight))
        return other
