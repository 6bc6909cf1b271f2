"""Document vectors for scikit-learn. The rest of the package does not need scikit-learn."""

import functools
import os
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Union

import numpy as np

try:
    from sklearn.base import (BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin)
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError("psdvec.sklearn needs scikit-learn 1.1 or later; install scikit-learn") from error

from ._abi import psdvec_options_kind as Kind
from ._model import Model, from_bytes, load
from ._operations import train
from ._options import documented, split
from ._texts import is_missing
from ._types import Document, FloatArray, Path

__all__ = ["PsdvecVectorizer"]

_KINDS = (Kind.OPTIONS_TRAIN, Kind.OPTIONS_COUNT, Kind.OPTIONS_TEXT, Kind.OPTIONS_CONTEXT)


@documented(_KINDS, "default")
class PsdvecVectorizer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Turns texts into vectors, for classifiers, regression and clustering.

    A word has the weight s / (s + p), where s is `smoothing` and p the relative frequency of the
    word in the text of the model. The vector of a text is the mean of the weighted vectors of its
    words. Directions that all texts share can be removed from it (Arora, Liang and Ma, 2017).

    Parameters
    ----------
    model : Model, str or os.PathLike, optional
        A trained model, or its file. Without it, `fit` trains one on its texts.
    smoothing : float or None, default 1e-3
        The smaller, the less frequent words count. None gives all words the same weight.
    common_components : int, default 0
        How many common directions are removed. They are computed from the texts of `fit`. Removing
        one is meant for comparing texts by cosine; classifiers can do better without.
    unseen : bool, default True
        Whether words that the model does not have get a vector by their spelling, if the model has
        learnt spelling. They are left out otherwise.
    norm : {"l2", None}, default "l2"
        "l2" scales the vectors to length 1.
    **options

    Attributes
    ----------
    model_ : Model
        The model. A pickled vectorizer contains it.
    components_ : numpy.ndarray of shape (components, dimensions)
        The directions that are removed.

    Notes
    -----
    Each element of the texts is a document: a str, or a list of tokens, which are used as they are.
    A missing text (None, nan), and one without known words, has the vector 0. The parameters of
    training apply only without `model`; None is the default of `psdvec.train`.

    Examples
    --------
    >>> from psdvec.sklearn import PsdvecVectorizer
    >>> vectorizer = PsdvecVectorizer(dim=10, min_count=1)
    >>> vectorizer.fit_transform(texts).shape == (len(texts), 10)
    True
    >>> vectorizer.get_feature_names_out()[:2].tolist()
    ['psdvecvectorizer0', 'psdvecvectorizer1']
    """

    model_: Model
    components_: FloatArray

    def __init__(self, *, model: Union[None, Model, Path] = None,
                 smoothing: Optional[float] = 1e-3, common_components: int = 0, unseen: bool = True,
                 norm: Optional[str] = "l2", **options: Any):
        self.model = model
        self.smoothing = smoothing
        self.common_components = common_components
        self.unseen = unseen
        self.norm = norm
        split("PsdvecVectorizer", _KINDS, options)  # refuses other names
        for name in self._training_names():
            setattr(self, name, options.get(name))

    @classmethod
    def _training_names(cls) -> List[str]:
        own = ("model", "smoothing", "common_components", "unseen", "norm")
        return [name for name in cls._get_param_names() if name not in own]

    # ---- Fitting --------------------------------------------------------------------------
    def fit(self, texts: Iterable[Document], y: Any = None) -> "PsdvecVectorizer":
        """Trains the model, if it is not given, and finds the common directions of the texts.

        Parameters
        ----------
        texts : iterable of str or of token lists
        y : ignored

        Returns
        -------
        PsdvecVectorizer
            The vectorizer itself.
        """
        self._fit(texts)
        return self

    def _fit(self, texts: Iterable[Document]) -> Any:
        """Fits, and returns the means of the texts."""
        self._check_parameters()
        documents = _documents(texts)
        if isinstance(self.model, Model):
            self.model_ = self.model
        elif self.model is not None:
            self.model_ = load(self.model)
        else:
            options = {name: getattr(self, name) for name in self._training_names()}
            self.model_ = train(documents, progress=False, **options)
        self._weights = self._word_weights(documents)
        self._n_features_out = self.model_.vector_size
        means = self._means(documents)
        count = min(self.common_components, max(0, len(documents) - 1), means.shape[1])
        _, vectors = np.linalg.eigh(means.T.astype(np.float64) @ means)
        self.components_ = vectors[:, ::-1].T[:count].astype(np.float32)
        return means

    def _check_parameters(self) -> None:
        if self.smoothing is not None and not self.smoothing > 0:
            raise ValueError(f"smoothing must be positive or None, not {self.smoothing!r}")
        if self.common_components < 0:
            raise ValueError(f"common_components must not be negative, but is {self.common_components!r}")
        if self.norm not in ("l2", None):
            raise ValueError(f"norm must be 'l2' or None, not {self.norm!r}")

    def _word_weights(self, documents: Sequence[Document]) -> Any:
        """The weight of each word of the model."""
        counts = np.array([self.model_.frequency(i) for i in range(len(self.model_))], float)
        if self.smoothing is None:
            return np.ones(len(counts), np.float32)
        if not counts.any():  # vectors of another program: the frequencies in the texts
            for document in documents:
                for word in self._words(document):
                    number = self.model_.find(word)
                    if number is not None:
                        counts[number] += 1
        share = counts / max(1.0, counts.sum())
        return (self.smoothing / (self.smoothing + share)).astype(np.float32)

    # ---- Vectors --------------------------------------------------------------------------
    def transform(self, texts: Iterable[Document]) -> Any:
        """The vectors of texts.

        Parameters
        ----------
        texts : iterable of str or of token lists

        Returns
        -------
        numpy.ndarray of shape (texts, dimensions), float32
            Or a DataFrame, after ``set_output(transform="pandas")``.
        """
        check_is_fitted(self, "model_")
        return self._finish(self._means(_documents(texts)))

    def fit_transform(self, texts: Iterable[Document], y: Any = None) -> Any:
        """`fit` and `transform` of the same texts."""
        return self._finish(self._fit(texts))

    def _words(self, document: Document) -> List[str]:
        if is_missing(document):
            return []
        return self.model_.tokenize(document) if isinstance(document, str) else list(document)  # type: ignore[arg-type]

    def _means(self, documents: Sequence[Document]) -> Any:
        """The mean of the weighted vectors of each document."""
        vectors, weights = self.model_.vectors, self._weights
        numbers: Dict[str, Optional[int]] = {}     # of words, as they are found
        spelled: Dict[str, Optional[Any]] = {}     # vectors of words that the model does not have
        means = np.zeros((len(documents), self.model_.vector_size), np.float32)
        for mean, document in zip(means, documents):
            known: List[int] = []
            other: List[Any] = []
            for word in self._words(document):
                if word not in numbers:
                    numbers[word] = self.model_.find(word)
                number = numbers[word]
                if number is not None:
                    known.append(number)
                elif self.unseen:
                    if word not in spelled:
                        spelled[word] = self._spelled(word)
                    if spelled[word] is not None:
                        other.append(spelled[word])
            if known:
                mean += np.einsum("i,ij->j", weights[known], vectors[known])
            if other:
                mean += np.sum(other, axis=0)  # the weight of a word of frequency 0 is 1
            mean /= max(1, len(known) + len(other))
        return means

    def _spelled(self, word: str) -> Any:
        try:
            return self.model_.get_vector(word)
        except KeyError:
            return None

    def _finish(self, means: Any) -> Any:
        """Removes the common directions and scales the vectors."""
        vectors = means - (means @ self.components_.T) @ self.components_
        if self.norm == "l2":
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            vectors /= np.where(lengths > 0, lengths, 1)
        return vectors

    # ---- Pickling and properties ----------------------------------------------------------
    def __getstate__(self) -> Dict[str, Any]:
        state = dict(super().__getstate__())
        if "model_" in state:
            state["model_"] = self.model_.to_bytes()
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        if "model_" in state:
            state = {**state, "model_": from_bytes(state["model_"])}
        super().__setstate__(state)

    def _more_tags(self) -> Dict[str, Any]:  # up to scikit-learn 1.5
        return {"X_types": ["string"], "preserves_dtype": []}

    def __sklearn_tags__(self) -> Any:  # from scikit-learn 1.6 on
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags


def _documents(texts: Iterable[Document]) -> Sequence[Document]:
    if isinstance(texts, (str, bytes, os.PathLike)):
        raise ValueError("give a list of texts, not a single text or path")
    if hasattr(texts, "columns"):
        raise ValueError("give a column of the table, such as frame['text'], not the whole table")
    return texts if isinstance(texts, list) else list(texts)


def _from_iterator(method: Callable[..., Any]) -> Callable[..., Any]:
    """Hides the type of a list: for a DataFrame, scikit-learn 1.2 takes the attribute `index` of the
    input as the row labels, which in a list is a method."""
    @functools.wraps(method)
    def call(self: Any, texts: Any, *arguments: Any, **named: Any) -> Any:
        return method(self, iter(texts) if isinstance(texts, (list, tuple)) else texts, *arguments,
                      **named)
    return call


for _name in ("transform", "fit_transform"):
    setattr(PsdvecVectorizer, _name, _from_iterator(getattr(PsdvecVectorizer, _name)))
