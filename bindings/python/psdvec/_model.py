"""Models: all that they can do, opening and saving."""

import os
from html import escape
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from ._abi import psdvec_options_kind as Kind
from ._abi import psdvec_precision as Precision
from ._gensim import GensimNames
from ._handle import ModelHandle
from ._library import text
from ._model_tasks import ModelTasks
from ._options import documented
from ._results import plural
from ._temporary import temporary
from ._types import Path


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


class Model(ModelTasks, GensimNames):
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
