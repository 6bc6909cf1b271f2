"""Maps of the words of a model."""

import ctypes
import json
import os
from typing import Any, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._abi import psdvec_options_kind as Kind
from ._context import Context, shared
from ._handle import MapHandle
from ._library import lib
from ._model import Model
from ._options import Settings, split
from ._options import documented as _documented
from ._page import write_page
from ._results import plural
from ._types import FloatArray, Path, Query, Show


class MapLabel(NamedTuple):
    """A word that names a region of a map.

    Examples
    --------
    >>> label = model.map().labels[0]
    >>> label.level, label.word in model
    (0, True)
    """

    word: str
    x: float
    y: float
    level: int              #: 0: the whole map; each further level is for twice the magnification
    cluster: Optional[int]  #: None: the word is in a sparse part of the map
    words: int              #: how many words the region has


class WordMap:
    """A map of words, made by `Model.map` or read by `Model.read_map`.

    Attributes
    ----------
    words : list of str
    points : numpy.ndarray
        The places of the words: a row (x, y) for each; y increases downwards.
    clusters : numpy.ndarray
        The cluster of each word, -1 for words in sparse parts of the map.
    labels : list of MapLabel
        Words that are typical of their region, for several levels of zoom.

    Examples
    --------
    >>> found = model.map()
    >>> found.points.shape == (len(model), 2)
    True
    """

    def __init__(self, model: Model, handle: MapHandle) -> None:
        self._model, self._handle = model, handle
        info = lib.psdvec_map_get_info(handle.pointer).contents
        count = info.words
        indices = lib.psdvec_map_words(handle.pointer)[:count]
        self.words: List[str] = [model.index_to_key[i] for i in indices]
        self.points: FloatArray = np.ctypeslib.as_array(
            lib.psdvec_map_points(handle.pointer), (count, 2)).copy()
        clusters = np.ctypeslib.as_array(lib.psdvec_map_clusters(handle.pointer), (count,)).astype(np.int64)
        clusters[clusters == _abi.PSDVEC_NO_CLUSTER] = -1
        self.clusters = clusters
        self.labels: List[MapLabel] = [
            MapLabel(self.words[label.place], label.x, label.y, label.level,
                     None if label.cluster == _abi.PSDVEC_NO_CLUSTER else label.cluster, label.words)
            for label in lib.psdvec_map_labels(handle.pointer)[:info.labels]]
        #: number of clusters
        self.cluster_count: int = info.clusters

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<WordMap: {plural(len(self), 'word')}, {plural(self.cluster_count, 'cluster')}>"

    def cluster_words(self, cluster: int, topn: int = 10) -> List[str]:
        """The words that describe a cluster best.

        Parameters
        ----------
        cluster : int
        topn : int
            How many words, at most 20.

        Returns
        -------
        list of str

        Examples
        --------
        >>> found = model.map()
        >>> all(len(found.cluster_words(c, 2)) == 2 for c in range(found.cluster_count))
        True
        """
        if not 0 <= cluster < self.cluster_count:
            raise IndexError(f"there is no cluster {cluster}; the map has {plural(self.cluster_count, 'cluster')}")
        count = ctypes.c_size_t()
        places = lib.psdvec_map_cluster_words(self._handle.pointer, cluster, ctypes.byref(count))
        return [self.words[place] for place in places[:min(count.value, topn)]]

    @_documented([Kind.OPTIONS_DRAWING])
    def save(self, path: Path, **options: Any) -> None:
        """Draws the map, or writes it as a table.

        Parameters
        ----------
        path : str or os.PathLike
            The suffix selects the format: .svg, .png, .tsv, or .html for a page of all words, to
            which the options do not apply.
        **options

        Examples
        --------
        >>> model.map().save("map.svg", dark=True)
        """
        if os.fspath(path).endswith(".html"):
            return self._page(path)
        given = split("save", [Kind.OPTIONS_DRAWING], options)
        settings = Settings(Kind.OPTIONS_DRAWING, None, "save", given[Kind.OPTIONS_DRAWING])
        shared().call(lib.psdvec_map_draw, self._handle.pointer,
                      settings.cast(_abi.psdvec_drawing_options), os.fsencode(path))

    def _page(self, path: Path) -> None:
        parts: List[bytes] = []

        def take(_user: Any, json_text: Any, length: int) -> None:
            parts.append(ctypes.string_at(json_text, length))
        shared().call(lib.psdvec_map_json, self._handle.pointer, _abi.psdvec_map_json_fn(take), None)
        data = f'{{"model": {json.dumps(self._model.path)}, "map": {b"".join(parts).decode()}}}'
        write_page("map", path, data, "".join(
            f"cluster {k}: {' '.join(self.cluster_words(k, 20))}\n" for k in range(self.cluster_count)))


def read_map(model: Model, path: Path) -> WordMap:
    """Model.read_map."""
    made = ctypes.c_void_p()
    shared().call(lib.psdvec_map_open, model._model, os.fsencode(path), ctypes.byref(made))
    return WordMap(model, MapHandle("", made.value))


def map_memory(model: Model, words: int, options: Any) -> int:
    """Model.map_memory."""
    given = split("map_memory", [Kind.OPTIONS_MAP, Kind.OPTIONS_CONTEXT], options)
    settings = Settings(Kind.OPTIONS_MAP, None, "map_memory", given[Kind.OPTIONS_MAP])
    need = ctypes.c_uint64()
    Context(given[Kind.OPTIONS_CONTEXT], "map_memory", False).run(
        lib.psdvec_map_memory, settings.cast(_abi.psdvec_map_options), model._model, words, ctypes.byref(need))
    return need.value


def make_map(model: Model, words: Optional[Sequence[Union[str, int]]], around: Optional[Query], nearest: int,
             progress: Show, options: Any) -> WordMap:
    """Model.map."""
    if words is not None and around is not None:
        raise TypeError("words and around cannot be combined")
    given = split("map", [Kind.OPTIONS_MAP, Kind.OPTIONS_CONTEXT], options)
    settings = Settings(Kind.OPTIONS_MAP, None, "map", given[Kind.OPTIONS_MAP])
    chosen = None
    if around is not None:
        near = [word for word, _ in model.most_similar(around, topn=nearest)]
        words = ([around] if isinstance(around, (str, int)) else []) + list(near)
    if words is not None:
        chosen = sorted({word if isinstance(word, (int, np.integer)) else model.key_to_index[word] for word in words})
        if not chosen:
            raise ValueError("a map needs at least one word")
    made = ctypes.c_void_p()
    Context(given[Kind.OPTIONS_CONTEXT], "map", progress).run(
        lib.psdvec_map_make, settings.cast(_abi.psdvec_map_options), model._model,
        (ctypes.c_uint32 * len(chosen))(*chosen) if chosen else None, len(chosen) if chosen else 0,
        ctypes.byref(made))
    return WordMap(model, MapHandle("", made.value))
